// Runs the adder of the README as an agent would: with the official TypeScript SDKs, over stdio and
// over streamable HTTP, in both protocol eras. Ends with 1 and the first difference it meets.
//
//   node adder.mjs PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA node adder.mjs)
//
// The SDKs themselves check that every structuredContent fits the outputSchema of its tool: SDK v1
// refuses the whole tool list, or the call, when it does not. adder.py is the same in Python.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

import * as v2 from '@modelcontextprotocol/client';
import * as v2Stdio from '@modelcontextprotocol/client/stdio';
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import * as v1Stdio from '@modelcontextprotocol/sdk/client/stdio.js';
import * as v1Http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v1Types from '@modelcontextprotocol/sdk/types.js';

// Tools that answer with an image carry no structuredContent, and SDK v1 refuses an answer without
// it from a tool that has an outputSchema. They are the only ones that may go without.
const IMAGE_TOOLS = new Set(['create_function_from_expression', 'render', 'render_graph', 'slice']);

const OPTIONS = ['--toolsets', 'project,project-extra,function,geometry,knowledge'];

/** Statuses of HTTP that refuse what a client sends; GET asks for a stream that servers need not have. */
const refusals = [];

async function checkedFetch(address, init) {
  const response = await fetch(address, init);
  if (response.status >= 400 && init?.method === 'POST') refusals.push(`${response.status} of ${init.body}`);
  return response;
}

const SDKS = [
  {
    name: 'TypeScript SDK v1',
    protocol: '2025-11-25',
    client: (info) => new v1.Client(info, { capabilities: { elicitation: {} } }),
    stdio: (server) => new v1Stdio.StdioClientTransport(server),
    http: (url) => new v1Http.StreamableHTTPClientTransport(url, { fetch: checkedFetch }),
    call: (client, request, options) => client.callTool(request, undefined, options),
    onQuestion: (client, handler) => client.setRequestHandler(v1Types.ElicitRequestSchema, handler),
    environment: v1Stdio.getDefaultEnvironment,
    onUpdate: (client, handler) =>
      client.setNotificationHandler(v1Types.ResourceUpdatedNotificationSchema, handler),
    subscribe: async (client, uri) => {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  },
  {
    name: 'TypeScript SDK v2',
    protocol: '2026-07-28',
    client: (info) =>
      new v2.Client(info, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto' } }),
    stdio: (server) => new v2Stdio.StdioClientTransport(server),
    http: (url) => new v2.StreamableHTTPClientTransport(url, { fetch: checkedFetch }),
    call: (client, request, options) => client.callTool(request, options),
    onQuestion: (client, handler) => client.setRequestHandler('elicitation/create', handler),
    environment: v2Stdio.getDefaultEnvironment,
    onUpdate: (client, handler) =>
      client.setNotificationHandler('notifications/resources/updated', handler),
    subscribe: async (client, uri) => {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, [uri]);
      return () => subscription.close();
    },
  },
];

const bin = path.resolve(process.argv[2] ?? process.env.FIBULA_BIN ?? 'target/debug/fibula');

for (const sdk of SDKS) {
  await report(`${sdk.name} over stdio`, (scratch) => {
    const env = { ...sdk.environment(), XDG_DATA_HOME: scratch };
    return converse(sdk, sdk.stdio({ command: bin, args: ['mcp', ...OPTIONS], env, cwd: scratch }));
  });
  await report(`${sdk.name} over HTTP`, (scratch) =>
    withServer(scratch, (url) => converse(sdk, sdk.http(url))),
  );
}

/** Runs one conversation in an empty folder, the server's data and working directory; says how it went. */
async function report(where, run) {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'fibula-ci-'));
  try {
    console.log(`ok: ${where}, ${await run(scratch)}`);
  } catch (error) {
    console.error(`FAILED: ${where}: ${error.stack}`);
    process.exitCode = 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Connects, looks at the tools, builds the adder, is refused, goes back, subscribes. */
async function converse(sdk, transport) {
  const client = sdk.client({ name: 'fibula-ci', version: '1.0.0' });
  try {
    await client.connect(transport);
    // SDK v1 does not tell over stdio; there it knows no later protocol.
    const protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
    assert.equal(protocol ?? sdk.protocol, sdk.protocol, 'protocol version');
    const tools = await listTools(client);
    tools.forEach(checkTool);
    const calls = caller(client);
    await buildAdder(calls);
    // Before 2026-07-28 a server without sessions has nowhere to send notifications over HTTP.
    const offered = !(transport instanceof v1Http.StreamableHTTPClientTransport);
    const { resources } = client.getServerCapabilities();
    assert.equal(resources.subscribe, offered || undefined, 'resources.subscribe');
    if (offered) await isTold(sdk, client, calls);
    await isAsked(sdk, client, calls, offered);
    await givesUp(sdk, client, calls);
    return `protocol ${sdk.protocol}, ${tools.length} tools`;
  } finally {
    await client.close();
    assert.deepEqual(refusals.splice(0), [], 'refused messages');
  }
}

async function listTools(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

/** What hosts need of a tool: they drop, silently, one whose schema they cannot take. */
function checkTool(tool) {
  const about = `tool ${tool.name}`;
  assert.ok(tool.title, `${about}: no title`);
  assert.ok(tool.description, `${about}: no description`);
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
    assert.equal(typeof tool.annotations?.[hint], 'boolean', `${about}: annotations.${hint}`);
  }
  checkSchema(tool.inputSchema, `${about}: inputSchema`);
  if (tool.outputSchema === undefined) {
    assert.ok(IMAGE_TOOLS.has(tool.name), `${about}: no outputSchema`);
  } else {
    checkSchema(tool.outputSchema, `${about}: outputSchema`);
  }
}

function checkSchema(schema, about) {
  assert.equal(schema?.type, 'object', `${about}: root is not an object`);
  for (const key of ['oneOf', 'anyOf', 'allOf']) {
    assert.ok(!(key in schema), `${about}: ${key} at the root`);
  }
  walk(schema, about);
}

function walk(schema, about) {
  if (Array.isArray(schema)) schema.forEach((item, at) => walk(item, `${about}[${at}]`));
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return;
  for (const key of ['$ref', '$defs', 'definitions']) {
    assert.ok(!(key in schema), `${about}: has ${key}`);
  }
  if (typeof schema.format === 'string') {
    assert.ok(!schema.format.startsWith('uint'), `${about}: format ${schema.format}`);
  }
  if (Array.isArray(schema.type)) {
    assert.ok(!schema.type.includes('null'), `${about}: type ${JSON.stringify(schema.type)}`);
  }
  for (const [key, value] of Object.entries(schema)) walk(value, `${about}.${key}`);
}

/** A function that calls a tool and gives its fields, and one that expects a refusal. */
function caller(client) {
  const call = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args });
    const text = textOf(result);
    assert.ok(!result.isError, `${name} ${JSON.stringify(args)} was refused: ${text}`);
    assert.ok(result.structuredContent, `${name}: no structuredContent`);
    return result.structuredContent;
  };
  const refused = async (code, name, args) => {
    const result = await client.callTool({ name, arguments: args });
    const about = `${name} ${JSON.stringify(args)}`;
    const text = textOf(result);
    assert.equal(result.isError, true, `${about} was not refused: ${text}`);
    assert.equal(result.structuredContent, undefined, `${about}: structuredContent on an error`);
    assert.ok(text.startsWith(`${code}: `), `${about}: expected "${code}: ...", got "${text}"`);
    assert.match(text, /"success":\s*false/, `${about}: the text lacks success: false as JSON`);
  };
  return { call, refused };
}

