// Calls every tool of every toolset, and has nearly every one refused: the calls of
// tests/agents/tour.json with the official TypeScript SDKs,
// over stdio and over streamable HTTP. Ends with 1 if the server does not do what it should, and names the first difference of each run.
//
//   node tour.mjs PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA node tour.mjs)
//
// The SDKs themselves check every answer against the outputSchema of its tool. tour.py is the same in Python.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

import { listTools, textOf, withEach } from './sdks.mjs';

const TOUR = JSON.parse(await readFile(new URL('tour.json', import.meta.url), 'utf8'));

await withEach(async (sdk, _, connected) => {
  let [tools, calls] = [0, 0];
  for (const part of TOUR) {
    await connected(part.options, {}, async (client) => {
      const uncalled = new Set((await listTools(client)).map((tool) => tool.name));
      tools += uncalled.size;
      for (const [name, given, refusal] of part.calls) {
        const result = await client.callTool({ name, arguments: given });
        check(`${name} ${JSON.stringify(given)}`, result, refusal);
        if (refusal === undefined) uncalled.delete(name);
      }
      assert.deepEqual([...uncalled], [], `tools that are not called, of ${part.options}`);
      calls += part.calls.length;
    });
  }
  return `${calls} calls of ${tools} tools`;
});

/** A refusal names its code in the last block, in every toolset. */
function check(about, result, refusal) {
  const text = textOf(result);
  assert.equal(result.isError ?? false, refusal !== undefined, `${about}: ${text}`);
  if (refusal === undefined) return;
  const { error, success } = JSON.parse(result.content.at(-1).text);
  assert.deepEqual([error, success], [refusal, false], `${about}: ${text}`);
}
