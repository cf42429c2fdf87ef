// Browser tests of the page: starts the program that FIBULA_BIN names on a free port with scratch data, and runs every flow.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import * as editing from './flows.mjs';
import { knowledge } from './knowledge.mjs';
import { pointAndSay } from './marks.mjs';
import { preview } from './preview.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const program = path.resolve(process.env.FIBULA_BIN ?? path.join(here, '../../target/debug/fibula'));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const out = path.join(here, 'out');
const flows = { ...editing, preview, knowledge, pointAndSay };
const wanted = process.argv.slice(2);

/** A running server; `restart` ends it and starts it again on the same port and data. */
class Server {
  constructor(folder) {
    this.folder = folder;
    this.port = 0;
  }
  async start() {
    const pages = process.env.FIBULA_WEB_DIR ? ['--web-dir', process.env.FIBULA_WEB_DIR] : [];
    const args = ['serve', '--listen', `127.0.0.1:${this.port}`, '--data', this.folder, ...pages];
    this.child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.url = await new Promise((resolve, reject) => {
      let said = '';
      const read = (bytes) => {
        said += bytes;
        const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
        if (address) resolve(address[0]);
      };
      this.child.stdout.on('data', read);
      this.child.stderr.on('data', read);
      this.child.on('exit', (code) => reject(new Error(`fibula serve ended with ${code}: ${said}`)));
    });
    this.port = Number(new URL(this.url).port);
  }
  async stop() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
  async restart() {
    await this.stop();
    await this.start();
  }
  async rest(method, route, body) {
    const init = { method, headers: { 'content-type': 'application/json', 'x-fibula-client': 'tests' } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(`${this.url}${route}`, init);
    const answer = await response.json();
    return { status: response.status, ...answer };
  }
}

const args = ['--headless', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking'];
if (!existsSync(program)) throw new Error(`there is no program at ${program}: build it, or name it in FIBULA_BIN`);
mkdirSync(out, { recursive: true });
const browser = await chromium.launch({ executablePath, args });
let failed = 0;
for (const [name, flow] of Object.entries(flows)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = mkdtempSync(path.join(tmpdir(), 'fibula-page-'));
  const server = new Server(folder);
  await server.start();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  try {
    await flow({ page, server, context, errors });
    if (errors.length > 0) throw new Error(`errors on the page: ${errors.join('; ')}`);
    console.log(`ok      ${name}`);
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
