package inspect

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParentPath(t *testing.T) {
	for path, parent := range map[string]string{
		"x": "", "o.x": "o", "h->id": "h", "h->next->id": "h->next", "h->inner.v": "h->inner", "o.p->v": "o.p",
		"h->name[0]": "h->name", "h->at[1].v": "h->at[1]", "[0]": "", "*p": "",
	} {
		assert.Equal(t, parent, parentPath(path), path)
	}
}
