package adapter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPlaceCommand(t *testing.T) {
	for _, test := range []struct {
		in   Place
		want string // "": refused
	}{
		{Place{Container: "shop_1.x-y"}, "docker exec -i shop_1.x-y sh -c x"},
		{Place{Pod: "shop-7d4b9c"}, "kubectl exec -i shop-7d4b9c -- sh -c x"},
		{Place{Pod: "web/shop:app"}, "kubectl exec -i -n web shop -c app -- sh -c x"},
		{Place{Pod: "web/shop"}, "kubectl exec -i -n web shop -- sh -c x"},
		{Place{Container: "-it"}, ""},
		{Place{Container: "a b"}, ""},
		{Place{Container: "a:b"}, ""},
		{Place{Pod: "--kubeconfig=x"}, ""},
		{Place{Pod: "a/-b"}, ""},
		{Place{Pod: "a/b/c"}, ""},
		{Place{Pod: "a", Container: "b"}, ""},
		{Place{Container: "a\n"}, ""},
	} {
		if err := test.in.check(); test.want == "" {
			require.Error(t, err, test.in)
			continue
		} else {
			require.NoError(t, err)
		}
		require.Equal(t, test.want, strings.Join(test.in.command("sh", "-c", "x"), " "))
	}
}

func TestPermissionsElsewhere(t *testing.T) {
	p := Permissions{Programs: []string{"docker:shop:/app/*.py", "pod:web/shop:/srv/**", "/app/**", "shop:/x"}}
	for _, test := range []struct {
		place, program string
		want           bool
	}{
		{"docker:shop", "/app/a.py", true},
		{"docker:shop", "/app/sub/a.py", false},
		{"docker:shop", "/srv/a", false},
		{"docker:shop", "/x", false},
		{"docker:shop2", "/app/a.py", false},
		{"docker:", "shop:/app/a.py", false},
		{"pod:web/shop", "/srv/a/b", true},
		{"pod:web/shop", "/srv", false},
		{"pod:shop", "/srv/a/b", false},
		{"docker:shop", "", false},
	} {
		require.Equal(t, test.want, p.namesAt(test.place, test.program), "%v", test)
	}
	require.False(t, p.names("/src/docker:shop:/app/a.py", true))
}
