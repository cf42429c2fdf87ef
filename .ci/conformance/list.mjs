// Reads what a run of the conformance suite left behind and says how it went, or writes down which
// checks failed.
//
//   node list.mjs RESULTS REVISION LIST            one line, and each check that LIST does not expect so
//   node list.mjs RESULTS REVISION LIST --write    writes LIST, an expected-failures file of the suite
//
// The verdict is the suite's own exit code; this is for people to read.
// Each failing check gets an entry of its own, so that the rest of its scenario stays under guard.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [results, revision, list, mode] = process.argv.slice(2);
const report = readFileSync(path.join(results, 'report.txt'), 'utf8');
const scenarios = readScenarios();
const required = scenarios.filter((one) => one.required);
if (required.length === 0) {
  console.error(`the suite ran no scenario of ${revision}:\n${report}`);
  process.exit(1);
}

if (mode === '--write') {
  writeFileSync(list, listText());
  console.log(`wrote ${list}`);
} else {
  const checks = required.flatMap((one) => one.checks);
  const passed = checks.filter((check) => check.status === 'SUCCESS').length;
  const failing = required.flatMap(failures);
  console.log(
    `${path.basename(results)}: ${required.length} required scenarios: ${passed} checks passed, ` +
      `${failing.length} did not; ${notScored()}`,
  );
  const listed = new Set([...readFileSync(list, 'utf8').matchAll(/^ {2}- (\S+)/gm)].map((match) => match[1]));
  for (const check of failing.filter((one) => !listed.has(one.entry))) {
    console.log(`  not expected: ${check.entry}: ${message(check)}`);
  }
  for (const entry of listed) {
    if (!failing.some((check) => check.entry === entry)) console.log(`  listed, but does not fail: ${entry}`);
  }
}

/** The scenarios in the order they ran: name, whether the revision requires it, what was checked. */
function readScenarios() {
  const folders = readdirSync(results);
  const names = [...report.matchAll(/^=== Running scenario: (\S+) ===$/gm)].map((match) => match[1]);
  const scored = readRequired();
  return names.map((name) => {
    const folder = folders.find((one) => one.replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, '') === `server-${name}`);
    const file = folder && path.join(results, folder, 'checks.json');
    // A scenario that could not be run at all has no file; the suite names its one check after it.
    const checks = file && existsSync(file)
      ? JSON.parse(readFileSync(file, 'utf8'))
      : [{ id: name, status: 'FAILURE', errorMessage: 'did not run to its end' }];
    return { name, required: scored.has(name), checks };
  });
}

/** The server scenarios that the suite's own file for the revision requires. */
function readRequired() {
  const suite = path.join(results, '../../conformance/node_modules/@modelcontextprotocol/conformance');
  const lines = readFileSync(path.join(suite, `requirements/${revision}.yaml`), 'utf8').split('\n');
  const begin = lines.indexOf('server:') + 1;
  const end = lines.findIndex((line, at) => at >= begin && /^\w/.test(line));
  return new Set(lines.slice(begin, end).filter((line) => line.startsWith('  - ')).map((line) => line.slice(4).trim()));
}

/** The failing checks of a scenario as the suite counts them: warnings too, an id only once. */
function failures(scenario) {
  const worst = new Map();
  for (const check of scenario.checks) {
    if (check.status !== 'FAILURE' && check.status !== 'WARNING') continue;
    if (worst.get(check.id)?.status !== 'FAILURE') worst.set(check.id, check);
  }
  return [...worst.values()].map((check) => ({ ...check, entry: `${scenario.name}:${check.id}` }));
}

function message(check) {
  return (check.errorMessage ?? check.description ?? '').replace(/\s+/g, ' ').slice(0, 100);
}

function notScored() {
  const rest = scenarios.filter((one) => !one.required);
  const failing = rest.filter((one) => one.checks.some((check) => check.status === 'FAILURE'));
  return `${rest.length - failing.length} of ${rest.length} optional scenarios pass`;
}

/** The list with the comment lines that it begins with kept. */
function listText() {
  const old = existsSync(list) ? readFileSync(list, 'utf8') : '';
  const header = old.match(/^(#.*\n)*/)[0];
  const failing = required.flatMap(failures);
  if (failing.length === 0) return `${header}server: []\n`;
  const lines = failing.map((check) => {
    return `  - ${check.entry} # ${message(check)}\n`;
  });
  return `${header}server:\n${lines.join('')}`;
}
