package inspect

import (
	"strings"

	"breakwire/mapping"

	"github.com/google/go-dap"
)

// lldb-dap shows structs and arrays by type and address. What they hold is read from their children.

const (
	MemberBytes  = 200 // length of such a text
	MemberCount  = 16  // members or elements of one value
	memberLevels = 3   // structs inside of structs
	memberValues = 250 // values that are read in this way in one call
)

// showNative shows the members of a value.
func (v *View) showNative(it item, out *Variable) {
	if text, ok := v.memberText(it.node, 1); ok {
		out.Value = text
	}
}

// memberText returns what a value holds. ok is false when its own text says it, or when the children cannot be read.
func (v *View) memberText(n node, level int) (text string, ok bool) {
	if !mapping.Opaque(n.Value, n.Type) {
		return "", false
	}
	if n.VariablesReference == 0 {
		return "{}", true // a struct without members
	}
	kids, more, ok := v.someMembers(n)
	if !ok {
		return "", false
	}
	list := v.memberList(kids, level, 0)
	if len(list) == 1 && strings.HasPrefix(list[0].Name, "&") {
		return list[0].Value, true // what a reference refers to
	}
	return mapping.Members(list, more, MemberBytes), true
}

// memberList returns the members as they are shown in the text of their parent. Members of a base class are the
// parent's own; bases is the number of base classes that lead to these.
func (v *View) memberList(kids []dap.Variable, level, bases int) []mapping.Member {
	var list []mapping.Member
	for _, kid := range kids {
		n := v.values().counted(node{Variable: kid})
		if mapping.BaseClass(kid.Name, kid.Type) {
			inner, more, ok := v.someMembers(n)
			if !ok || bases == MemberCount {
				list = append(list, mapping.Member{Value: "..."})
				continue
			}
			own := v.memberList(inner, level, bases+1)
			if more {
				own = append(own, mapping.Member{Value: "..."})
			}
			if mapping.TupleElement(kid.Name) && len(own) == 1 { // those that follow it are in a base before it
				own[0].Name = ""
				list = append(own, list...)
				continue
			}
			list = append(list, own...)
			continue
		}
		value := mapping.WithoutAddress(kid.Value)
		if text, ok := v.memberText(n, level+1); ok && level < memberLevels {
			value = text
		} else if mapping.Opaque(kid.Value, kid.Type) {
			value = "{...}"
		}
		list = append(list, mapping.Member{Name: kid.Name, Value: value})
	}
	return list
}

// someMembers reads the first children of a value, within what one call may spend on this.
func (v *View) someMembers(n node) (kids []dap.Variable, more, ok bool) {
	if v.membersRead++; v.membersRead > memberValues {
		return nil, false, false
	}
	if n.IndexedVariables > MemberCount {
		if !v.mayLook() {
			return nil, false, false
		}
		kids, err := v.someVariables(FirstMembers(n.VariablesReference))
		return kids[:min(len(kids), MemberCount)], true, err == nil
	}
	kids, ok = v.fields(n)
	return kids[:min(len(kids), MemberCount)], len(kids) > MemberCount, ok
}

func FirstMembers(reference int) dap.VariablesArguments {
	return dap.VariablesArguments{VariablesReference: reference, Filter: "indexed", Count: MemberCount}
}
