// What each toolset costs an agent: the tokens of its tool list, as cl100k_base encodes it, and a description of every argument.
// Ends with 1 if a list costs more than it may, or an argument is not described.
//
//   node budget.mjs PATH_TO_FIBULA        (or FIBULA_BIN=PATH_TO_FIBULA node budget.mjs)

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';

import { listTools, withOne } from './sdks.mjs';
import { bin } from './server.mjs';

/** The most tokens of the list that every agent pays for, and of that of one toolset. */
const DEFAULT_BUDGET = 8000;
const BUDGET = 5000;

await check('default', [], DEFAULT_BUDGET);
for (const name of toolsets()) await check(name, ['--toolsets', name], BUDGET);

/** All toolsets, as the program names them where it refuses one that it has not. */
function toolsets() {
  const { stderr } = spawnSync(bin, ['mcp', '--toolsets', 'nothing'], { encoding: 'utf8' });
  const names = /the toolsets are (.+)/.exec(stderr);
  assert.ok(names, stderr);
  return names[1].trim().split(', ');
}

async function check(toolset, options, budget) {
  const tools = await withOne(options, listTools);
  for (const tool of tools) {
    for (const [name, schema] of Object.entries(tool.inputSchema.properties ?? {})) {
      assert.ok(schema.description, `${toolset}: ${name} of ${tool.name} is not described`);
    }
  }
  const tokens = countTokens(JSON.stringify(tools));
  console.log(`ok: toolset ${toolset}, ${tools.length} tools, ${tokens} tokens`);
  assert.ok(tokens <= budget, `the list of ${toolset} costs ${tokens} tokens, and may cost ${budget}`);
}