function textOf(result) {
  return result.content.filter((block) => block.type === 'text').map((block) => block.text).join('\n');
}

async function buildAdder({ call, refused }) {
  const made = await call('create_function_from_expression', { name: 'MyAdder', expression: '0' });
  const function_id = made.function_id;
  assert.equal(typeof function_id, 'number', 'create_function_from_expression: function_id');

  const create = async (node_type) => (await call('create_node', { function_id, node_type })).node_id;
  const set = (node_id, value) =>
    call('set_parameter_value', { function_id, node_id, parameter_name: 'Value', value });
  const ends = (from, port, to, parameter) => ({
    function_id,
    source_node_id: from,
    source_port_name: port,
    target_node_id: to,
    target_parameter_name: parameter,
  });
  const link = (...of) => call('create_link', ends(...of));

  assert.equal(await create('ConstantScalar'), 1, 'id of the first ConstantScalar');
  assert.equal(await create('ConstantScalar'), 2, 'id of the second ConstantScalar');
  assert.equal((await set(1, 5)).success, true, 'set_parameter_value: success');
  assert.equal((await set(2, 10)).success, true, 'set_parameter_value: success');
  assert.equal(await create('Addition'), 3, 'id of the Addition');
  assert.equal((await link(1, 'Value', 3, 'A')).success, true, 'create_link: success');
  await link(2, 'Value', 3, 'B');
  await link(3, 'Result', 0, 'Shape');

  const { values } = await call('evaluate', { function_id });
  assert.equal(values.shape, 15, `5 + 10, answered ${JSON.stringify(values)}`);

  const info = await call('get_node_info', { function_id, node_id: 3 });
  assert.equal(info.success, true, 'get_node_info: success');
  assert.equal(info.node_id, 3, 'get_node_info: node_id');
  assert.equal(info.node_type, 'Addition', 'get_node_info: node_type');
  for (const name of ['A', 'B']) {
    assert.ok(info.parameters?.[name]?.type, `get_node_info: parameters.${name}.type`);
    assert.ok(info.parameters[name].source, `get_node_info: parameters.${name}.source`);
  }
  assert.ok(Object.values(info.outputs ?? {})[0]?.type, 'get_node_info: outputs');

  await refused('unknown_port', 'create_link', ends(1, 'Nonsense', 3, 'A'));
  const vector = await create('ConstantVector');
  const compose = await create('ComposeVector');
  await refused('type_mismatch', 'create_link', ends(vector, 'Vector', compose, 'X'));
  const [one, other] = [await create('Addition'), await create('Addition')];
  await link(one, 'Result', other, 'A');
  await refused('cycle', 'create_link', ends(other, 'Result', one, 'A'));

  // The refusals left no trace, so the newest step is the link between the two Additions.
  const before = await listed(call, function_id);
  assert.equal(before.name, 'MyAdder', 'list_functions: name');
  await call('undo');
  const after = await listed(call, function_id);
  assert.equal(after.link_count, before.link_count - 1, 'link_count after undo');
  assert.equal(after.node_count, before.node_count, 'node_count after undo');
  assert.equal((await call('evaluate', { function_id })).values.shape, 15, 'value after undo');

  const kinds = JSON.stringify(await call('list_node_types', { search: 'addition' }));
  assert.ok(kinds.includes('"Addition"'), `list_node_types finds no Addition: ${kinds}`);
}

