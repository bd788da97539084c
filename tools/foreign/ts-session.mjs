// A debugging session through the official TypeScript MCP SDK, as a client that knows nothing of breakwire's insides.
//
//   node ts-session.mjs BREAKWIRE LOOP LOOP_SOURCE LONGRUN QUICK
//
// BREAKWIRE is the server's executable, or the URL of one that serves HTTP, with its token in BREAKWIRE_TOKEN. The others are the Go programs of fixtures/programs/go, built without
// optimisation, and the loop's main.go. It prints a line for each check and exits 1 at the first that fails.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [breakwire, loop, source, longrun, quick] = process.argv.slice(2);
const http = breakwire?.startsWith('http');
if (!quick) {
  console.error('usage: node ts-session.mjs BREAKWIRE LOOP LOOP_SOURCE LONGRUN QUICK');
  process.exit(2);
}

const hitLine = 12; // `return result` in Work
const passes = 150;
const wantTools = [
  'debug_launch', 'debug_attach', 'debug_disconnect', 'debug_restart', 'debug_state', 'debug_continue', 'debug_pause',
  'debug_step', 'breakpoint_set', 'breakpoint_remove', 'breakpoint_enable', 'breakpoint_list', 'breakpoint_wait',
  'events_query', 'threads_list', 'stacktrace_get', 'variables_get', 'evaluate', 'process_read_output',
];

const stderr = [];
const notes = []; // every notification, in the order of arrival
const client = new Client({ name: 'foreign-ts', version: '1.0.0' });
client.fallbackNotificationHandler = async (note) => { notes.push(note); };
const hits = () => notes.filter((n) => n.method === 'debugger/breakpointHit').map((n) => n.params);
const states = () => notes.filter((n) => n.method === 'debugger/sessionStateChanged').map((n) => n.params);

// Over HTTP notifications come by another connection than responses, so either may be read first.
async function arrived(n) {
  for (const began = performance.now(); http && hits().length < n && performance.now() - began < 20_000;) {
    await new Promise((resume) => setTimeout(resume, 1));
  }
}

let step = 'start';
async function check(name, run) {
  step = name;
  const began = performance.now();
  await run();
  console.log(`ok  ${name} (${(performance.now() - began).toFixed(1)} ms)`);
}

async function call(name, args = {}) {
  const result = await client.callTool({ name, arguments: args });
  assert.ok(result.structuredContent, `${name} has no structuredContent: ${JSON.stringify(result)}`);
  assert.equal(result.content.length, 1, `${name}: content blocks`);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent, `${name}: text and structuredContent differ`);
  return result;
}

async function ok(name, args) {
  const result = await call(name, args);
  assert.ok(!result.isError, `${name} ${JSON.stringify(args ?? {})} failed: ${result.content[0].text}`);
  assert.equal(result.structuredContent.success, true);
  return result.structuredContent;
}

// What a launch has led to. Its answer waits only a moment for that, and a busy machine may take longer.
async function settled(launch) {
  const launched = await ok('debug_launch', launch);
  if (launched.session.state !== 'running') return launched;
  await ok('breakpoint_wait');
  return ok('debug_state');
}

async function fails(name, args, code) {
  const result = await call(name, args);
  assert.equal(result.isError, true, `${name} ${JSON.stringify(args)} should fail: ${result.content[0].text}`);
  const { success, error } = result.structuredContent;
  assert.equal(success, false);
  assert.equal(error.code, code, error.message);
  assert.ok(error.message.length > 0, 'an error says what happened');
  return error;
}

function like(got, want, what) {
  for (const [key, value] of Object.entries(want)) {
    const told = `${what}.${key} in ${JSON.stringify(got)}`;
    if (value instanceof RegExp) assert.match(String(got?.[key]), value, told);
    else assert.deepEqual(got?.[key], value, told);
  }
}

const alive = (pid) => {
  try { process.kill(pid, 0); return true; } catch { return false; }
};

async function readAll(stream) {
  let text = '';
  for (let after = 0, more = true; more;) {
    const page = await ok('process_read_output', { stream, after_seq: after, max_bytes: 4096 });
    text += page.output.map((o) => o.text).join('');
    ({ lastSeq: after, more } = page);
  }
  return text;
}

