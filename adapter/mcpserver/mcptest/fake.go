package mcptest

import (
	"context"
	"io"
	"sync"
	"testing"

	"breakwire/adapter"
	"breakwire/dapclient"
	"breakwire/dapclient/daptest"
)

// Fakes creates a new fake adapter of one shape for each session.
type Fakes struct {
	tb      testing.TB
	shape   daptest.Shape
	program daptest.Program
	setup   []func(*daptest.Adapter)

	mu   sync.Mutex
	made []*daptest.Adapter
}

// Fake returns a manager whose only backend is a fake adapter of this shape. setup is called for each adapter before
// it is used.
func Fake(tb testing.TB, profile string, shape daptest.Shape, program daptest.Program,
	setup ...func(*daptest.Adapter)) (*adapter.Manager, *Fakes) {
	f := &Fakes{tb: tb, shape: shape, program: program, setup: setup}
	m := adapter.NewManager(adapter.Options{Backends: f.Backends(profile)})
	return m, f
}

// Backends returns the options of a manager that uses the fakes with a built-in profile.
func (f *Fakes) Backends(profile string) adapter.BackendOptions {
	p := dapclient.ProfileByName(profile)
	if p == nil {
		p = dapclient.Generic(profile)
	}
	all := *p
	all.Sources = nil // the programs of all fakes are in the same file
	p = &all
	return adapter.BackendOptions{
		Default: "fake",
		Custom:  map[string]adapter.Backend{"fake": {Profile: p, Open: f.open}},
	}
}

func (f *Fakes) open(context.Context, adapter.Opening) (io.ReadWriteCloser, *dapclient.Process, error) {
	a := daptest.New(f.tb, f.shape, f.program)
	for _, s := range f.setup {
		s(a)
	}
	f.mu.Lock()
	f.made = append(f.made, a)
	f.mu.Unlock()
	return a.Stream(), nil, nil
}

// Last returns the adapter of the newest session.
func (f *Fakes) Last() *daptest.Adapter {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.made) == 0 {
		f.tb.Fatalf("no session has been started")
	}
	return f.made[len(f.made)-1]
}
