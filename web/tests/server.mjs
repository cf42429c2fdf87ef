/** The program under test as a server, and a browser without a window. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));

/** The program that FIBULA_BIN names, or the one of a profile. */
export function programOf(profile) {
  const program = path.resolve(process.env.FIBULA_BIN ?? path.join(here, '../../target', profile, 'fibula'));
  if (!existsSync(program)) throw new Error(`there is no program at ${program}: build it, or name it in FIBULA_BIN`);
  return program;
}

export function openBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  const args = ['--headless', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

/** A running server; `restart` ends it and starts it again on the same port and data. */
export class Server {
  constructor(program, folder) {
    this.program = program;
    this.folder = folder;
    this.port = 0;
  }
  async start() {
    const pages = process.env.FIBULA_WEB_DIR ? ['--web-dir', process.env.FIBULA_WEB_DIR] : [];
    const args = ['serve', '--listen', `127.0.0.1:${this.port}`, '--data', this.folder, ...pages];
    this.child = spawn(this.program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
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
    await fetch(this.url, { headers: { connection: 'close' } });
  }
  async stop() {
    if (this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
  async restart() {
    await this.stop();
    await this.start();
  }
  /** The answer to a request that must not be refused. */
  async rest(method, route, body) {
    const { isRefused, answer } = await this.send(method, route, body);
    if (isRefused) throw new Error(`${method} ${route}: ${JSON.stringify(answer)}`);
    return answer;
  }
  async send(method, route, body) {
    // A connection that is kept would be closed by a restart of the server.
    const init = { method, headers: { connection: 'close', 'content-type': 'application/json', 'x-fibula-client': 'tests' } };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(`${this.url}${route}`, init);
    return { isRefused: !response.ok, answer: await response.json() };
  }
}
