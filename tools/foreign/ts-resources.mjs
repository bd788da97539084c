// Resources, subscriptions, prompts, completions and log messages through the official TypeScript MCP SDK.
//
//   node ts-resources.mjs BREAKWIRE LONGRUN LONGRUN_SOURCE
//
// BREAKWIRE is the server's executable, LONGRUN a Go program of fixtures/programs/go that runs until it is ended, with its
// main.go. It prints a line for each check and exits 1 at the first that fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [breakwire, longrun, source] = process.argv.slice(2);
if (!source) {
  console.error('usage: node ts-resources.mjs BREAKWIRE LONGRUN LONGRUN_SOURCE');
  process.exit(2);
}

const notes = []; // every notification with the time of its arrival
let arrived = () => {};
const client = new Client({ name: 'foreign-ts-resources', version: '1.0.0' });
client.fallbackNotificationHandler = async (note) => { notes.push({ at: performance.now(), ...note }); arrived(); };

let step = 'start';
async function check(name, run) {
  step = name;
  const began = performance.now();
  await run();
  console.log(`ok  ${name} (${(performance.now() - began).toFixed(1)} ms)`);
}

// until waits for a notification; it gives up after 10 s.
async function until(what, found) {
  const end = performance.now() + 10_000;
  for (;;) {
    const got = found();
    if (got) return got;
    const left = end - performance.now();
    assert.ok(left > 0, `${what} did not come`);
    await new Promise((resolve) => {
      const timer = setTimeout(resolve, left);
      arrived = () => { clearTimeout(timer); resolve(); };
    });
  }
}

const listChanges = () => notes.filter((n) => n.method === 'notifications/resources/list_changed').length;
const updates = (uri) => notes.filter((n) => n.method === 'notifications/resources/updated' && n.params.uri === uri);
const messages = () => notes.filter((n) => n.method === 'notifications/message').map((n) => n.params);
const uris = async () => (await client.listResources()).resources.map((r) => r.uri);
const read = async (uri) => JSON.parse((await client.readResource({ uri })).contents[0].text);

async function tool(name, args = {}) {
  const { structuredContent: result, isError } = await client.callTool({ name, arguments: args });
  assert.ok(!isError, `${name}: ${JSON.stringify(result)}`);
  return result;
}

async function refused(uri, code) {
  await assert.rejects(client.readResource({ uri }), (e) => {
    assert.equal(e.code, -32002, `${uri}: ${e.message}`);
    assert.equal(e.data?.code, code, `${uri}: ${JSON.stringify(e.data)}`);
    assert.ok(e.data.message && e.data.details, uri);
    return true;
  });
}

async function session(transport) {
  await check('connect, nothing there', async () => {
    await client.connect(transport);
    assert.ok(client.getServerCapabilities().resources.subscribe && client.getServerCapabilities().completions);
    assert.ok(Buffer.byteLength(client.getInstructions()) < 2048);
    assert.deepEqual(await uris(), []);
    assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, []);
    await refused('debugger://session', 'NO_SESSION');
    await client.setLoggingLevel('info');
  });

  await check('launch, six resources', async () => {
    const { session: s } = await tool('debug_launch', { program: longrun, stop_at_entry: false, backend: 'dlv' });
    assert.equal(s.state, 'running');
    assert.equal(listChanges(), 1);
    const listed = await uris();
    for (const kind of ['session', 'breakpoints', 'threads', 'modules', 'output', 'events']) assert.ok(listed.includes(`debugger://${kind}`), kind);
    assert.equal((await client.listResourceTemplates()).resourceTemplates[0].uriTemplate, 'debugger://source/{file}');
  });

  await check('pause, an update', async () => {
    for (const uri of ['debugger://session', 'debugger://threads', 'debugger://breakpoints']) await client.subscribeResource({ uri });
    const before = performance.now();
    await tool('debug_pause');
    const update = await until('the update of the session', () => updates('debugger://session')[0]);
    assert.ok(update.at - before < 20_000, `after ${update.at - before} ms`);
    assert.equal((await read('debugger://session')).session.state, 'paused');
    await until('the update of the threads', () => updates('debugger://threads').length > 0);
    const threads = await read('debugger://threads');
    assert.ok(threads.threads.length > 0 && threads.capturedAt);
    assert.equal(updates('debugger://breakpoints').length, 0, 'nothing of them changed');
  });

  let tracepoint;
  await check('a tracepoint, told as updates and messages', async () => {
    const line = readFileSync(source, 'utf8').split('\n').findIndex((l) => l.includes('// mark: hit')) + 1;
    const { breakpoint } = await tool('tracepoint_set', { file: source, line, log_message: 'here' });
    tracepoint = breakpoint.id;
    await until('the update of the breakpoints', () => updates('debugger://breakpoints').length > 0);
    await client.unsubscribeResource({ uri: 'debugger://session' });
    const session = updates('debugger://session').length;
    await tool('debug_continue');
    await until('a message', () => messages().find((m) => m.level === 'info' && m.logger === 'debugger' && m.data.breakpointId === tracepoint));
    await until('an update of the counts', () => updates('debugger://breakpoints').length > 1);
    const [b] = (await read('debugger://breakpoints')).breakpoints;
    assert.ok(b.hitCount > 0 && b.verified);
    assert.equal(updates('debugger://session').length, session, 'unsubscribed');
  });

  await check('source', async () => {
    const uri = `debugger://source/${encodeURIComponent(source)}`;
    const { contents: [content] } = await client.readResource({ uri });
    assert.equal(content.mimeType, 'text/plain');
    assert.equal(content.text, readFileSync(source, 'utf8'));
    await refused('debugger://source/%2Fetc%2Fpasswd', 'SOURCE_NOT_ALLOWED');
    await refused('debugger://source/../../../../etc/passwd', 'SOURCE_NOT_ALLOWED');
    await refused('nothing://of/ours', 'INVALID_PARAMETER');
    assert.equal((await tool('source_get', { file: source, around_line: 1, context_lines: 0 })).lines.length, 1);
  });

  await check('prompts and completions', async () => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((p) => p.name).sort(), ['diagnose_exception', 'find_bug_source', 'find_deadlock', 'inspect_runtime_state', 'trace_data_flow']);
    const { messages: [m] } = await client.getPrompt({ name: 'trace_data_flow', arguments: { expression: 'i' } });
    assert.match(m.content.text, /tracepoint_set/);
    await assert.rejects(client.getPrompt({ name: 'trace_data_flow' }), (e) => e.code === -32602);
    const complete = async (ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion.values;
    assert.ok((await complete({ type: 'ref/resource', uri: 'debugger://source/{file}' }, 'file', 'main')).some((f) => f.endsWith('main.go')));
    assert.deepEqual(await complete({ type: 'ref/prompt', name: 'trace_data_flow' }, 'breakpoint_id', 'tp'), [tracepoint]);
  });

  await check('disconnect, nothing there again', async () => {
    await tool('debug_disconnect');
    assert.equal(listChanges(), 2);
    assert.deepEqual(await uris(), []);
    await refused('debugger://session', 'NO_SESSION');
  });
}

try {
  await session(new StdioClientTransport({ command: breakwire, args: [], stderr: 'ignore', env: process.env }));
  await client.close();
  console.log('the whole session passed');
} catch (e) {
  console.log(`FAILED  ${step}: ${e.stack}`);
  console.log(notes.slice(-20).map((n) => JSON.stringify(n)).join('\n'));
  await client.close();
  process.exit(1);
}
