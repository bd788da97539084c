package mcpserver

import "context"

// textReaders are the clients whose models are given the text of a result and never its structured content, by their
// name in initialize. Only clients whose source was read are here (docs/clients.md).
var textReaders = map[string]bool{"Zed": true, "gemini-cli-mcp-client": true, "continue-client": true}

// readsTextOnly reports whether a client has no use for structured content. It is listed no output schemas then: MCP
// wants structured content where one is listed. Any other client gets both, with the same content.
func readsTextOnly(name string) bool { return textReaders[name] }

// textOnly is readsTextOnly of the client that sent a request.
func textOnly(ctx context.Context) bool {
	c := clientFrom(ctx)
	return c != nil && readsTextOnly(c.GetClientInfo().Name)
}
