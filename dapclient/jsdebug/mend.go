package jsdebug

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Some of what js-debug asks of the inspector does harm. The relay changes it on the way.

// passMended copies what js-debug says, until the end.
func passMended(to io.Writer, from *bufio.Reader) error {
	for {
		raw, text, err := readMessage(from)
		if err != nil {
			return err
		}
		if other := mended(text); other != nil {
			raw = maskedText(other)
		}
		if _, err := to.Write(raw); err != nil {
			return err
		}
	}
}

var (
	wasmPatch  = []byte(`WebAssembly[e]=function`) // in the script that stops where WebAssembly is loaded
	memberTest = []byte(`Object.keys(this)`)       // in the function that looks for members with a text of their own
	noGetters  = []byte(`Object.keys(this).filter(k=>!Object.getOwnPropertyDescriptor(this,k)?.get)`)
)

// mended returns what the inspector gets instead of a message, nil when it gets the message.
//
// With breakpoints, js-debug evaluates a script in each context, also in those of node:vm that are gone: node 20 ends
// by SIGSEGV (v8::Context::Enter; ts-node has such contexts). A program's own context is the first one.
//
// js-debug lists an object by a function that runs its getters. One that does not return would hold the program, which
// nothing could interrupt then.
func mended(text []byte) []byte {
	switch {
	case bytes.Contains(text, wasmPatch):
		var m struct {
			ID     int `json:"id"`
			Params struct {
				ContextID int `json:"contextId"`
			} `json:"params"`
		}
		if json.Unmarshal(text, &m) == nil && m.Params.ContextID != 1 {
			return fmt.Appendf(nil, `{"id":%d,"method":"Runtime.evaluate","params":{"expression":"0"}}`, m.ID)
		}
	case bytes.Contains(text, memberTest) && bytes.Contains(text, []byte(`<<indescribable>>`)):
		return bytes.ReplaceAll(text, memberTest, noGetters)
	}
	return nil
}
