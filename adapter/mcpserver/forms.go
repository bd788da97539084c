package mcpserver

import "context"

// readsTextOnly reports whether a client, by its name in initialize, gives its model the text of a result and never its
// structured content. It is listed no output schemas then: MCP wants structured content where one is listed. Any other
// client gets both, with the same content. Only clients whose source was read are here (docs/clients.md).
func readsTextOnly(name string) bool {
	switch name {
	case "Zed", "gemini-cli-mcp-client", "continue-client":
		return true
	}
	return false
}

// textOnly is readsTextOnly of the client that sent a request.
func textOnly(ctx context.Context) bool {
	c := clientFrom(ctx)
	return c != nil && readsTextOnly(c.GetClientInfo().Name)
}