/** Subscribes to the function, and is told of an edit. */
async function isTold(sdk, client, { call }) {
  const uri = 'fibula://projects/default/functions/1';
  const told = new Promise((resolve, reject) => {
    sdk.onUpdate(client, (notification) => resolve(notification.params.uri));
    setTimeout(() => reject(new Error('not told of an edit within 10 s')), 10_000).unref();
  });
  const end = await sdk.subscribe(client, uri);
  await call('create_node', { function_id: 1, node_type: 'Sine' });
  assert.equal(await told, uri);
  await end();
}

/** A person is asked before a project is deleted, if the server can ask, and their decision counts. */
async function isAsked(sdk, client, { call, refused }, canAsk) {
  const project = 'asked';
  const decisions = ['decline', 'accept'];
  const questions = [];
  sdk.onQuestion(client, async ({ params }) => {
    questions.push(params.message);
    return { action: decisions.shift(), content: {} };
  });
  await call('create_project', { project });
  if (canAsk) await refused('not_confirmed', 'delete_project', { project });
  await call('delete_project', { project });
  assert.equal(questions.length, canAsk ? 2 : 0, 'questions');
  for (const question of questions) assert.match(question, /^Delete the project 'asked'/);
}

/** A client that waits no longer, by its own time limit or because it cancels, does not disturb the server. */
async function givesUp(sdk, client, { call }) {
  const expression = 'gyroid(pos, 3, 0.5) + 1e-9 * sin(7 * pos.x) * sin(5 * pos.y)';
  const { function_id } = await call('create_function_from_expression', { name: 'Lattice', expression });
  const bounds = [[0, 0, 0], [60, 60, 60]];
  const request = { name: 'measure', arguments: { function_id, bounds, figures: ['wall'], time_limit: 40 } };
  await assert.rejects(sdk.call(client, request, { timeout: 300 }), /timed? ?out/i);
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(new Error('no longer needed')), 300);
  await assert.rejects(sdk.call(client, request, { signal: cancel.signal }), /no longer needed|abort/i);
  const begun = Date.now();
  await call('list_functions');
  assert.ok(Date.now() - begun < 5000, 'the server is busy with work that nobody waits for');
}

async function listed(call, function_id) {
  const { functions } = await call('list_functions');
  const found = functions.find((one) => one.function_id === function_id);
  assert.ok(found, `list_functions: no function ${function_id}`);
  return found;
}

/** Starts `fibula serve` on a free port, and stops it after `use`. */
async function withServer(scratch, use) {
  const port = await freePort();
  const server = spawn(bin, ['serve', '--listen', `127.0.0.1:${port}`, ...OPTIONS], {
    cwd: scratch,
    env: { ...process.env, XDG_DATA_HOME: scratch },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((resolve) => {
    server.once('exit', resolve);
    server.once('error', resolve);
  });
  try {
    const started = await Promise.race([listening(port), ended.then(() => false)]);
    assert.ok(started, `${bin} serve ended, or did not listen on port ${port} within 20 s`);
    return await use(new URL(`http://127.0.0.1:${port}/mcp`));
  } finally {
    server.kill();
    await ended;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

async function listening(port) {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    const connected = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (connected) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}
