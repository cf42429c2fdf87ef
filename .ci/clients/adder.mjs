// Runs the adder of the README as an agent would: with the official TypeScript SDKs, over stdio and
// over streamable HTTP, in both protocol eras. Ends with 1 if the server does not do what it should, and names the first difference of each run.
//
//   node adder.mjs PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA node adder.mjs)
//
// The SDKs themselves check that every structuredContent fits the outputSchema of its tool: SDK v1
// refuses the whole tool list, or the call, when it does not. adder.py is the same in Python.

import assert from 'node:assert/strict';

import { IMAGE_TOOLS, listTools, textOf, withEach } from './sdks.mjs';

const OPTIONS = ['--toolsets', 'project,project-extra,function,geometry,knowledge'];

await withEach((sdk, hears, connected) =>
  connected(OPTIONS, { elicitation: {} }, (client) => converse(sdk, client, hears)),
);

/** Looks at the tools, builds the adder, is refused, goes back, subscribes, is asked, gives up. */
async function converse(sdk, client, hears) {
  const tools = await listTools(client);
  tools.forEach(checkTool);
  const calls = caller(client);
  await buildAdder(calls);
  const { resources } = client.getServerCapabilities();
  assert.equal(resources.subscribe, hears || undefined, 'resources.subscribe');
  if (hears) await isTold(sdk, client, calls);
  await isAsked(sdk, client, calls, hears);
  await givesUp(sdk, client, calls);
  return `protocol ${sdk.protocol}, ${tools.length} tools`;
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
