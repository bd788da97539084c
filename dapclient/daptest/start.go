package daptest

import (
	"breakwire/dapclient"
	"breakwire/dapclient/internal/rawjson"
)

func (e *engine) initialize(m *dapclient.Message) {
	if e.shape.CapabilitiesEvent {
		e.a.wire.event("capabilities", []byte(`{"capabilities":`+e.caps+`}`))
	}
	if e.shape.Telemetry {
		for _, name := range []string{"ptvsd", "debugpy"} {
			e.a.wire.event("output", []byte(`{"category":"telemetry","output":"`+name+`","data":{"packageVersion":"1.6.3"}}`))
		}
	}
	e.a.wire.response(m, true, "", []byte(e.caps))
	e.initialized = true
	if e.shape.Initialized == InitializedAtOnce {
		e.initializedEvent()
	}
}

func (e *engine) initializedEvent() {
	if e.shape.Family == FamilyNetcoredbg {
		e.a.wire.event("initialized", []byte(`{}`))
		return
	}
	e.a.wire.event("initialized", nil)
}

func (e *engine) launchRequest(m *dapclient.Message) {
	if e.launch != nil {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	if e.prog.Path == "" {
		e.prog.Path = rawjson.String(m.Arguments, "program")
		if e.prog.Name == "" {
			e.prog.Name = e.prog.Path
		}
	}
	e.launch, e.attached = m, m.Name == "attach"
	e.remote = rawjson.String(m.Arguments, "outputMode") == "remote"
	e.entry = rawjson.Bool(m.Arguments, "stopAtEntry", rawjson.Bool(m.Arguments, "stopOnEntry", false)) ||
		rawjson.String(m.Arguments, "coreFile") != "" // in which nothing runs
	if e.shape.LazyLaunch {
		if e.configured { // the later of the two requests starts the program
			e.startWith(m)
			return
		}
		e.ok(m)
		return
	}
	if e.prog.LaunchError != "" {
		e.launch = nil
		e.fail(m, failure{why: whyLaunch, detail: e.prog.LaunchError})
		return
	}
	switch e.shape.Initialized {
	case InitializedAfterLaunchResponse:
		e.ok(m)
		e.processEvent()
		e.initializedEvent()
	case InitializedThenLaunchResponseLast:
		e.initializedEvent()
	case InitializedAtOnce:
		e.ok(m)
	default:
		e.processEvent()
		e.initializedEvent()
		e.ok(m)
	}
}

func (e *engine) configurationDone(m *dapclient.Message) {
	if e.configured {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	if e.launch == nil && !e.shape.LazyLaunch {
		e.fail(m, failure{why: whyUnspecified})
		return
	}
	e.configured = true
	switch {
	case e.launch == nil:
		e.ok(m)
	case e.shape.LazyLaunch:
		e.startWith(m)
	default:
		if e.shape.Family == FamilyDelve {
			e.a.wire.event("output", []byte(`{"category":"console","output":"Type 'dlv help' for list of commands.\n"}`))
		}
		e.ok(m)
		if e.shape.Initialized == InitializedThenLaunchResponseLast {
			e.ok(e.launch)
			e.processEvent()
		}
		e.begin()
	}
}

// startWith starts the program of a lazy launch and answers m, the later request.
func (e *engine) startWith(m *dapclient.Message) {
	if e.prog.LaunchError != "" {
		e.fail(m, failure{why: whyLaunch, detail: e.prog.LaunchError})
		return
	}
	e.processEvent()
	if e.attached { // measured: attach is answered after modules and threads
		e.a.started(true)
		e.loadModules()
		e.beginThreads()
		e.ok(m)
		e.goOn()
		return
	}
	e.ok(m)
	e.begin()
}

func (e *engine) disconnect(m *dapclient.Message) {
	kill := rawjson.Bool(m.Arguments, "terminateDebuggee", !e.attached)
	alive := e.state == stateRunning || e.state == stateStopped
	e.run++
	if kill {
		e.a.setFate(FateKilled)
	} else {
		e.a.setFate(FateDetached)
	}
	switch e.shape.Family {
	case FamilyNetcoredbg:
		switch {
		case alive && kill:
			e.exit(1)
		case alive || e.attached:
			e.terminated()
		}
		e.ok(m)
	case FamilyDelve:
		if alive && kill {
			e.output("console", "Detaching and terminating target process\n")
		} else {
			e.output("console", "Detaching\n")
		}
		e.ok(m)
		e.terminated()
	default:
		if alive && kill {
			e.exit(1)
		}
		e.ok(m)
	}
	e.state = stateEnded
	if !e.shape.StaysAfterDisconnect {
		e.a.wire.flush()
		e.a.Die()
	}
}
