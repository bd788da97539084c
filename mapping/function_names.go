package mapping

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// HasFunction reports whether one of the functions of a native or Go program is the one that was asked for. The request
// may leave out what is in front, type arguments and parameters.
//
//	main.(*Cart).Total        Total, Cart.Total, (*Cart).Total, main.(*Cart).Total
//	shop::Cart::total         total, Cart::total
func HasFunction(asked string, functions []string) bool {
	want := nameParts(asked)
	return len(want) > 0 && slices.ContainsFunc(functions, func(f string) bool {
		have := nameParts(f)
		return len(have) >= len(want) && slices.Equal(have[len(have)-len(want):], want)
	})
}

// SimilarFunctions returns up to most of the functions that were most likely meant: those whose last names are most
// similar, and of these those whose scopes are what was asked for. Of the functions in library, only those in exactly
// the scope that was asked for can be meant.
func SimilarFunctions(asked string, own, library []string, most int) []string {
	want := nameParts(asked)
	if len(want) == 0 {
		return nil
	}
	word, scopes := plain(want[len(want)-1]), want[:len(want)-1]
	type near struct {
		name string
		rank int
	}
	var found []near
	add := func(f string, fixed bool) {
		have := nameParts(f)
		if len(have) == 0 {
			return
		}
		last, others := plain(have[len(have)-1]), 0
		for i := range scopes {
			if at := len(have) - len(want) + i; at < 0 || have[at] != scopes[i] {
				others++
			}
		}
		limit := max(len(word)/3, 1)
		if fixed && (len(scopes) == 0 || others > 0) {
			return
		}
		d := limit // of a name that was not written to its end
		if len(word) < 4 || !strings.HasPrefix(last, word) {
			if len(word) < 2 || len(last)-len(word) > limit {
				return
			}
			d = distance(word, last)
		}
		if d <= limit {
			found = append(found, near{WrittenFunction(f), 2*d + others})
		}
	}
	for _, f := range own {
		add(f, false)
	}
	for _, f := range library {
		add(f, true)
	}
	slices.SortStableFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, f := range found {
		if len(names) < most && !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return names
}

// WrittenFunction is the name of a function without type arguments: main.Map[go.shape.int] is main.Map.
func WrittenFunction(name string) string {
	var out strings.Builder
	depth := 0
	for i, c := range name {
		open, closed := c == '[' || c == '<', c == ']' || c == '>'
		if closed && depth > 0 {
			depth--
		} else if open && strings.HasSuffix(name[:i], "operator") {
			return name
		} else if open {
			depth++
		} else if depth == 0 {
			out.WriteRune(c)
		}
	}
	return out.String()
}

// nameParts splits the name of a function at dots and ::, without the folders of a Go package, the marks of a receiver,
// type arguments and parameters.
func nameParts(name string) []string {
	name = WrittenFunction(name)
	if open := strings.IndexByte(name, '('); open < 0 {
		name = name[strings.LastIndexByte(name, '/')+1:]
	} else {
		name = name[strings.LastIndexByte(name[:open], '/')+1:]
	}
	var parts []string
	for name != "" {
		if receiver, ok := strings.CutPrefix(name, "("); ok {
			inside, rest, closed := strings.Cut(receiver, ")")
			if !closed || !strings.HasPrefix(rest, ".") && !strings.HasPrefix(rest, "::") {
				break // parameters
			}
			parts, name = append(parts, strings.TrimPrefix(inside, "*")), strings.TrimLeft(rest, ".:")
			continue
		}
		end := strings.IndexAny(name, ".:(")
		if strings.HasPrefix(name, "operator") || end < 0 {
			end = len(name)
		}
		if part := name[:end]; part != "" {
			parts = append(parts, part)
		}
		if name = name[end:]; strings.HasPrefix(name, "(") {
			break
		}
		name = strings.TrimLeft(name, ".:")
	}
	return parts
}

// OwnGoFunction reports whether a function of a Go program is one of a source file, and whether it is of the program
// rather than of Go's library. module is the path of the program's module.
func OwnGoFunction(name, module string) (written, own bool) {
	parts := nameParts(name)
	if len(parts) < 2 || strings.ContainsAny(name, ":\u00b7 ") || strings.HasSuffix(name, "-fm") {
		return false, false
	}
	last := parts[len(parts)-1]
	for _, made := range []string{"func", "gowrap", "deferwrap"} {
		if rest, ok := strings.CutPrefix(last, made); ok && (rest == "" || rest[0] >= '0' && rest[0] <= '9') {
			return false, false
		}
	}
	if last[0] >= '0' && last[0] <= '9' { // main.init.0, main.main.func1.2
		return false, false
	}
	first, _, _ := strings.Cut(name, "/")
	own = parts[0] == "main" || strings.Contains(first, ".") && first != name ||
		module != "" && (strings.HasPrefix(name, module+".") || strings.HasPrefix(name, module+"/"))
	return true, own
}

// NativeFunction is the name of a function of a C, C++ or Rust program as people write it, from its symbol. It has no
// parameters. own is false for functions of the language's library; "" is none of a source file.
func NativeFunction(symbol string) (name string, own bool) {
	symbol, _, _ = strings.Cut(symbol, "@")
	switch {
	case strings.HasPrefix(symbol, "_R"):
		name = rustName(symbol[len("_R"):])
	case strings.HasPrefix(symbol, "_Z"):
		bare, _, _ := strings.Cut(symbol, ".") // f.cold
		if strings.Contains(symbol, "17h") {
			bare = symbol // Rust's names have dots
		}
		name = demangledFunction(bare)
	case !strings.HasPrefix(symbol, "_") && !strings.ContainsAny(symbol, ".$"):
		name = symbol
	}
	if strings.HasPrefix(name, "<") || strings.ContainsAny(name, "{}") {
		return "", false // an implementation of a trait, a lambda
	}
	scope, _, scoped := strings.Cut(name, "::")
	return name, name != "" && !(scoped && slices.Contains(libraryScopes, scope)) && !slices.Contains(startFiles, name)
}

// libraryScopes are the outermost scopes of the libraries that come with the compilers of C++ and Rust.
var libraryScopes = []string{
	"std", "__gnu_cxx", "__cxxabiv1", "core", "alloc", "hashbrown", "gimli", "addr2line", "rustc_demangle",
	"miniz_oxide", "object", "memchr", "adler2",
}

// startFiles are the functions that the compiler links into each program.
var startFiles = []string{"frame_dummy", "register_tm_clones", "deregister_tm_clones"}

// demangledFunction returns the name of a C++ or Rust function without its parameters; "" when it is not understood.
func demangledFunction(symbol string) string {
	if len(symbol) > maxDemangled {
		return ""
	}
	d := demangler{in: symbol, at: len("_Z")}
	name := plainStd().Replace(d.name(false))
	if d.failed {
		return ""
	}
	if at := strings.LastIndex(name, "::h"); at > 0 && len(name)-at == len("::h")+16 { // Rust
		name = name[:at]
		if strings.HasPrefix(name, "_$") {
			name = name[1:]
		}
		name = rustEscapes().Replace(name)
	}
	return name
}

var rustEscapes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("$LT$", "<", "$GT$", ">", "$RF$", "&", "$BP$", "*", "$C$", ",", "$u20$", " ",
		"$u7b$", "{", "$u7d$", "}", "$u5b$", "[", "$u5d$", "]", "$u27$", "'", "..", "::")
})
