package mcpserver

import (
	"context"

	"breakwire/adapter/inspect"
	"breakwire/adapter/mcpserver/toolargs"
)

type snapshotCreateArgs struct {
	Session string `arg:"session_id"`
	Label   string `arg:"label" max:"200"`
	Thread  int    `arg:"thread_id" min:"0"`
	Frame   *int   `arg:"frame_index" min:"0"`
	Depth   int    `arg:"depth" default:"0" min:"0" max:"10"`
}

func (snapshotCreateArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"depth": "Levels of children taken too"}
}

type snapshotDiffArgs struct {
	A     string `arg:"snapshot_id_1,required"`
	B     string `arg:"snapshot_id_2,required"`
	Start int    `arg:"start" default:"0" min:"0"`
}

func (snapshotDiffArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"start": "nextStart of the answer before"}
}

type snapshotListArgs struct {
	ID    string `arg:"snapshot_id"`
	Start int    `arg:"start" default:"0" min:"0"`
}

func (snapshotListArgs) Docs() toolargs.Docs {
	return toolargs.Docs{"snapshot_id": "The values of this one"}
}

type snapshotDeleteArgs struct {
	ID string `arg:"snapshot_id"`
}

func (snapshotDeleteArgs) Docs() toolargs.Docs { return toolargs.Docs{"snapshot_id": "Default all"} }

func (s *Server) addSnapshotTools() {
	addTool(s.mcp, Tool{
		Name: "snapshot_create", Title: "Take a snapshot of variables",
		Description: "Keeps the variables of a frame, to compare them later, also with another run.",
	}, s.snapshotCreate)
	addTool(s.mcp, Tool{
		Name: "snapshot_diff", Title: "Compare two snapshots", ReadOnly: true, Idempotent: true,
		Description: "What differs in the second snapshot, by path: modified, added, removed values.",
	}, s.snapshotDiff)
	addTool(s.mcp, Tool{
		Name: "snapshot_list", Title: "List snapshots", ReadOnly: true, Idempotent: true,
		Description: "All snapshots, or the values of one.",
	}, s.snapshotList)
	addTool(s.mcp, Tool{
		Name: "snapshot_delete", Title: "Delete snapshots", Destructive: true, Idempotent: true,
		Description: "Deletes one snapshot, or all.",
	}, s.snapshotDelete)
}

type snapshotResult struct {
	Snapshot *inspect.Capture `json:"snapshot"`
}

func (s *Server) snapshotCreate(ctx context.Context, in snapshotCreateArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	c, err := session.Capture(ctx, inspect.CaptureQuery{Label: in.Label, Thread: in.Thread, Frame: frameIndex(in.Frame),
		Depth: in.Depth})
	if err != nil {
		return nil, err
	}
	return snapshotResult{c}, nil
}

type snapshotDiffResult struct {
	Diff *inspect.CaptureDiff `json:"diff"`
}

func (s *Server) snapshotDiff(_ context.Context, in snapshotDiffArgs) (any, error) {
	d, err := s.manager.DiffCaptures(in.A, in.B, in.Start)
	if err != nil {
		return nil, err
	}
	return snapshotDiffResult{d}, nil
}

type snapshotListResult struct {
	Snapshots []*inspect.Capture `json:"snapshots"`
	Count     int                `json:"count"`
	Variables []inspect.Variable `json:"variables,omitempty"`
	NextStart int                `json:"nextStart,omitempty"`
}

func (s *Server) snapshotList(_ context.Context, in snapshotListArgs) (any, error) {
	if in.ID == "" {
		all := append([]*inspect.Capture{}, s.manager.Captures()...)
		return snapshotListResult{Snapshots: all, Count: len(all)}, nil
	}
	c, values, next, err := s.manager.CapturedValues(in.ID, in.Start)
	if err != nil {
		return nil, err
	}
	return snapshotListResult{[]*inspect.Capture{c}, 1, values, next}, nil
}

type snapshotDeleteResult struct {
	Deleted   string `json:"deleted"` // the id, or "all"
	Remaining int    `json:"remaining"`
}

func (s *Server) snapshotDelete(_ context.Context, in snapshotDeleteArgs) (any, error) {
	remaining, err := s.manager.DeleteCaptures(in.ID)
	if err != nil {
		return nil, err
	}
	if in.ID == "" {
		in.ID = "all"
	}
	return snapshotDeleteResult{in.ID, remaining}, nil
}
