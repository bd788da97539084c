package toolargs

import (
	"encoding/json"
	"reflect"
	"testing"
)

// The input schemas of thirty tools with eighteen parameters each, as at every start.
func BenchmarkSchema(b *testing.B) {
	for b.Loop() {
		for range 30 {
			compiled.Clear()
			Schema(reflect.TypeFor[allArgs]())
		}
	}
}

func BenchmarkBind(b *testing.B) {
	raw := json.RawMessage(`{"session_id":"s1","file":"/src/Program.cs","count":12,"thread_id":7}`)
	b.ReportAllocs()
	for b.Loop() {
		var a allArgs
		if err := Bind(raw, &a); err != nil {
			b.Fatal(err)
		}
	}
}
