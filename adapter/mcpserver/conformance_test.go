package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/stretchr/testify/require"

	"breakwire/adapter"
	"breakwire/fixtures"
)

// generic are the scenarios that do not need certain tools, prompts and resources; they run against the product.
var generic = []string{
	"server-initialize", "logging-set-level", "ping", "tools-list", "resources-list", "prompts-list",
	"server-sse-multiple-streams", "dns-rebinding-protection",
}

// TestConformanceOfTheProduct runs the MCP conformance suite's generic scenarios against breakwire.
func TestConformanceOfTheProduct(t *testing.T) {
	suite := fixtures.Conformance(t)
	m := adapter.NewManager(adapter.Options{})
	defer m.Close()
	url := serveLoopback(t, func(ctx context.Context, l net.Listener) error {
		return New(m, Options{Version: "test"}).ServeHTTP(ctx, l, HTTPOptions{})
	})
	for _, scenario := range generic {
		t.Run(scenario, func(t *testing.T) { conform(t, suite, url, "--scenario", scenario) })
	}
}

// TestConformanceOfTheTransport runs the whole suite on the product's transport, against a server with the tools,
// prompts and resources that the suite needs. A file lists the expected failures with their reasons. An expected
// failure that passes fails the test.
func TestConformanceOfTheTransport(t *testing.T) {
	suite := fixtures.Conformance(t)
	s := everything()
	r := newRig()
	url := serveLoopback(t, func(ctx context.Context, l net.Listener) error {
		return NewHTTP(HTTPOptions{Server: s, Journal: r.journal, session: asking}).Serve(ctx, l)
	})
	failures, err := filepath.Abs(filepath.Join(fixtures.Root(), "tools", "conformance", "expected-failures.yaml"))
	require.NoError(t, err)
	conform(t, suite, url, "--suite", "all", "--expected-failures", failures)
}

func serveLoopback(t *testing.T, serve func(context.Context, net.Listener) error) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, await(t, served))
	})
	return "http://" + l.Addr().String() + HTTPPath
}

func conform(t *testing.T, suite []string, url string, args ...string) {
	t.Helper()
	args = append([]string{suite[1], "server", "--url", url}, args...)
	cmd := exec.CommandContext(t.Context(), suite[0], args...)
	cmd.Dir = t.TempDir() // where it writes its results
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", text)
	require.NotContains(t, string(text), "Cannot find", "%s", text)
	t.Logf("%s", text)
}

// asker lets a tool ask the client something on the stream of the tool's answer, through the library. The product
// does not use this.
type asker struct {
	*Client
	server.SessionWithElicitation
}

func asking(c *Client, library server.ClientSession) server.ClientSession {
	elicits, ok := library.(server.SessionWithElicitation)
	if !ok {
		return c
	}
	return &asker{c, elicits}
}

func (a *asker) Initialize()       { a.Client.Initialize() }
func (a *asker) Initialized() bool { return a.Client.Initialized() }
func (a *asker) SessionID() string { return a.Client.SessionID() }
func (a *asker) NotificationChannel() chan<- mcp.JSONRPCNotification {
	return a.Client.NotificationChannel()
}

// SubscribeToResourceErr accepts the suite's URIs, which are not breakwire's.
func (a *asker) SubscribeToResourceErr(uri string) error {
	a.SubscribeToResource(uri)
	return nil
}

const (
	pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	sound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

// everything is a server with all that the suite needs.
func everything() *server.MCPServer {
	hooks := &server.Hooks{}
	s := server.NewMCPServer("everything", "1", server.WithToolCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithLogging(), server.WithCompletions(), server.WithElicitation(),
		server.WithHooks(hooks),
		server.WithPromptCompletionProvider(noCompletion{}))
	addContentTools(s)
	addTalkingTools(s)
	s.AddResource(mcp.NewResource("test://static-text", "text", mcp.WithMIMEType("text/plain")),
		contents(mcp.TextResourceContents{
			URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}))
	s.AddResource(mcp.NewResource("test://static-binary", "binary", mcp.WithMIMEType("image/png")),
		contents(mcp.BlobResourceContents{
			URI: "test://static-binary", MIMEType: "image/png", Blob: pixel}))
	s.AddResource(mcp.NewResource("debugger://session", "session"),
		contents(mcp.TextResourceContents{URI: "debugger://session", Text: "{}"}))
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.Split(r.Params.URI, "/")[3]
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}}, nil
		})
	addTestPrompts(s)
	return s
}

