package mapping

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestJavaScriptText(t *testing.T) {
	for _, test := range []struct{ name, typ, value, want string }{
		{"a text stays", "string", "'a\n    at b'", "'a\n    at b'"},
		{"an array", "Array", "(3) [1, 2, 3]", "(3) [1, 2, 3]"},
		{"an error", "TypeError", "TypeError: no\n    at f (/a.js:1:2)\n    at g (/a.js:3:4)", "TypeError: no"},
		{"an error of two lines", "Error", "Error: a\nb\n    at f (/a.js:1:2)", "Error: a\nb"},
		{"an error of evaluate", "Error", `Error: a\nb\n    at f (/a.js:1:2)\n    at g (/a.js:1:2)`, `Error: a\nb`},
		{"an error of evaluate inside", "Promise", `Promise {[[PromiseState]]: 'rejected', [[PromiseResult]]: Error: ` +
			`nope\n    at run (/app/val…Object.<anonymous> (/app/values.j…, Symbol(async_id_symbol): 5}`,
			"Promise {<rejected>: Error: nope}"},
		{"an error with fields", "Error", "Error: outer\n    at run (/a.js:1:2)\n    at Function.executeUserEntryPoint " +
			"[as runMain] (node:internal/modules/run_main:164:12) {cause: TypeError: inner\n    at run (/a.js:1:2)}",
			"Error: outer"},
		{"an error of a method inside", "Object", "{e: Error: a\n    at Function.x [as run] (/a.js:1:2), n: 1}",
			"{e: Error: a, n: 1}"},
		{"errors in an array", "Array", "(2) [Error: e1\n    at run (/a.js:39:35)\n    at Obj…, " +
			"Error: e2\n    at run (/a.js]",
			"(2) [Error: e1, Error: e2]"},
		{"a date", "object", "Mon Nov 30 2026 02:02:03 GMT+0100 (Central European Standard Time)", "2026-11-30T01:02:03Z"},
		{"a date inside", "Account", "Account {when: Thu Jan 01 1970 00:00:00 GMT+0000 (Coordinated Universal Time), n: 1}",
			"Account {when: 1970-01-01T00:00:00Z, n: 1}"},
		{"no date", "object", "Invalid Date", "Invalid Date"},
		{"a regular expression", "object", "/a\\n    at b/gi", "/a\\n    at b/gi"},
		{"a Map", "Map", "Map(2) {size: 2, a => 1, b => {…}}", "Map(2) {a => 1, b => {…}}"},
		{"an empty Set", "Set", "Set(0) {size: 0}", "Set(0) {}"},
		{"bytes", "Uint8Array", "Uint8Array(2) [1, 2, buffer: ArrayBuffer(4), byteLength: 2, byteOffset: 0, length: 2, " +
			"Symbol(Symbol.toStringTag): 'Uint8Array']", "Uint8Array(2) [1, 2]"},
		{"no bytes", "Uint8Array", "Uint8Array(0) [buffer: ArrayBuffer(0), byteLength: 0, byteOffset: 0, length: 0, " +
			"Symbol(Symbol.toStringTag): 'Uint8Array']", "Uint8Array(0) []"},
		{"arguments", "Arguments", "Arguments(2) [1, 'b', callee: <accessor>, Symbol(Symbol.iterator): ƒ]",
			"Arguments(2) [1, 'b']"},
		{"a pending promise", "Promise", "Promise {[[PromiseState]]: 'pending', [[PromiseResult]]: undefined, " +
			"Symbol(async_id_symbol): 3, Symbol(trigger_async_id_symbol): 1}", "Promise {<pending>}"},
		{"a fulfilled promise", "Promise", "Promise {[[PromiseState]]: 'fulfilled', [[PromiseResult]]: {…}, " +
			"Symbol(async_id_symbol): 4, Symbol(trigger_async_id_symbol): 1}", "Promise {<fulfilled>: {…}}"},
		{"a rejected promise", "Promise", "Promise {[[PromiseState]]: 'rejected', [[PromiseResult]]: Error: nope\n" +
			"    at run (/app/val…Object.<anonymous> (/app/values.j…, Symbol(async_id_symbol): 5}",
			"Promise {<rejected>: Error: nope}"},
		{"an emitter", "EventEmitter", "EventEmitter {_events: {…}, _eventsCount: 0, Symbol(shapeMode): false, " +
			"Symbol(kCapture): false}", "EventEmitter {_events: {…}, _eventsCount: 0}"},
		{"a function", "Function", "ƒ tick(by = f(1), {a}) { counter += by; }", "ƒ tick(by = f(1), {a})"},
		{"a native function", "function", "ƒ ()", "ƒ ()"},
		{"a class", "Function", "class Account extends Base {\n  #secret = 42;\n}", "class Account extends Base"},
		{"a short arrow", "Function", "(x) => x + 1", "(x) => x + 1"},
		{"a long arrow", "Function", "(x) => {\n  return x;\n}", "(x) => …"},
	} {
		t.Run(test.name, func(t *testing.T) { require.Equal(t, test.want, JavaScriptText(test.value, test.typ)) })
	}
}

func TestJavaScriptTypes(t *testing.T) {
	for _, test := range []struct {
		value, typ, want string
		kind             CollectionKind
		count            int
	}{
		{"null", "object", "null", "", 0},
		{"Mon Nov 30 2026 01:02:03 GMT+0000 (Coordinated Universal Time)", "object", "Date", "", 0},
		{"Invalid Date", "object", "Date", "", 0},
		{"/a+/g", "object", "RegExp", "", 0},
		{"Object", "object", "object", "", 0},
		{"(3) [1, 2, 3]", "Array", "Array", List, 3},
		{"Array(100)", "Array", "Array", "", 0},
		{"Uint8Array(4) [1, 2, 3, 255]", "Uint8Array", "Uint8Array", Array, 4},
		{"Map(2) {size: 2, a => 1, b => 2}", "Map", "Map", Dictionary, 2},
		{"Map(0) {size: 0}", "Map", "Map", Dictionary, 0},
		{"Registry(1) {size: 1, a => 1}", "Registry", "Registry", Dictionary, 1},
		{"Set(1) {size: 1, 1}", "Set", "Set", Set, 1},
		{"ArrayBuffer(16) {byteLength: 16}", "ArrayBuffer", "ArrayBuffer", "", 0},
		{"Account {a: 1}", "Account", "Account", "", 0},
		{"'(3) [1]'", "string", "string", "", 0},
	} {
		t.Run(test.value, func(t *testing.T) {
			require.Equal(t, test.want, JavaScriptType(test.value, test.typ))
			kind, count := JavaScriptCollection(test.value, test.typ)
			require.Equal(t, test.kind, kind)
			require.Equal(t, test.count, count)
		})
	}
}
