package adapter

import (
	"breakwire/adapter/inspect"
	"breakwire/dapclient"

	"github.com/google/go-dap"
)

func aheadOf(thread int, r reply) inspect.StackAhead {
	if r.err != nil {
		return inspect.StackAhead{}
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](r.m)
	if err != nil {
		return inspect.StackAhead{}
	}
	return inspect.NewStackAhead(thread, body)
}

func frameOf(r reply) *dap.StackFrame {
	if r.err != nil {
		return nil
	}
	return dapclient.DecodeTopFrame(r.m)
}

// stackOf returns the frames and the depth of a stack.
func stackOf(r reply) ([]dap.StackFrame, int) {
	if r.err != nil {
		return nil, 0
	}
	body, err := dapclient.DecodeBody[dap.StackTraceResponseBody](r.m)
	if err != nil || len(body.StackFrames) == 0 {
		return nil, 0
	}
	return body.StackFrames, max(len(body.StackFrames), body.TotalFrames)
}

// topOf returns the top frame, nil for an empty stack, and the depth.
func topOf(r reply) (*dap.StackFrame, int) {
	frames, depth := stackOf(r)
	if len(frames) == 0 {
		return nil, 0
	}
	return &frames[0], depth
}
