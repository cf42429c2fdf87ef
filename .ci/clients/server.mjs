// The program that is tried, and servers of it.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import net from 'node:net';
import path from 'node:path';

/** The program that is tried. */
export const bin = path.resolve(process.argv[2] ?? process.env.FIBULA_BIN ?? 'target/debug/fibula');

/** Starts `fibula serve` on a free port, and stops it after `use`. */
export async function withServer(scratch, options, use) {
  const port = await freePort();
  const server = spawn(bin, ['serve', '--data', ':memory:', '--listen', `127.0.0.1:${port}`, ...options], {
    cwd: scratch,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (data) => {
    said += data;
  });
  const ended = new Promise((resolve) => {
    server.once('exit', resolve);
    server.once('error', resolve);
  });
  try {
    const started = await Promise.race([listening(port), ended.then(() => false)]);
    assert.ok(started, `${bin} serve ended, or did not listen on port ${port} within 20 s`);
    return await use(new URL(`http://127.0.0.1:${port}/mcp`));
  } catch (error) {
    console.error(said);
    throw error;
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
