package csharp

import "reflect"

// Walk visits a node and the nodes inside of it, from left to right. It leaves out what is inside of a node for which
// visit reports false.
func Walk(n Node, visit func(Node) bool) {
	if v := reflect.ValueOf(n); n != nil && !v.IsNil() && visit(n) {
		inside(v.Elem(), visit)
	}
}

var nodeType = reflect.TypeFor[Node]()

// inside walks over the nodes in a field.
func inside(v reflect.Value, visit func(Node) bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			inside(v.Field(i), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			inside(v.Index(i), visit)
		}
	case reflect.Interface, reflect.Pointer:
		if !v.IsNil() && v.Type().Implements(nodeType) {
			Walk(v.Interface().(Node), visit)
		}
	}
}
