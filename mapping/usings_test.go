package mapping

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUsedNames(t *testing.T) {
	source := []byte("\ufeffusing System;\r\nusing Shop.Model;\nglobal using Shop.Rules ;\nusing static Shop.Helpers;\n" +
		"using M = Shop.Money;\nnamespace Shop.Services\n{\n    using Inner;\n    // using Not.This;\n" +
		"    class A { void F() { using var x = y; using (z) { } } }\n}\n")
	assert.Equal(t, []string{"System.Status", "Shop.Model.Status", "Shop.Rules.Status", "Inner.Status"},
		UsedNames(source, "Status"))
	assert.Equal(t, []string{"System.M.Cents", "Shop.Model.M.Cents", "Shop.Rules.M.Cents", "Shop.Money.Cents",
		"Inner.M.Cents"}, UsedNames(source, "M.Cents"))
	assert.Contains(t, UsedNames(source, "M"), "Shop.Money")
	assert.Empty(t, UsedNames(nil, "A"))
}

func TestDeclaredType(t *testing.T) {
	source := []byte("class A {\n  void M(Customer customer, List<int> all, int[] some) {\n" +
		"    Vip vip = new Vip(9), other = null, last; Customer asCustomer = vip;\n var x = vip; string both; " +
		"object b1 = 42, b2 = \"a, b3 = \\\" ;\", b4 = f(1, b5), b6 = ';';\n" +
		"foreach (var e in vip) { int both; return vip; }\n }")
	for name, want := range map[string]string{"customer": "Customer", "all": "List<int>", "some": "int[]", "vip": "Vip",
		"other": "Vip", "last": "Vip", "b1": "object", "b2": "object", "b3": "", "b4": "object", "b5": "", "b6": "object",
		"asCustomer": "Customer", "x": "", "both": "", "none": ""} {
		assert.Equal(t, want, DeclaredType(source, name), name)
	}
}
