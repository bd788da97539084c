package dapclient

// realFrames are bodies as adapters sent them: netcoredbg 3.1.2, Delve 1.27.2, debugpy 1.6.6, lldb-dap 19.1.7.
var realFrames = []string{
	`{"body":{"allThreadsStopped":true,"reason":"breakpoint","threadId":3139},"event":"stopped","seq":"20",` +
		`"type":"event"}`,
	`{"seq":19,"event":"output","type":"event","body":{"category":"stdout","output":"start 30\n"}}`,
	`{"body":{"capabilities":{"exceptionBreakpointFilters":[{"filter":"user-unhandled","label":"user-unhandled"},` +
		`{"filter":"all","label":"all"}],"supportTerminateDebuggee":true,"supportsCancelRequest":true,` +
		`"supportsConditionalBreakpoints":true,"supportsConfigurationDoneRequest":true,` +
		`"supportsExceptionFilterOptions":true,"supportsExceptionInfoRequest":true,"supportsExceptionOptions":false,` +
		`"supportsFunctionBreakpoints":true,"supportsSetExpression":true,"supportsSetVariable":true,` +
		`"supportsTerminateRequest":true}},"event":"capabilities","seq":"1","type":"event"}`,
	`{"body":{"stackFrames":[{"column":17,"endColumn":33,"endLine":21,"id":0,"line":21,` +
		`"moduleId":"45079f98-b3c9-4fab-8d2a-9a12fd4bf0be","name":"LoopApp.Program.Main()",` +
		`"source":{"name":"Program.cs","path":"/src/LoopApp/Program.cs"}}],"totalFrames":1},"command":"stackTrace",` +
		`"request_seq":8,"seq":"22","success":true,"type":"response"}`,
	`{"body":{"allThreadsContinued":true,"threadId":3139},"command":"continue","request_seq":26,"seq":"41",` +
		`"success":true,"type":"response"}`,
	`{"command":"evaluate","message":"error: The name 'args.Length' does not exist in the current context",` +
		`"request_seq":19,"seq":"33","success":false,"type":"response"}`,
	`{"body":{"variables":[{"evaluateName":"args","name":"args","namedVariables":1,"type":"string[]",` +
		`"value":"{string[1]}","variablesReference":2},{"evaluateName":"n","name":"n","type":"int","value":"30",` +
		`"variablesReference":0},{"evaluateName":"sum","name":"sum","type":"int","value":"0","variablesReference":0},` +
		`{"evaluateName":"i","name":"i","type":"int","value":"0","variablesReference":0},{"evaluateName":"w",` +
		`"name":"w","type":"int","value":"0","variablesReference":0}]},"command":"variables","request_seq":11,` +
		`"seq":"25","success":true,"type":"response"}`,
	`{"seq":9,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1,"allThreadsStopped":true,` +
		`"hitBreakpointIds":[1]}}`,
	`{"seq":10,"type":"response","request_seq":6,"success":true,"command":"stackTrace",` +
		`"body":{"stackFrames":[{"id":1000,"name":"main.Work","source":{"name":"main.go","path":"/src/go/main.go"},` +
		`"line":12,"column":0,"instructionPointerReference":"0x4bfb2e"},{"id":1001,"name":"main.main",` +
		`"source":{"name":"main.go","path":"/src/go/main.go"},"line":27,"column":0,` +
		`"instructionPointerReference":"0x4bfd36"},{"id":1002,"name":"runtime.main","source":{"name":"proc.go",` +
		`"path":"/usr/local/go/src/runtime/proc.go"},"line":290,"column":0,"instructionPointerReference":"0x452727",` +
		`"presentationHint":"subtle"},{"id":1003,"name":"runtime.goexit","source":{"name":"asm_amd64.s",` +
		`"path":"/usr/local/go/src/runtime/asm_amd64.s"},"line":1771,"column":0,` +
		`"instructionPointerReference":"0x48a3a1","presentationHint":"subtle"}],"totalFrames":4}}`,
	`{"seq":18,"type":"response","request_seq":13,"success":false,"command":"evaluate","message":"Unable to evaluate ` +
		`expression","body":{"error":{"id":2009,"format":"Unable to evaluate expression: could not find symbol value ` +
		`for nosuchvar","showUser":false}}}`,
	`{"seq":13,"type":"event","event":"stopped","body":{"reason":"breakpoint","threadId":1,"preserveFocusHint":false,` +
		`"allThreadsStopped":true}}`,
	`{"seq":1,"type":"event","event":"output","body":{"category":"telemetry","output":"ptvsd",` +
		`"data":{"packageVersion":"1.6.3+git20221103.a2a3328"}}}`,
	`{"seq":17,"type":"response","request_seq":7,"success":true,"command":"evaluate","body":{"result":"0",` +
		`"variablesReference":0,"type":"int","presentationHint":{}}}`,
	`{"body":{"allThreadsStopped":true,"description":"breakpoint 1.1","hitBreakpointIds":[1],` +
		`"preserveFocusHint":false,"reason":"breakpoint","threadCausedFocus":true,"threadId":9048},"event":"stopped",` +
		`"seq":0,"type":"event"}`,
	`{"body":{"breakpoints":[{"column":12,"id":1,"instructionReference":"0x5555555551A0","line":8,` +
		`"source":{"name":"loop.c","path":"/src/c/loop.c"},"verified":true}]},"command":"setBreakpoints",` +
		`"request_seq":3,"seq":0,"success":true,"type":"response"}`,
}

const (
	realStopped = `{"body":{"allThreadsStopped":true,"reason":"breakpoint","threadId":3139},"event":"stopped",` +
		`"seq":"131","type":"event"}`
	realStackTrace = `{"body":{"stackFrames":[{"column":17,"endColumn":33,"endLine":21,"id":0,"line":21,` +
		`"moduleId":"45079f98-b3c9-4fab-8d2a-9a12fd4bf0be","name":"LoopApp.Program.Main()",` +
		`"source":{"name":"Program.cs","path":"/src/LoopApp/Program.cs"}}],"totalFrames":1},"command":"stackTrace",` +
		`"request_seq":8,"seq":"22","success":true,"type":"response"}`
)
