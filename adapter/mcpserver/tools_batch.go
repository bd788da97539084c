package mcpserver

import (
	"context"
	"fmt"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

type triggerArgs struct {
	File string `arg:"file,required"`
	Line int    `arg:"line,required" min:"1"`
}

// experimentArgs is one experiment. Its place is trigger, or file and line in the same object.
type experimentArgs struct {
	Trigger   *triggerArgs `arg:"trigger"`
	File      string       `arg:"file,unlisted"`
	Line      int          `arg:"line,unlisted" min:"0"`
	Capture   []string     `arg:"capture"`
	Condition *string      `arg:"condition"`
	MaxHits   int          `arg:"max_hits" default:"1" min:"1" max:"1000" alias:"maxHits"`
	// of earlier servers; the program stands for its values in both
	Mode string `arg:"mode,unlisted" enum:"blocking,non_blocking"`
}

func (experimentArgs) Docs() toolargs.Docs { return toolargs.Docs{"capture": "Expressions"} }

type batchArgs struct {
	Session     string           `arg:"session_id"`
	Experiments []experimentArgs `arg:"experiments,required" min:"1" max:"20"`
	Timeout     int              `arg:"timeout_ms" default:"30000" min:"1" max:"600000" alias:"timeout"`
	EvalMode    string           `arg:"eval_mode" default:"safe" enum:"safe,full" alias:"evalMode"`
	MaxTotal    int              `arg:"max_total_hits" default:"500" min:"1" max:"10000" alias:"maxTotalHits"`
}

func (batchArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"eval_mode": "safe: no calls, assignments, creation"}
}

func (s *Server) addBatchTools() {
	addTool(s.mcp, Tool{
		Name: "batch_evaluate", Title: "Collect values at several places",
		Description: "Lets the program run, evaluates expressions at several places, returns when each had " +
			"max_hits, or at a stop, end or timeout. A paused program is paused again.",
	}, s.batchEvaluate)
}

func (s *Server) batchEvaluate(ctx context.Context, in batchArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	q := adapter.BatchQuery{Timeout: milliseconds(in.Timeout), MaxTotal: in.MaxTotal, Full: in.EvalMode == "full"}
	for i, e := range in.Experiments {
		if e.Trigger != nil {
			e.File, e.Line = e.Trigger.File, e.Trigger.Line
		}
		if e.File == "" || e.Line == 0 {
			return nil, fault.Errorf(fault.InvalidParameter,
				"experiment %d has no trigger: give {\"file\": ..., \"line\": ...}", i).
				With("parameter", fmt.Sprintf("experiments[%d].trigger", i))
		}
		x := adapter.Experiment{File: s.manager.File(e.File), Line: e.Line, Capture: e.Capture, MaxHits: e.MaxHits}
		if e.Condition != nil {
			if blank(*e.Condition) {
				return nil, fault.Errorf(fault.InvalidCondition,
					"condition of experiment %d is empty; leave it out for none", i).
					With("parameter", fmt.Sprintf("experiments[%d].condition", i))
			}
			x.Condition = *e.Condition
		}
		q.Experiments = append(q.Experiments, x)
	}
	defer stateProgress(ctx, q.Timeout, session)()
	r, err := session.Batch(ctx, q)
	if err != nil {
		return nil, err
	}
	if r.Stop != nil {
		callFrom(ctx).Carries(session.ID(), r.Stop.Seq)
	}
	return r, nil
}
