package interpreter

import (
	"strings"
	"sync"

	"breakwire/mapping/csharp"
)

// withGroups makes lambdas of the methods among the arguments of a method of LINQ: words.Select(string.IsNullOrEmpty).
func (r *run) withGroups(args []csharp.Argument) []csharp.Argument {
	out := append([]csharp.Argument(nil), args...)
	for i, a := range out {
		switch n := a.Value.(type) {
		case *csharp.Name:
			if n.Keyword || n.Alias != "" {
				continue
			}
		case *csharp.Member:
			if n.Op != "." {
				continue
			}
		default:
			continue
		}
		if !r.attempt(func() { r.known(r.eval(a.Value)) }) {
			const element = "<element>"
			out[i].Value = &csharp.Lambda{Params: []csharp.Parameter{{Name: element}}, Body: &csharp.Call{Of: a.Value,
				Args: []csharp.Argument{{Value: &csharp.Name{Name: element}}}}}
		}
	}
	return out
}

// arrayMethods are the functions of System.Array that LINQ has as methods.
var arrayMethods = sync.OnceValue(func() map[string]bool {
	return map[string]bool{"Find": true, "FindAll": true, "FindIndex": true, "FindLast": true, "Exists": true,
		"TrueForAll": true, "ConvertAll": true}
})

// arrayMethod calls one of them.
func (r *run) arrayMethod(v Value, s *sequence, name string, args []Value) Value {
	got := r.linq(v, s, &csharp.Member{Op: ".", Name: name}, args)
	if all, ok := got.Data.(*sequence); ok && (name == "FindAll" || name == "ConvertAll") {
		l := r.listed(all)
		elem := strings.TrimSuffix(strings.TrimPrefix(got.Type, collections+"List<"), ">")
		return Value{Type: elem + "[]", Data: (&list{l.items, elem, elem + "[]"}).sequence()}
	}
	return got
}
