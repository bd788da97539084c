package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// figures are the numbers of one session. A look follows directly after a stop.
type figures struct {
	launch, cycle, look, both    float64 // ms; medians, but for launch
	launchCalls, launchBytes     int
	cycleCalls, lookCalls        float64
	cycleBytes, lookBytes        float64
	inSession, inSessionBytes    int
	floorLaunch                  float64
	floorCycle, floorLook, floor float64 // floor is a cycle with its look
}

// row is a server with one debugger.
type row struct {
	subject *subject
	program *program

	starts          []float64
	tools, listed   int
	resident        float64
	sessions        []figures
	failed, planned int
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (r *row) measureStarts(starts int) error {
	for n := range starts {
		c, took, err := connect(r.subject.command)
		if err != nil {
			return err
		}
		r.starts = append(r.starts, milliseconds(took))
		if n == 0 {
			if r.tools, r.listed, err = c.tools(); err == nil {
				time.Sleep(500 * time.Millisecond)
				r.resident = c.residentKB()
			}
		}
		c.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// measureSession measures the floor, the server and the floor again.
func (r *row) measureSession(o options) error {
	r.planned++
	before, err := floorSession(r.program, r.subject.builds, o)
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	f, err := r.session(o)
	if err != nil {
		return err
	}
	after, err := floorSession(r.program, r.subject.builds, o)
	if err != nil {
		return fmt.Errorf("floor: %w", err)
	}
	f.floorLaunch = (before.launch + after.launch) / 2
	f.floorCycle = (before.cycle + after.cycle) / 2
	f.floorLook = (before.look + after.look) / 2
	f.floor = (before.both + after.both) / 2
	r.sessions = append(r.sessions, f)
	return nil
}

func (r *row) session(o options) (f figures, err error) {
	c, _, err := connect(r.subject.command)
	if err != nil {
		return f, err
	}
	defer c.close()
	defer r.subject.end(c)
	c.calls, c.bytes = 0, 0
	began := time.Now()
	if err := r.subject.launch(c, r.program); err != nil {
		return f, fmt.Errorf("launch: %w", err)
	}
	f.launch, f.launchCalls, f.launchBytes = milliseconds(time.Since(began)), c.calls, c.bytes
	if f.inSession, f.inSessionBytes, err = c.tools(); err != nil {
		return f, err
	}
	if _, err := r.subject.look(c); err != nil { // netcoredbg's first evaluation loads a compiler
		return f, fmt.Errorf("look: %w", err)
	}
	from, err := passOf(r.subject.eval(c, "i"))
	if err != nil {
		return f, err
	}
	var calls, bytes [2]int
	count := func(which int, do func() error) (float64, error) {
		callsBefore, bytesBefore, began := c.calls, c.bytes, time.Now()
		err := do()
		took := milliseconds(time.Since(began))
		calls[which] += c.calls - callsBefore
		bytes[which] += c.bytes - bytesBefore
		return took, err
	}
	next := func() error { return r.subject.next(c, r.program) }
	look := func() error { _, err := r.subject.look(c); return err }
	err = timed(&f, o, func() (float64, error) {
		return count(0, next)
	}, func() (float64, error) { return count(1, look) })
	if err != nil {
		return f, err
	}
	all := float64(o.cycles + o.looks)
	f.cycleCalls, f.cycleBytes = float64(calls[0])/all, float64(bytes[0])/all
	f.lookCalls, f.lookBytes = float64(calls[1])/float64(o.looks), float64(bytes[1])/float64(o.looks)
	to, err := passOf(r.subject.eval(c, "i"))
	if err != nil {
		return f, err
	}
	if want := from + o.cycles + o.looks; to != want {
		return f, fmt.Errorf("i is %d, not %d: the continues were not one hit each", to, want)
	}
	return f, nil
}

func passOf(value string, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(value))
}

// timed measures cycles alone, then as many cycles as there are looks, each followed by a look.
func timed(f *figures, o options, next, look func() (float64, error)) error {
	var cycles, looks, both []float64
	for range o.cycles {
		took, err := next()
		if err != nil {
			return fmt.Errorf("continue: %w", err)
		}
		cycles = append(cycles, took)
	}
	for range o.looks {
		cycle, err := next()
		if err != nil {
			return fmt.Errorf("continue: %w", err)
		}
		looked, err := look()
		if err != nil {
			return fmt.Errorf("look: %w", err)
		}
		looks, both = append(looks, looked), append(both, cycle+looked)
	}
	f.cycle, f.look, f.both = median(cycles), median(looks), median(both)
	return nil
}

func floorSession(p *program, builds bool, o options) (f figures, err error) {
	began := time.Now()
	c, err := p.debug.start(p)
	if err != nil {
		return f, err
	}
	defer c.close()
	thread, err := c.launch(p, builds)
	if err != nil {
		return f, err
	}
	f.launch = milliseconds(time.Since(began))
	if err := c.look(thread); err != nil {
		return f, err
	}
	return f, timed(&f, o, func() (float64, error) {
		began := time.Now()
		thread, err = c.next(thread)
		return milliseconds(time.Since(began)), err
	}, func() (float64, error) {
		began := time.Now()
		err := c.look(thread)
		return milliseconds(time.Since(began)), err
	})
}
