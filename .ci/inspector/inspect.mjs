// Looks at the server with the command line of the MCP Inspector, over stdio and over streamable HTTP, in both protocol eras: no schema
// of a tool may have an error, a call is answered, and a refused one ends with the code of a refusal.
//
//   node inspect.mjs PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA node inspect.mjs)
//
// It starts anew for each request, so the tour of all tools is left to tour.mjs.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { bin, withServer } from './server.mjs';

const program = fileURLToPath(new URL('node_modules/.bin/mcp-inspector', import.meta.url));
const tour = JSON.parse(await readFile(new URL('tour.json', import.meta.url), 'utf8'));
const home = await mkdtemp(path.join(os.tmpdir(), 'fibula-ci-'));

/** Runs the Inspector; gives its exit code and its answer. */
function inspect(server, era, ...request) {
  const args = [program, '--cli', ...server, '--protocol-era', era, '--format', 'json', '--quiet', ...request];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: home, env: { ...process.env, HOME: home }, maxBuffer: 1 << 26 }, (error, out, said) => {
      resolve({ code: error?.code ?? 0, answer: parse(out), about: `${args.slice(2).join(' ')}\n${out.slice(0, 2000)}${said}` });
    });
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The schemas of all tools: the Inspector ends with 6 if one has an error. */
async function listsTools(server, era) {
  const listed = await inspect(server, era, '--method', 'tools/list', '--strict');
  assert.equal(listed.code, 0, listed.about);
  assert.ok(listed.answer.result.tools.length > 0, listed.about);
}

async function callsTools(server, era) {
  const call = (name, ...given) =>
    inspect(server, era, '--method', 'tools/call', '--tool-name', name, ...given.flatMap((one) => ['--tool-arg', one]));
  const counted = await call('list_functions');
  assert.equal(counted.code, 0, counted.about);
  assert.deepEqual(counted.answer.result.structuredContent.functions, [], counted.about);
  const refused = await call('get_function', 'function_id=9');
  assert.equal(refused.code, 5, refused.about);
  assert.equal(refused.answer.result._meta.code, 'unknown_function', refused.about);
}

const DATA = ['--data', ':memory:'];

try {
  await withServer(home, [], async ({ href }) => {
    for (const era of ['legacy', 'modern']) {
      for (const { options } of tour) await listsTools([bin, 'mcp', ...DATA, ...options], era);
      await callsTools([bin, 'mcp', ...DATA], era);
      await listsTools([href], era);
      await callsTools([href], era);
      console.log(`ok: MCP Inspector over stdio and HTTP, ${era} era, ${tour.length} lists of tools`);
    }
  });
} finally {
  await rm(home, { recursive: true, force: true });
}