async function session(transport) {
  await check('initialize', async () => {
    await client.connect(transport);
    like(client.getServerVersion(), { name: 'breakwire' }, 'serverInfo');
    const caps = client.getServerCapabilities();
    assert.ok(caps.tools && caps.resources?.subscribe && caps.resources?.listChanged, JSON.stringify(caps));
    await client.ping();
  });

  await check('tools/list', async () => {
    const { tools } = await client.listTools();
    const names = tools.map((t) => t.name);
    assert.deepEqual(wantTools.filter((n) => !names.includes(n)), [], `missing tools, got ${names}`);
    let total = 0;
    for (const t of tools) {
      const size = Buffer.byteLength(t.description) + Buffer.byteLength(JSON.stringify(t.inputSchema));
      total += size;
      assert.ok(size < 2048, `${t.name}: description and schema take ${size} bytes`);
      assert.equal(t.inputSchema.type, 'object', `${t.name}: inputSchema`);
      assert.equal(t.outputSchema?.type, 'object', `${t.name}: outputSchema`);
      assert.ok(t.title || t.annotations.title, `${t.name}: title`);
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
        assert.equal(typeof t.annotations?.[hint], 'boolean', `${t.name}: ${hint}`);
      }
      assert.equal(t.annotations.openWorldHint, false, t.name);
    }
    assert.ok(total < 18 * 1024, `all descriptions and schemas take ${total} bytes`);
  });

  await check('without a session', async () => {
    like((await ok('debug_state')).session, { state: 'disconnected' }, 'session');
    await fails('evaluate', { expression: '1' }, 'NO_SESSION');
    await fails('debug_launch', { program: `${loop}.missing`, backend: 'dlv' }, 'INVALID_PATH');
    assert.match((await fails('debug_launch', { program: loop, stop_at_enty: true }, 'INVALID_PARAMETER')).message, /stop_at_entry/);
    await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }).then((r) => { if (r.isError) throw new Error('refused'); }));
  });

  let bp;
  await check('breakpoint before the launch', async () => {
    await fails('breakpoint_set', { file: source, line: 9999 }, 'INVALID_LINE');
    await fails('breakpoint_set', { file: `${source}.missing`, line: 1 }, 'INVALID_FILE');
    const set = await ok('breakpoint_set', { file: source, line: hitLine });
    bp = set.breakpoint.id;
    like(set.breakpoint, { id: /^bp-\d+$/, type: 'blocking', state: 'pending', verified: false, line: hitLine, hitCount: 0 }, 'breakpoint');
    like(await ok('breakpoint_set', { file: source, line: hitLine }), { duplicate: true }, 'second breakpoint_set');
    like(await ok('breakpoint_list'), { count: 1 }, 'breakpoint_list');
  });

  let sessionId, pid;
  await check('launch to the first hit', async () => {
    const launched = await settled({ program: loop, args: [String(passes)], backend: 'dlv', stop_at_entry: false });
    await arrived(1);
    assert.equal(hits().length, 1, `the notification precedes the response: ${JSON.stringify(notes)}`);
    ({ sessionId, processId: pid } = launched.session);
    like(launched.session, { sessionId: /^s\d+$/, state: 'paused', backend: 'dlv', launchMode: 'launch' }, 'session');
    like(launched.stop, { reason: 'breakpoint', breakpointIds: [bp], hitCount: 1 }, 'stop');
    like(launched.stop.location, { file: source, line: hitLine, functionName: /Work/ }, 'stop.location');
    assert.ok(alive(pid), `process ${pid} of the session`);
    const moved = states();
    for (let n = 1; n < moved.length; n++) assert.equal(moved[n].oldState, moved[n - 1].newState, JSON.stringify(moved));
    like(moved.at(-1), { sessionId, newState: 'paused', pauseReason: 'breakpoint' }, 'sessionStateChanged');
    like(await ok('breakpoint_wait', { timeout_ms: 1000 }), { hit: true, reason: 'hit', alreadySeen: true, breakpointId: bp, state: 'paused' }, 'breakpoint_wait');
  });

  await check('four more hits, waited for', async () => {
    for (let n = 2; n <= 5; n++) {
      await ok('debug_continue');
      const wait = await ok('breakpoint_wait', { timeout_ms: 10000 });
      like(wait, { hit: true, reason: 'hit', breakpointId: bp, state: 'paused' }, `wait ${n}`);
      assert.ok(!wait.alreadySeen, `wait ${n} is a new stop`);
      like(wait.stop, { reason: 'breakpoint', hitCount: n }, `stop ${n}`);
      await arrived(n);
      assert.equal(hits().length, n, `notifications after hit ${n}`);
    }
    hits().forEach((hit, n) => {
      like(hit, { sessionId, breakpointId: bp, type: 'blocking', hitCount: n + 1 }, 'debugger/breakpointHit');
      like(hit, { timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/ }, 'debugger/breakpointHit');
      like(hit.location, { file: source, line: hitLine }, 'location');
      assert.ok(n === 0 || hit.seq > hits()[n - 1].seq, 'seq rises');
    });
  });

  await check('events_query', async () => {
    const all = await ok('events_query', { types: ['hit'] });
    assert.deepEqual(all.events.map((e) => e.seq), hits().map((h) => h.seq), 'the journal and the notifications agree');
    const rest = await ok('events_query', { types: ['hit'], after_seq: hits()[2].seq, limit: 1 });
    assert.deepEqual(rest.events.map((e) => e.seq), [hits()[3].seq]);
    assert.equal(rest.more, true);
  });

  await check('threads and stack', async () => {
    const { threads, stale } = await ok('threads_list');
    assert.ok(!stale);
    assert.equal(threads.filter((t) => t.isCurrent).length, 1, JSON.stringify(threads));
    const { frames } = await ok('stacktrace_get');
    like(frames[0], { index: 0, function: /Work/, isExternal: false }, 'frames[0]');
    like(frames[0].location, { file: source, line: hitLine }, 'frames[0].location');
    like(frames[1], { index: 1, function: /main\.main/ }, 'frames[1]');
    assert.equal((await ok('stacktrace_get', { max_frames: 1 })).frames.length, 1);
    await fails('stacktrace_get', { max_frames: 0 }, 'INVALID_PARAMETER');
  });

  await check('variables', async () => {
    const { variables } = await ok('variables_get');
    const value = Object.fromEntries(variables.map((v) => [v.name, v.value]));
    assert.deepEqual({ i: value.i, square: value.square, result: value.result }, { i: '4', square: '16', result: '2' });
    const scope = Object.fromEntries(variables.map((v) => [v.name, v.scope]));
    like(scope, { i: /^(argument|local)$/, square: 'local' }, 'scope'); // Delve does not tell arguments apart
    const args = await ok('variables_get', { scope: 'arguments' });
    assert.ok(args.variables.some((v) => v.name === 'i'), JSON.stringify(args));
    if (scope.i === 'argument') assert.ok(!args.variables.some((v) => v.name === 'square'), JSON.stringify(args));
    const caller = await ok('variables_get', { frame_index: 1, names: ['sum', 'n'] });
    assert.deepEqual(caller.variables.map((v) => [v.name, v.value]).sort(), [['n', String(passes)], ['sum', '7']]);
    await fails('variables_get', { frame_index: 99 }, 'INVALID_FRAME');
  });

  await check('evaluate', async () => {
    like(await ok('evaluate', { expression: 'square * 2 + i' }), { value: '36', hasChildren: false }, 'evaluate');
    like(await ok('evaluate', { expression: 'sum', frame_index: 1 }), { value: '7' }, 'evaluate in main');
    assert.match((await fails('evaluate', { expression: 'nosuch' }, 'EVAL_FAILED')).message, /nosuch/);
    await fails('evaluate', { expression: '' }, 'INVALID_PARAMETER');
  });

  await check('snapshot and summaries', async () => {
    like((await ok('snapshot_create', { label: 'here' })).snapshot, { id: 'snap-1', label: 'here', frameIndex: 0 }, 'snapshot_create');
    like(await ok('snapshot_list', { snapshot_id: 'snap-1' }), { count: 1 }, 'snapshot_list');
    like((await ok('snapshot_diff', { snapshot_id_1: 'snap-1', snapshot_id_2: 'snap-1' })).diff.summary, { added: 0, removed: 0, modified: 0 }, 'snapshot_diff');
    await fails('collection_analyze', { expression: 'square' }, 'NOT_COLLECTION');
    like((await ok('object_summarize', { expression: 'square' })).summary, { typeName: 'int', isNull: false, value: '16' }, 'object_summarize');
    like(await ok('snapshot_delete'), { deleted: 'all', remaining: 0 }, 'snapshot_delete');
    await fails('snapshot_diff', { snapshot_id_1: 'snap-1', snapshot_id_2: 'snap-1' }, 'SNAPSHOT_NOT_FOUND');
  });

  await check('step out, over and in', async () => {
    like((await ok('breakpoint_enable', { id: bp, enabled: false })).breakpoint, { id: bp, enabled: false, state: 'disabled' }, 'breakpoint');
    const go = async (args, line, fn) => {
      const stepped = await ok('debug_step', args);
      like(stepped, { reason: 'step' }, `debug_step ${JSON.stringify(args)}`);
      like(stepped.stop, { reason: 'step' }, 'stop');
      like(stepped.stop.location, { line, functionName: fn }, `stop after ${JSON.stringify(args)}`);
      return stepped;
    };
    await go({ mode: 'out' }, 27, /main\.main/);
    await go({ mode: 'over' }, 28, /main\.main/);
    like(await go({ mode: 'over', count: 2 }, 26, /main\.main/), { stepsDone: 2 }, 'two steps');
    await go({}, 27, /main\.main/);
    await go({ mode: 'in' }, 9, /main\.Work/);
    await go({ mode: 'out' }, 27, /main\.main/);
    await fails('debug_step', { mode: 'sideways' }, 'INVALID_PARAMETER');
    like((await ok('breakpoint_enable', { id: bp })).breakpoint, { id: bp, enabled: true, state: 'bound', verified: true }, 'breakpoint');
  });

  await check('condition', async () => {
    const set = await ok('breakpoint_set', { file: source, line: hitLine, condition: 'i == 50' });
    like(set, { duplicate: true }, 'breakpoint_set');
    like(set.breakpoint, { id: bp, condition: 'i == 50' }, 'breakpoint');
    const stopped = await ok('debug_continue', { wait: true, timeout_ms: 20000 });
    like(stopped.stop, { reason: 'breakpoint', breakpointIds: [bp], hitCount: 6 }, 'stop');
    like(await ok('evaluate', { expression: 'i' }), { value: '50' }, 'i');
    await arrived(6);
    assert.equal(hits().length, 6);
  });

  await check('to the end', async () => {
    assert.deepEqual((await ok('breakpoint_remove', { id: bp })).removed, [bp]);
    await fails('breakpoint_remove', { id: bp }, 'BREAKPOINT_NOT_FOUND');
    const ended = await ok('debug_continue', { wait: true });
    like(ended, { reason: 'exited' }, 'debug_continue');
    like(ended.session, { state: 'terminated', exitCode: 0, endReason: 'exited' }, 'session');
    like(states().at(-1), { sessionId, newState: 'terminated', exitCode: 0 }, 'sessionStateChanged');
    let sum = 0;
    for (let i = 0; i < passes; i++) sum += (i * i) % 7;
    const text = await readAll('stdout');
    assert.equal(text, `start ${passes}\nprogress i=0 sum=0\nprogress i=100 sum=${text.match(/i=100 sum=(\d+)/)?.[1]}\ndone sum ${sum}\n`);
    await fails('breakpoint_wait', { timeout_ms: 1000 }, 'NO_SESSION');
    await fails('evaluate', { expression: 'i' }, 'NO_SESSION');
    like((await ok('debug_state')).session, { state: 'terminated', exitCode: 0 }, 'session');
    assert.ok(!alive(pid), `process ${pid} is gone`);
  });

  await check('a program that ends at once', async () => {
    const launched = await settled({ program: quick, backend: 'dlv', stop_at_entry: false });
    like(launched.session, { state: 'terminated', exitCode: 3 }, 'session');
    assert.match(JSON.stringify(launched.outputTail ?? await readAll('stdout')), /out of quick/);
    assert.match(JSON.stringify(launched.outputTail ?? await readAll('stderr')), /err of quick/);
  });

  await check('stop at entry', async () => {
    const launched = await ok('debug_launch', { program: quick, backend: 'dlv' });
    like(launched.stop, { reason: 'entry' }, 'stop');
    like(launched.stop.location, { functionName: /main\.main/ }, 'stop.location');
    like((await ok('debug_continue', { wait: true })).session, { state: 'terminated', exitCode: 3 }, 'session');
    assert.equal(await readAll('stderr'), 'err of quick\n');
  });

  await check('a batch to the end', async () => {
    await ok('debug_launch', { program: loop, backend: 'dlv', args: [String(passes)] });
    const batch = await ok('batch_evaluate', {
      experiments: [{ trigger: { file: source, line: hitLine }, capture: ['i', 'square'], condition: 'i > 2', max_hits: 2 }, { trigger: { file: source, line: hitLine }, capture: ['i'], max_hits: 1000 }],
    });
    like(batch, { completionReason: 'process_exited', totalExperiments: 2, triggered: 2, exitCode: 0 }, 'batch_evaluate');
    assert.deepEqual(batch.experiments[0].hits.map((h) => h.values), [{ i: '3', square: '9' }, { i: '4', square: '16' }]);
    assert.equal(batch.experiments[1].hitCount, passes);
  });

  await check('pause and disconnect', async () => {
    const launched = await ok('debug_launch', { program: longrun, backend: 'dlv', stop_at_entry: false });
    like(launched.session, { state: 'running' }, 'session');
    like((await ok('debug_continue')).session, { state: 'running' }, 'continue while running');
    like(await ok('breakpoint_wait', { timeout_ms: 50 }), { hit: false, reason: 'timeout', state: 'running' }, 'breakpoint_wait');
    await fails('evaluate', { expression: '1' }, 'NOT_PAUSED');
    like((await ok('threads_list')), { stale: true }, 'threads while running');

    const waiting = ok('breakpoint_wait', { timeout_ms: 20000 });
    const paused = await ok('debug_pause');
    like(paused.session, { state: 'paused' }, 'session');
    like(paused.stop, { reason: 'pause' }, 'stop');
    like(await waiting, { hit: false, reason: 'pause', state: 'paused' }, 'the wait that was open');
    like(await ok('debug_pause'), { alreadyPaused: true }, 'second pause');

    const abort = new AbortController();
    await ok('debug_continue');
    const cancelled = client.callTool({ name: 'breakpoint_wait', arguments: { timeout_ms: 20000 } }, undefined, { signal: abort.signal });
    setTimeout(() => abort.abort('enough'), 20);
    await assert.rejects(cancelled, /enough/);

    const open = ok('breakpoint_wait', { timeout_ms: 20000 });
    const gone = await ok('debug_disconnect');
    like(gone, { state: 'disconnected', wasTerminated: true, processAlive: false }, 'debug_disconnect');
    like(await open, { hit: false, reason: 'disconnected', state: 'disconnected' }, 'the wait that was open');
    assert.ok(!alive(launched.session.processId), 'the program is gone');
    await fails('debug_pause', {}, 'NO_SESSION');
  });

  if (http) {
    await check('end of the MCP session', async () => {
      const { processId } = (await ok('debug_launch', { program: longrun, backend: 'dlv', stop_at_entry: false })).session;
      await transport.terminateSession();
      await client.close();
      for (const began = performance.now(); alive(processId);) {
        assert.ok(performance.now() - began < 10_000, `program ${processId} ends with the session of its client`);
        await new Promise((resume) => setTimeout(resume, 10));
      }
    });
    return;
  }
  await check('end of input', async () => {
    const server = transport.pid;
    const began = performance.now();
    await client.close(); // closes stdin and sends SIGTERM only after two seconds
    assert.ok(performance.now() - began < 1900, 'the server ends by itself when its input ends');
    assert.ok(!alive(server), `server ${server} is gone`);
  });
}

const transport = http
  ? new StreamableHTTPClientTransport(new URL(breakwire), { requestInit: { headers: { Authorization: `Bearer ${process.env.BREAKWIRE_TOKEN}` } } })
  : new StdioClientTransport({ command: breakwire, args: ['--log-level', 'debug'], env: process.env, stderr: 'pipe' });
transport.stderr?.on('data', (chunk) => stderr.push(chunk));
const watchdog = setTimeout(() => stop(new Error('no end after 120 s')), 120_000);

async function stop(err) {
  clearTimeout(watchdog);
  if (err) {
    console.log(`FAILED  ${step}\n${err.stack ?? err}`);
    console.log(`last notifications:\n${notes.slice(-5).map((n) => JSON.stringify(n)).join('\n')}`);
    console.log(`server's log, the last of it:\n${Buffer.concat(stderr).toString().split('\n').slice(-40).join('\n')}`);
    await client.close().catch(() => {});
    process.exit(1);
  }
  console.log('the whole session passed');
  process.exit(0);
}

session(transport).then(() => stop(), stop);
