package adapter

import (
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/assert"

	"breakwire/mapping/expression"
)

func TestComparedValues(t *testing.T) {
	type body = dap.EvaluateResponseBody
	for _, tt := range []struct {
		left  body
		op    string
		right body
		want  string
	}{
		{body{Result: "null", Type: "App.Node"}, "==", body{Result: "null"}, "true"},
		{body{Result: "null", Type: "App.Node"}, "==", body{Result: `"null"`, Type: "string"}, "false"},
		{body{Result: "null", Type: "int?"}, "!=", body{Result: "1", Type: "int"}, "true"},
		{body{Result: "null", Type: "int?"}, ">=", body{Result: "null", Type: "int?"}, "false"},
		{body{Result: "-7", Type: "int?"}, "<", body{Result: "-5000000000", Type: "long"}, "(-7) < (-5000000000L)"},
		{body{Result: "true", Type: "bool?"}, "==", body{Result: "true", Type: "bool"}, "true == true"},
		{body{Result: "39 '\\''", Type: "char?"}, "==", body{Result: "120 'x'", Type: "char"}, `'\'' == 'x'`},
		{body{Result: "-nan", Type: "double?"}, "==", body{Result: "-inf", Type: "double"}, "(0.0 / 0.0) == (-1.0 / 0.0)"},
		{body{Result: "1.5", Type: "decimal?"}, "!=", body{Result: "2", Type: "int"}, "1.5m != 2"},
		{body{Result: "Green", Type: "App.Color?"}, "==", body{Result: "Green", Type: "App.Color"}, "true"},
		{body{Result: "Green", Type: "App.Color"}, "!=", body{Result: "Green", Type: "App.Color?"}, "false"},
		{body{Result: "Green", Type: "App.Color?"}, ">", body{Result: "Red", Type: "App.Color"}, ""},
		{body{Result: "Green", Type: "App.Color?"}, "==", body{Result: "Green", Type: "App.Other"}, ""},
		{body{Result: "{System.DateTime}", Type: "System.DateTime?"}, "==", body{Result: "{System.DateTime}", Type: "System.DateTime"}, ""},
		{body{Result: "1", Type: "int"}, "==", body{Result: "2", Type: "int"}, ""},
	} {
		got := comparedValues(expression.Comparison{Op: tt.op}, tt.left, tt.right)
		assert.Equal(t, tt.want, got, "%v %s %v", tt.left, tt.op, tt.right)
	}
}
