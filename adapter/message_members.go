package adapter

import (
	"breakwire/adapter/inspect"
	"breakwire/dapclient"
	"breakwire/mapping"

	"github.com/google/go-dap"
)

// fetchMembers replaces values of messages that are only a type and an address by their members, with one more question
// for each.
func (s *Session) fetchMembers(t *turn, r *round) bool {
	if s.profile.Language != dapclient.C {
		return true
	}
	var questions []question
	var opaque []*reply
	for _, h := range r.hits {
		for i := range h.values {
			if h.values[i].err != nil || h.values[i].m == nil {
				continue
			}
			body := h.values[i].evaluation()
			if body.VariablesReference > 0 && mapping.Opaque(body.Result, body.Type) {
				questions = append(questions, question{"variables", inspect.FirstMembers(body.VariablesReference)})
				opaque = append(opaque, &h.values[i])
			}
		}
	}
	if len(questions) == 0 {
		return true
	}
	replies, ok := t.ask(limits{total: s.manager.opts.TraceTimeout, each: valueEach}, questions...)
	if !ok {
		return false
	}
	for i, reply := range replies {
		if reply.err != nil {
			continue
		}
		kids, err := dapclient.DecodeBody[dap.VariablesResponseBody](reply.m)
		if err != nil {
			continue
		}
		var list []mapping.Member
		for _, kid := range kids.Variables[:min(len(kids.Variables), inspect.MemberCount)] {
			value := mapping.WithoutAddress(kid.Value)
			if mapping.Opaque(value, kid.Type) {
				value = "{...}"
			}
			list = append(list, mapping.Member{Name: kid.Name, Value: value})
		}
		body := opaque[i].evaluation()
		body.Result = mapping.Members(list, len(kids.Variables) > inspect.MemberCount, inspect.MemberBytes)
		opaque[i].value = &body
	}
	return true
}
