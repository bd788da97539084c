package mcpserver

import "sync"

// shapes are the objects that results share, by the names that outputOf accepts (docs/contract.md).
var shapes = sync.OnceValue(func() map[string]string {
	return buildShapes([]string{
		"failure", "code! message! details:o",
		"location", "file line:n column:n functionName moduleName",
		"session", "sessionId state! backend backendReason parentSessionId processId:n processName executablePath " +
			"runtimeVersion " +
			"launchMode attachedAt pauseReason location:location activeThreadId:n commandLineArgs:[] workingDirectory " +
			"wedged:b fatal hitsLost:b exitCode:n signal endReason lastSeq!:n capabilities:m",
		// the session of a start
		"begun", "sessionId state! backend backendReason parentSessionId processId:n processName executablePath " +
			"runtimeVersion launchMode commandLineArgs:[] workingDirectory " +
			"wedged:b fatal hitsLost:b exitCode:n signal endReason lastSeq!:n",
		// the session in results about something else
		"brief", "sessionId state! wedged:b fatal hitsLost:b lastSeq!:n exitCode:n signal endReason",
		"entry", "sessionId! state! backend! parentSessionId program processId:n processName lastSeq!:n",
		"exception", "type message isFirstChance:b breakMode",
		"further", "breakpointId! threadId!:n hitCount!:n",
		"change", "breakpointId! expression! oldValue! newValue!",
		"stop", "seq!:n reason! threadId!:n threadName breakpointIds!:[] hitCount:n frameIndex:n location:location " +
			"source:[] locals:m localsOmitted:n exception:exception returned:o conditionError text alsoStopped:[further] " +
			"changes:[change]",
		"own", "sessionId! state! boundLine:n hitCount!:n message",
		"breakpoint", "id! type! file line:n column:n boundLine:n function exceptionType expression " +
			"access enabled!:b state! verified!:b " +
			"condition hitCondition hitCount!:n hitCountAtLeast:b falsePasses:n message logMessage hitCountMultiple:n " +
			"maxNotifications:n notificationsSent:n strategy sessionId sessions:[own]",
		"condition", "breakpointId! condition hitCount!:n falsePasses!:n",
		"preset", "id! state! boundLine:n",
		"unbound", "id! type file line:n function exceptionType expression state! message",
		"part", "configuration! session!:begun stop:stop timedOut:b set:[preset] breakpoints:[unbound] exitCode:n " +
			"outputTail warning",
		"event", "seq!:n type! sessionId breakpointId hitCount:n threadId:n logMessage oldValue newValue " +
			"location:location reason stopSeq:n " +
			"exceptionInfo:exception conditionError stream text oldState newState pauseReason exitCode:n signal endReason " +
			"change state boundLine:n name path symbolStatus processId:n childSessionId code what count:n message " +
			"truncated:b timestamp!",
		"variable", "name! type value! scope hasChildren:b childCount:n path truncated:b",
		"whole", "type message isFirstChance:b breakMode path members:[variable]", // of exception_get_context
		"inner", "type! message! path",
		"frame", "index!:n function! module isExternal:b location:location kind task folded:n repeated:n source:[] " +
			"variables:[variable]",
		"stack", "count!:n ids!:[] waitsFor frames!:[]",
		"thread", "id!:n name state! isCurrent:b location:location waitsFor waitsOn heldBy:[] likely:b",
		"task", "name! waitsFor location:location",
		"group", "count!:n ids!:[] waitsFor location:location",
		"module", "id name! path symbolStatus isUserCode:b",
		"chunk", "seq!:n stream! text!",
		"snapshot", "id! label! timestamp! sessionId! threadId!:n frameIndex!:n functionName! location:location " +
			"variableCount!:n depth!:n truncated:b",
		"difference", "name! path! type! value!",
		"modification", "name! path! type! oldType oldValue! newValue!",
		"counts", "added!:n removed!:n modified!:n unchanged!:n",
		"diff", "snapshotIdA! snapshotIdB! threadMismatch!:b timeDelta! summary!:counts modified!:[modification] " +
			"added!:[difference] removed!:[difference] " +
			"nextStart:n note",
		"element", "index!:n value! type!",
		"pair", "key! keyType value! valueType!",
		"types", "typeName! count!:n",
		"stats", "min! max! average!",
		"collection", "count!:n elementType collectionType! kind! nullCount!:n numericStats:stats " +
			"typeDistribution:[types] firstElements:[element] " +
			"lastElements:[element] keyValuePairs:[pair] isSampled!:b lookedAt:n",
		"field", "name! type! value! collectionCount:n collectionElementType",
		"oddity", "name! type! value! reason!",
		"object", "typeName! isNull!:b value totalFieldCount!:n inaccessibleFieldCount!:n fields!:[field] " +
			"nullFields!:[] interestingFields!:[oddity]",
		"hit", "seq!:n timestamp! threadId!:n location:location values!:m evalErrors:m",
		"experiment", "index!:n status! hitCount!:n error hits!:[hit]",
	})
})

