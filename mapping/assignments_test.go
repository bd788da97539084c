package mapping

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each line of the source says at its end whether it assigns: the mark is a comment.
func TestAssignments(t *testing.T) {
	for _, x := range []struct{ name, expression, mark, source string }{
		{"C#", "total", "//!", `int total = 0; //!
if (total == 3) Use(total);
total += 2; //!
this.total = total + 1; //!
subtotal = 4;
total++; //!
--total; //!
Parse("5", out total); //!
Func<int> total => 3;
var text = "total = 3";
// total = 3
/* total = 4
   total = 5 */
items[total] = 1;
(first, total) = Pair(); //!`},
		{"C# member", "order.Total", "//!", `Total = 3; //!
order.Total -= 2; //!
order.Totals = 3;
if (order.Total >= 3) { }`},
		{"Go", "n", "//!", `n := 3 //!
for i, n := range list { //!
n, err = read() //!
if n <= 3 || n != 2 {
text := "n = 2"
raw := ` + "`n = 3`" + `
b.n++ //!`},
		{"C", "p->count", "//!", `p->count = 3; //!
p->count[2] |= 1; //!
++p->count; //!
if (p->count == 2) use(&p->count);`},
		{"Python", "total", "#!", `total = 0 #!
total: int = 3 #!
self.total = 5
for total in range(3): #!
print(total == 3, total)
call(total=3)
"""
total = 4
"""
a, total = pair() #!
with open(p) as total: #!
x = [i for total in xs] #!`},
		{"Python member", "self.total", "#!", `self.total += 3 #!
other.total = 2 #!
total = 2
self.totals = 4
self.total[2] = 4 #!`},
		{"no name", "1 + 2", "#!", "x = 1 + 2"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var want []int
			for i, line := range strings.Split(x.source, "\n") {
				if strings.HasSuffix(line, x.mark) {
					want = append(want, i+1)
				}
			}
			require.Equal(t, want, Assignments(x.source, x.expression, x.mark == "#!"))
		})
	}
}
