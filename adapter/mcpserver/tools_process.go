package mcpserver

import (
	"context"
	"regexp"

	"breakwire/adapter"
	"breakwire/adapter/fault"
	"breakwire/adapter/mcpserver/toolargs"
)

type outputArgs struct {
	Session  string `arg:"session_id"`
	Stream   string `arg:"stream" default:"both" enum:"both,stdout,stderr"`
	AfterSeq uint64 `arg:"after_seq" default:"0" alias:"afterSeq"`
	Tail     int    `arg:"tail_lines" min:"1" max:"10000"`
	Pattern  string `arg:"pattern"`
	MaxBytes int    `arg:"max_bytes" default:"16384" min:"1" max:"1048576"`
}

func (outputArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"after_seq":  "lastSeq of the answer before",
		"tail_lines": "Instead: the last lines of each stream",
		"pattern":    "Only lines that match (RE2)",
	}
}

func (s *Server) addProcessTools() {
	addTool(s.mcp, Tool{
		Name: "process_read_output", Title: "Read the program's output", ReadOnly: true, Idempotent: true,
		Description: "What the launched program wrote to stdout and stderr, oldest first; also after its end.",
	}, s.output)
	addTool(s.mcp, Tool{
		Name: "process_write_input", Title: "Write to the program's input", Destructive: true,
		Description: "Writes to the standard input of a launched program.",
	}, s.input)
}

// chunkBytes is the length of a chunk of output without its text.
const chunkBytes = 64

type inputArgs struct {
	Session string `arg:"session_id"`
	Data    string `arg:"data,required,long"`
	Close   bool   `arg:"close_after" default:"false"`
}

func (inputArgs) Docs() toolargs.Docs {
	return toolargs.Docs{
		"data":        "End a line with a newline",
		"close_after": "Then end the input",
	}
}

type inputResult struct {
	Written int  `json:"bytesWritten"`
	Closed  bool `json:"stdinClosed"`
}

func (s *Server) input(ctx context.Context, in inputArgs) (any, error) {
	session, err := s.manager.Session(in.Session)
	if err != nil {
		return nil, err
	}
	written, closed, err := session.WriteInput(ctx, in.Data, in.Close)
	if err != nil {
		return nil, err
	}
	return inputResult{written, closed}, nil
}

type outputResult struct {
	Output  []adapter.OutputChunk `json:"output,omitzero"` // an empty list is encoded too
	Stdout  *string               `json:"stdout,omitempty"`
	Stderr  *string               `json:"stderr,omitempty"`
	LastSeq uint64                `json:"lastSeq"`
	More    bool                  `json:"more"`
	Dropped uint64                `json:"dropped"`
}

func (s *Server) output(_ context.Context, in outputArgs) (any, error) {
	session, err := s.manager.Readable(in.Session)
	if err != nil {
		return nil, err
	}
	if session == nil {
		return nil, fault.Errorf(fault.NoSession, "no program has been debugged yet; start one with debug_launch")
	}
	q := adapter.OutputQuery{Stream: in.Stream, After: in.AfterSeq, Tail: in.Tail, MaxBytes: in.MaxBytes}
	if in.Pattern != "" {
		if q.Pattern, err = regexp.Compile(in.Pattern); err != nil {
			return nil, fault.Errorf(fault.InvalidParameter, "pattern: %v", err).With("parameter", "pattern")
		}
	}
	page := session.ReadOutput(q)
	for outputBytes(page) > answerBytes-keptBytes { // control characters are longer in an answer than in the output
		q.MaxBytes /= 2
		page = session.ReadOutput(q)
	}
	r := outputResult{Output: page.Chunks, LastSeq: page.Last, More: page.More, Dropped: page.Dropped}
	if in.Tail > 0 {
		if in.Stream != "stderr" {
			r.Stdout = &page.Stdout
		}
		if in.Stream != "stdout" {
			r.Stderr = &page.Stderr
		}
	}
	return r, nil
}

// outputBytes returns the largest length in bytes that a page can have on the wire.
func outputBytes(p adapter.OutputPage) int {
	n := textBytes(p.Stdout) + textBytes(p.Stderr)
	for _, c := range p.Chunks {
		n += textBytes(c.Text) + chunkBytes
	}
	return 3 * n // as structured content and as text, where each quote and each backslash is escaped again
}
