package inspect

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"breakwire/mapping"
)

// Types of .NET: the names that an expression may use for them, and the type of a value.

// shortNames are the namespaces of runtime types that programs name without one.
var shortNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"Math": "System", "MathF": "System", "DateTime": "System", "DateTimeOffset": "System", "DateOnly": "System",
		"TimeOnly": "System", "TimeSpan": "System", "Guid": "System",
		"Console": "System", "Convert": "System", "Environment": "System", "GC": "System", "Array": "System",
		"Enum": "System", "String": "System", "Char": "System",
		"Int32": "System", "Int64": "System", "Double": "System", "Decimal": "System", "BitConverter": "System",
		"Uri": "System", "Type": "System", "Activator": "System",
		"AppContext": "System", "AppDomain": "System", "Version": "System", "Random": "System", "Tuple": "System",
		"Nullable": "System", "Object": "System",
		"Thread": "System.Threading", "Monitor": "System.Threading", "Interlocked": "System.Threading",
		"ThreadPool": "System.Threading", "Timeout": "System.Threading",
		"Task": "System.Threading.Tasks", "Path": "System.IO", "File": "System.IO", "Directory": "System.IO",
		"Encoding": "System.Text", "Enumerable": "System.Linq",
		"CultureInfo": "System.Globalization", "Process": "System.Diagnostics", "Stopwatch": "System.Diagnostics",
		"Debugger": "System.Diagnostics",
		"Regex":    "System.Text.RegularExpressions", "BigInteger": "System.Numerics",
		"RuntimeInformation": "System.Runtime.InteropServices", "Assembly": "System.Reflection",
		"JsonSerializer": "System.Text.Json", "DayOfWeek": "System", "DateTimeKind": "System",
		"StringComparer": "System", "TaskStatus": "System.Threading.Tasks",
	}
})

// keywordTypes are the full names of keyword types. netcoredbg finds static members only under the full name.
var keywordTypes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"int": "System.Int32", "long": "System.Int64", "short": "System.Int16", "byte": "System.Byte",
		"uint": "System.UInt32", "ulong": "System.UInt64", "ushort": "System.UInt16",
		"sbyte": "System.SByte", "double": "System.Double", "float": "System.Single", "decimal": "System.Decimal",
		"char": "System.Char", "bool": "System.Boolean",
		"string": "System.String", "object": "System.Object",
	}
})

// isNamed reports whether an expression's name means a type: the name may leave out leading namespaces.
func isNamed(typ, name string) bool {
	name = strings.TrimPrefix(name, "global::")
	if full := keywordTypes()[typ]; full != "" && (name == full || "System."+name == full) {
		return true
	}
	typ, name = strings.ReplaceAll(typ, "+", "."), strings.ReplaceAll(name, "+", ".")
	if typ == name {
		return true
	}
	head, args := mapping.GenericType(typ)
	wanted, wantedArgs := mapping.GenericType(name)
	return args == wantedArgs && keywordTypes()[wanted] == "" && (head == wanted || strings.HasSuffix(head, "."+wanted))
}

// arrayBases are the base types of every array, which cannot be asked for its type.
var arrayBases = []string{"System.Array", "System.Collections.IEnumerable", "System.Collections.ICollection",
	"System.Collections.IList", "System.ICloneable"}

// maxBases bounds how many base types are asked for.
const maxBases = 12

// isType reports whether a value is of a type. An error means that it cannot be decided.
func (v *View) isType(r rescue, a answer, name string) (yes bool, why string, err error) {
	typ := strings.TrimSuffix(a.body.Type, "?")
	name = strings.TrimSuffix(name, "?")
	part := strings.TrimSpace(a.text)
	switch {
	case a.body.Result == "null":
		return false, "", nil
	case name == "object" || name == "System.Object" || name == "Object":
		return true, "", nil
	case isNamed(typ, name):
		return true, part + " is a " + typ, nil
	case keywordTypes()[name] != "", keywordTypes()[typ] != "" && typ != "object" && strings.HasSuffix(name, "]"):
		// no type derives from these
		return false, part + " is a " + typ, nil
	}
	unknown := func(reason string) (bool, string, error) {
		return false, "", r.failed("whether %s (%s) is a %s cannot be told: %s", part, typ, name, reason)
	}
	head, args := mapping.GenericType(name)
	of := a.expr() + ".GetType()"
	if full := keywordTypes()[typ]; full != "" { // a string cannot be asked for its type
		of = `System.Type.GetType("` + full + `")`
	}
	_, _, array := mapping.ArrayText(a.body.Result)
	switch {
	case array && slices.ContainsFunc(arrayBases, func(base string) bool { return isNamed(base, name) }):
		return true, part + " is a " + typ, nil
	case v.NoCalls:
		return unknown("asking for its base types is a call, which is not allowed here")
	case part == "" || array || strings.HasSuffix(name, "]"):
		return unknown("netcoredbg does not say")
	}
	at := of
	for range maxBases {
		body, err := v.again(at+".FullName", r)
		full := strings.Trim(body.Result, `"`)
		if err != nil || body.Type != "string" || full == "" {
			return unknown("netcoredbg does not say")
		}
		base, _, generic := strings.Cut(full, "`")
		if isNamed(base, head) {
			if generic || args != "" {
				return unknown("it has type arguments")
			}
			return true, part + " is a " + typ + ", which is a " + full, nil
		}
		if full == "System.Object" {
			return v.implements(r, of, part, typ, name)
		}
		at += ".BaseType"
	}
	return unknown("it has too many base types")
}

// implements reports whether a type has an interface of that name. A name that no type has is an error.
func (v *View) implements(r rescue, of, part, typ, name string) (bool, string, error) {
	head, args := mapping.GenericType(name)
	clr := head
	if args != "" {
		clr = fmt.Sprintf("%s`%d", head, len(mapping.TypeArguments(args)))
	}
	body, err := v.valueOf(of+`.GetInterface("`+clr+`")`, r)
	switch {
	case err != nil:
		return false, "", err
	case body.Result != "null" && args != "":
		return false, "", r.failed("whether %s (%s) is a %s cannot be told: it is a %s of some arguments", part, typ,
			name, head)
	case body.Result != "null":
		return true, part + " is a " + typ + ", which has the interface " + name, nil
	}
	for _, space := range spacesOf(typ, v.Here.Name) {
		body, err := v.again(`System.Type.GetType("`+space+clr+`")`, r)
		if err == nil && body.Result != "null" {
			return false, part + " is a " + typ + ", which is no " + space + name, nil
		}
	}
	return false, "", r.failed("whether %s (%s) is a %s cannot be told: netcoredbg finds no type of that name; write "+
		"it with its namespace", part, typ, name)
}

// spacesOf returns the namespaces in which a name may be meant that is used in a method on a value of some type, the
// likely ones first.
func spacesOf(typ, method string) []string {
	method, _, _ = strings.Cut(method, "(")
	out, nested := []string{""}, []string(nil)
	for _, full := range []string{typ, method} {
		full, _ = mapping.GenericType(full)
		for at := strings.LastIndexByte(full, '.'); at > 0 && len(out) < 6; at = strings.LastIndexByte(full, '.') {
			full = full[:at]
			if !slices.Contains(out, full+".") {
				out, nested = append(out, full+"."), append(nested, full+"+")
			}
		}
	}
	return append(append(out, "System.", "System.Collections.", "System.Collections.Generic.", "System.IO."), nested...)
}
