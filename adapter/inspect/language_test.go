package inspect

import "testing"

func TestAbout(t *testing.T) {
	for _, tc := range [][3]string{
		{"nosuch", "name 'nosuch' is not defined", "name 'nosuch' is not defined"},
		{"nosuch", "nosuch", "nosuch"},
		{"such", "name 'nosuch' is not defined", "such: name 'nosuch' is not defined"},
		{"a", "not a number", "a: not a number"},
		{"1 / zero", "division by zero", "1 / zero: division by zero"},
	} {
		if got := About(tc[0], tc[1]); got != tc[2] {
			t.Errorf("About(%q, %q) = %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}
