package mapping

import "strings"

// rustName returns the path of a Rust function, without type arguments, from what follows _R of its symbol (RFC 2603,
// v0 mangling). It is "" for implementations of traits, closures, and what is not understood.
func rustName(mangled string) string {
	if len(mangled) > maxDemangled {
		return ""
	}
	d := rustDemangler{in: mangled}
	name := d.path()
	if d.failed {
		return ""
	}
	return name
}

// rustDemangler reads one name from left to right.
type rustDemangler struct {
	in      string
	at      int
	nesting int
	failed  bool
}

func (d *rustDemangler) fail() string {
	d.failed, d.at = true, len(d.in)
	return ""
}

// next returns the next byte, 0 at the end.
func (d *rustDemangler) next() byte {
	if d.at >= len(d.in) {
		d.failed = true
		return 0
	}
	d.at++
	return d.in[d.at-1]
}

func (d *rustDemangler) take(c byte) bool {
	if d.at < len(d.in) && d.in[d.at] == c {
		d.at++
		return true
	}
	return false
}

func (d *rustDemangler) path() string {
	if d.nesting++; d.nesting > maxNesting {
		return d.fail()
	}
	defer func() { d.nesting-- }()
	switch d.next() {
	case 'C':
		return d.identifier()
	case 'N':
		if space := d.next(); space >= 'A' && space <= 'Z' {
			return d.fail() // a closure
		}
		outer := d.path()
		if name := d.identifier(); name != "" && len(outer)+len(name) < maxDemangled {
			return outer + "::" + name
		}
		return d.fail()
	case 'M':
		if d.take('s') {
			d.number()
		}
		d.path() // where the implementation is
		return d.typ()
	case 'I':
		name := d.path()
		for !d.failed && !d.take('E') {
			d.typ()
		}
		return name
	case 'B':
		return d.back((*rustDemangler).path)
	}
	return d.fail()
}

// typ reads a type or lifetime and returns its path, "" when it has none.
func (d *rustDemangler) typ() string {
	if d.nesting++; d.nesting > maxNesting {
		return d.fail()
	}
	defer func() { d.nesting-- }()
	switch c := d.next(); {
	case c >= 'a' && c <= 'z':
		return ""
	case c == 'L':
		d.number()
		return ""
	case c == 'R', c == 'Q':
		if d.take('L') {
			d.number()
		}
		return d.typ()
	case c == 'P', c == 'O', c == 'S':
		return d.typ()
	case c == 'T':
		for !d.failed && !d.take('E') {
			d.typ()
		}
		return ""
	case c == 'B':
		return d.back((*rustDemangler).typ)
	}
	d.at--
	return d.path()
}

// back reads again what an earlier place has.
func (d *rustDemangler) back(read func(*rustDemangler) string) string {
	begin := d.at - 1
	to := d.number()
	if d.failed || to >= begin {
		return d.fail()
	}
	here := d.at
	d.at = to
	name := read(d)
	if !d.failed {
		d.at = here
	}
	return name
}

// number reads a number to the base 62.
func (d *rustDemangler) number() int {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	n, first := 0, true
	for {
		c := d.next()
		if c == '_' && first {
			return 0
		} else if c == '_' {
			return n + 1
		}
		value := strings.IndexByte(digits, c)
		if value < 0 {
			d.fail()
			return 0
		}
		n, first = min(n*62+value, 1<<24), false // a crate's hash is longer than any place
	}
}

func (d *rustDemangler) identifier() string {
	if d.take('s') {
		d.number()
	}
	if d.take('u') {
		return d.fail() // Punycode
	}
	size := 0
	for d.at < len(d.in) && d.in[d.at] >= '0' && d.in[d.at] <= '9' && size < maxDemangled {
		size = size*10 + int(d.in[d.at]-'0')
		d.at++
	}
	d.take('_')
	if d.at+size > len(d.in) {
		return d.fail()
	}
	d.at += size
	return d.in[d.at-size : d.at]
}