type noCompletion struct{}

func (noCompletion) CompletePromptArgument(context.Context, string, mcp.CompleteArgument,
	mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{}}, nil
}

func contents(c mcp.ResourceContents) server.ResourceHandlerFunc {
	return func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		return []mcp.ResourceContents{c}, nil
	}
}

func addContentTools(s *server.MCPServer) {
	answer := func(name string, content ...mcp.Content) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription(name)),
			func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: content}, nil
			})
	}
	image := mcp.NewImageContent(pixel, "image/png")
	answer("test_simple_text", mcp.NewTextContent("This is a simple text response for testing."))
	answer("test_image_content", image)
	answer("test_audio_content", mcp.NewAudioContent(sound, "audio/wav"))
	answer("test_embedded_resource", mcp.NewEmbeddedResource(mcp.TextResourceContents{
		URI: "test://embedded-resource", MIMEType: "text/plain", Text: "This is an embedded resource content."}))
	answer("test_multiple_content_types", mcp.NewTextContent("Multiple content types test:"), image,
		mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: "test://mixed-content-resource",
			MIMEType: "application/json", Text: `{"test":"data","value":123}`}))
	s.AddTool(mcp.NewTool("test_error_handling", mcp.WithDescription("Fails")),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		})
	s.AddTool(mcp.NewToolWithRawSchema("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
		json.RawMessage(`{
		"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`)),
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("ok"), nil
		})
}

// addTalkingTools adds the tools that send or ask something while they run.
func addTalkingTools(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("test_tool_with_logging", mcp.WithDescription("Logs")),
		func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var errs []error
			for _, text := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				errs = append(errs,
					s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "test", text)))
			}
			return mcp.NewToolResultText("logged"), errors.Join(errs...)
		})
	s.AddTool(mcp.NewTool("test_tool_with_progress", mcp.WithDescription("Says progress")),
		func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			c := callFrom(ctx)
			for _, percent := range []int{0, 50, 100} {
				if token := c.token(); token != nil {
					c.notify("notifications/progress",
						fmt.Appendf(nil, `{"progressToken":%s,"progress":%d,"total":100}`, token, percent))
				}
			}
			return mcp.NewToolResultText("done"), nil
		})
	elicit := func(name, schema string) {
		s.AddTool(mcp.NewTool(name, mcp.WithDescription("Asks the user")),
			func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				got, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
					Message: r.GetString("message", "Please answer"), RequestedSchema: json.RawMessage(schema),
				}})
				if err != nil {
					return nil, err
				}
				content, err := json.Marshal(got.Content)
				return mcp.NewToolResultText(fmt.Sprintf("Elicitation completed: action=%s, content=%s", got.Action, content)), err
			})
	}
	elicit("test_elicitation",
		`{"type":"object","properties":{"username":{"type":"string","description":"User's response"},
		"email":{"type":"string","description":"User's email address"}},"required":["username","email"]}`)
	elicit("test_elicitation_sep1034_defaults",
		`{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},
		"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},
		"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","default":true}}}`)
	elicit("test_elicitation_sep1330_enums", `{"type":"object","properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},
			{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},
			{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`)
}

func addTestPrompts(s *server.MCPServer) {
	prompt := func(p mcp.Prompt, content func(args map[string]string) []mcp.Content) {
		s.AddPrompt(p, func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			result := &mcp.GetPromptResult{}
			for _, c := range content(r.Params.Arguments) {
				result.Messages = append(result.Messages, mcp.NewPromptMessage(mcp.RoleUser, c))
			}
			return result, nil
		})
	}
	prompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("Simple")),
		func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent("This is a simple prompt for testing.")}
		})
	prompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("With arguments"),
		mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
		func(args map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'",
				args["arg1"], args["arg2"]))}
		})
	prompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("With a resource"),
		mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
		func(args map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: args["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing."}),
				mcp.NewTextContent("Please process the embedded resource above.")}
		})
	prompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("With an image")),
		func(map[string]string) []mcp.Content {
			return []mcp.Content{mcp.NewImageContent(pixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")}
		})
}
