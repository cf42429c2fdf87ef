// Browser tests of the page: starts the program that FIBULA_BIN names on a free port with scratch data, and runs every flow.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as access from './access.mjs';
import * as features from './features.mjs';
import * as editing from './flows.mjs';
import { knowledge } from './knowledge.mjs';
import { hostileLabels } from './labels.mjs';
import { markElsewhere, pointAndSay } from './marks.mjs';
import { parity } from './parity.mjs';
import { preview } from './preview.mjs';
import { openBrowser, programOf, Server } from './server.mjs';
import { PATIENCE_MS } from './steps.mjs';
import * as views from './views.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const program = programOf('debug');
const out = path.join(here, 'out');
const flows = { ...editing, ...access, hostileLabels, preview, parity, knowledge, pointAndSay, markElsewhere, ...features, ...views };
const wanted = process.argv.slice(2);

mkdirSync(out, { recursive: true });
const browser = await openBrowser();
let failed = 0;
for (const [name, flow] of Object.entries(flows)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const begun = Date.now();
  const folder = mkdtempSync(path.join(tmpdir(), 'fibula-page-'));
  const server = new Server(program, folder);
  await server.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  try {
    await flow({ page, server, context, errors });
    if (errors.length > 0) throw new Error(`errors on the page: ${errors.join('; ')}`);
    console.log(`ok      ${name}, ${((Date.now() - begun) / 1000).toFixed(1)} s`);
  } catch (error) {
    failed++;
    console.log(`FAILED  ${name}: ${error.stack}${errors.length > 0 ? `\nerrors on the page: ${errors.join('; ')}` : ''}`);
    await page.screenshot({ path: path.join(out, `${name}.png`) }).catch(() => {});
  } finally {
    await context.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
await browser.close();
console.log(failed === 0 ? 'all flows passed' : `${failed} failed; pictures are in ${out}`);
process.exitCode = failed === 0 ? 0 : 1;
