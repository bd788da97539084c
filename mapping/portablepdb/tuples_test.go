package portablepdb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The compiler's own symbols name the elements of tuples, of each variable in its method.
func TestTupleNames(t *testing.T) {
	const shop, source = "../../adapter/mcpserver/testdata/expressions/Shop/Shop.dll", "/src/Shop/Program.cs"
	pdb, err := FromModule(shop)
	require.NoError(t, err)
	assert.Equal(t, []string{"Id", "Name"}, pdb.TupleNames(source, 231, "pair"))
	assert.Equal(t, []string{"A", "B", "C"}, pdb.TupleNames(source, 231, "triple"))
	for _, none := range []struct {
		document string
		line     int
		variable string
	}{{source, 231, "point"}, {source, 231, "Pair"}, {source, 250, "pair"}, {source, 1, "pair"},
		{"Program.cs", 231, "pair"}} {
		assert.Nil(t, pdb.TupleNames(none.document, none.line, none.variable), "%v", none)
	}
}