// outputs are the fields of the tools' results, without success and error (docs/contract.md).
var outputs = sync.OnceValue(func() map[string]outputSchema {
	return map[string]outputSchema{
		"debug_launch": outputOf("session:begun stop:stop timedOut:b set:[preset] breakpoints:[unbound] " +
			"exitCode:n outputTail build:o ran warning parts:[part]"),
		"debug_attach":     outputOf("session:begun stop:stop timedOut:b set:[preset] breakpoints:[unbound] warning"),
		"debug_disconnect": outputOf("session:brief state wasTerminated:b processAlive:b alsoEnded:[]"),
		"debug_restart": outputOf("session:begun stop:stop timedOut:b breakpoints:[unbound] exitCode:n outputTail " +
			"warning"),
		"debug_state":   outputOf("session:session stop:stop"),
		"sessions_list": outputOf("sessions:[entry] count:n"),
		"debug_continue": outputOf("session:brief reason stop:stop timedOut:b unseen:b note conditions:[condition] " +
			"breakpoints:[unbound] passed:[further]"),
		"debug_pause": outputOf("session:brief stop:stop alreadyPaused:b"),
		"debug_step": outputOf("session:brief reason stop:stop timedOut:b unseen:b stepsDone:n interruptedBy note " +
			"breakpoints:[unbound] passed:[further]"),
		"debug_run_to": outputOf("session:brief reason stop:stop timedOut:b reached:b note conditions:[condition] " +
			"breakpoints:[unbound] passed:[further]"),
		"breakpoint_set":           outputOf("session:brief breakpoint:breakpoint duplicate:b"),
		"breakpoint_set_function":  outputOf("session:brief breakpoint:breakpoint duplicate:b"),
		"breakpoint_set_exception": outputOf("session:brief breakpoint:breakpoint duplicate:b warning"),
		"watchpoint_set":           outputOf("session:brief breakpoint:breakpoint duplicate:b hitsVia:[]"),
		"tracepoint_set":           outputOf("session:brief breakpoint:breakpoint duplicate:b hitsVia:[]"),
		"breakpoint_remove":        outputOf("session:brief removed:[] count:n"),
		"breakpoint_enable":        outputOf("session:brief breakpoint:breakpoint"),
		"breakpoint_list":          outputOf("session:brief breakpoints:[breakpoint] count:n"),
		"breakpoint_wait": outputOf("session:brief hit:b reason stop:stop breakpointId alreadySeen:b note " +
			"exitCode:n signal lastSeq:n state conditions:[condition] breakpoints:[unbound]"),
		"events_query": outputOf("session:brief date sessionId events:[event] lines:[] places:o lastSeq:n more:b " +
			"oldestSeq:n dropped:n"),
		"threads_list": outputOf("session:brief threads:[thread] groups:[group] total:n nextStart:n stale:b " +
			"deadlocked:[] tasks:[task] omittedTasks:n"),
		"stacktrace_get": outputOf("session:brief threadId:n frames:[frame] totalFrames:n nextStart:n stacks:[stack] " +
			"omittedThreads:n"),
		"variables_get": outputOf("session:brief variables:[variable] total:n nextStart:n note frameIndex:n"),
		"variable_set":  outputOf("session:brief variable:variable previousValue"),
		"evaluate": outputOf("session:brief value type hasChildren:b childCount:n path truncated:b note " +
			"frameIndex:n"),
		"exception_get_context": outputOf("session:brief threadId:n exception:whole innerExceptions:[inner] " +
			"frames:[frame] stackTrace partial:[]"),
		"collection_analyze":  outputOf("session:brief summary:collection"),
		"object_summarize":    outputOf("session:brief summary:object"),
		"modules_list":        outputOf("session:brief modules:[module] count:n"),
		"source_get":          outputOf("session:brief file startLine:n lines:[] totalLines:n"),
		"process_read_output": outputOf("session:brief output:[chunk] stdout stderr lastSeq:n more:b dropped:n"),
		"process_write_input": outputOf("session:brief bytesWritten:n stdinClosed:b"),
		"snapshot_create":     outputOf("session:brief snapshot:snapshot"),
		"snapshot_diff":       outputOf("diff:diff"),
		"snapshot_list":       outputOf("snapshots:[snapshot] count:n variables:[variable] nextStart:n"),
		"snapshot_delete":     outputOf("deleted remaining:n"),
		"batch_evaluate": outputOf("session:brief completionReason totalExperiments:n triggered:n notTriggered:n " +
			"errors:n experiments:[experiment] " +
			"stop:stop exitCode:n signal note passed:[further]"),
	}
})
