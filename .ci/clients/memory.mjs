// Asks the official memory server and Fibula's toolset `memory` the same things, at random, and ends with 1 and the
// first answer that differs: in what is structured, in its text, or in whether it is an error.
//
//   node memory.mjs PATH_TO_FIBULA [SEED]
//
// Left out is what cannot be the same: texts that no label may have, such as empty ones, and relations to functions that
// are not there, which Fibula refuses.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const CALLS = 1500;

const bin = path.resolve(process.argv[2] ?? process.env.FIBULA_BIN ?? 'target/debug/fibula');
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);

// mulberry32: any small generator with a seed will do.
let state = seed;
function random(below) {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) % below;
}
const pick = (list) => list[random(list.length)];
const some = (most, make) => Array.from({ length: random(most + 1) }, make);

const NAMES = ['TP53', 'tp53', 'Ärger', 'MDM2', 'Type 2 Diabetes', 'a "b" <c>', '\u4e2d\u6587', 'n1', 'fn:3', ' x '];
const TYPES = ['gene', 'Gene', 'disease', 'unknown'];
const NOTES = ['on 17p13', 'ON 17P13', 'mutated in tumours', 'a\nb', '{}', 'unknown'];
const WAYS = ['inhibits', 'Inhibits', 'causes'];
const ENDS = NAMES.filter((name) => !name.startsWith('fn:'));
const QUERIES = ['tp', 'TP53', 'gene', '17', 'ÄRGER', ' ', 'unknown', 'nothing', '', '"b"', 'tumour'];

// What nobody asked for is passed over.
const with_more = (given) => (random(5) === 0 ? { ...given, createdAt: '2026-01-01', note: [1] } : given);
const relation = () => with_more({ from: pick(ENDS), to: pick(ENDS), relationType: pick(WAYS) });
const MAKERS = [
  () => ['create_entities', { entities: some(3, () => with_more({ name: pick(NAMES), entityType: pick(TYPES), observations: some(3, () => pick(NOTES)) })) }],
  () => ['create_relations', { relations: some(3, relation) }],
  () => ['create_relations', { relations: some(3, relation) }],
  () => ['add_observations', { observations: some(2, () => with_more({ entityName: pick(NAMES), contents: some(3, () => pick(NOTES)) })) }],
  () => ['delete_entities', { entityNames: some(1, () => pick(NAMES)) }],
  () => ['delete_observations', { deletions: some(2, () => with_more({ entityName: pick(NAMES), observations: some(2, () => pick(NOTES)) })) }],
  () => ['delete_relations', { relations: some(2, relation) }],
  () => ['read_graph', {}],
  () => ['search_nodes', { query: pick(QUERIES) }],
  () => ['open_nodes', { names: some(3, () => pick(NAMES)) }],
];

async function connect(command, args, env) {
  const client = new Client({ name: 'memory.mjs', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, env: { ...getDefaultEnvironment(), ...env } }));
  await client.listTools();
  return client;
}

const folder = await mkdtemp(path.join(os.tmpdir(), 'fibula-memory-'));
try {
  const theirs = path.join(
    path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/package.json')),
    'dist/index.js',
  );
  const official = await connect(process.execPath, [theirs], { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') });
  const fibula = await connect(bin, ['mcp', '--toolsets', 'memory'], { FIBULA_DATA: folder });
  const ask = async (client, name, args) => {
    const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
    return { text: content[0].text, answer: structuredContent, isError: isError === true };
  };
  let errors = 0;
  for (let call = 0; call < CALLS; call += 1) {
    const [name, given] = pick(MAKERS)();
    const args = with_more(given);
    const [expected, found] = await Promise.all([ask(official, name, args), ask(fibula, name, args)]);
    assert.deepEqual(found, expected, `seed ${seed}, call ${call}: ${name} ${JSON.stringify(args)}`);
    errors += expected.isError ? 1 : 0;
  }
  await Promise.all([official.close(), fibula.close()]);
  console.log(`memory: ${CALLS} calls answered as the official memory server answers them, ${errors} of them errors (seed ${seed})`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
