/**
 * Pictures of the page in every state, to be looked at: `npm run pictures`, or with names of pictures. They lie in tests/out.
 * FIBULA_BIN names the program; the default is the release build.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openHost } from './apps.mjs';
import { fillKnowledge } from './goals.mjs';
import { Agent } from './mcp.mjs';
import { openBrowser, programOf, Server } from './server.mjs';
import { adder, boxAtRest, card } from './steps.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.join(here, 'out');
const WIDE = { width: 1440, height: 900 };

const BRACKET = `let width = 60; let depth = 34; let height = 22; let wall = 6; let hole = 4.5;
let plate = box(pos - vec3(0, 0, wall / 2), vec3(width, depth, wall));
let back = box(pos - vec3(0, depth / 2 - wall / 2, height / 2), vec3(width, wall, height));
let body = smooth_union(plate, back, 5);
let bores = length(vec3(abs(pos.x) - width / 2 + 12, pos.y + 5, 0)) - hole;
max(body, 0 - bores)`;
const GYROID = 'let size = 40; let cell = 14; let thickness = 1.6; intersection(box(pos, vec3(size, size, size)), gyroid(pos, cell, thickness))';

async function part(server, project, name, expression) {
  await server.rest('POST', '/api/projects', { project });
  const { function_id: id } = await server.rest('POST', `/api/projects/${project}/functions`, { name, expression });
  const agent = await new Agent(server.url, 'designer').connect();
  await agent.must('add_nodes', {
    project,
    nodes: [
      { label: 'carries 40 N', types: 'requirement' },
      { label: 'aluminium 6082', types: 'material' },
    ],
    edges: [
      { source: 'carries 40 N', target: `fn:${id}`, type: 'affects' },
      { source: 'aluminium 6082', target: 'carries 40 N', type: 'allows' },
    ],
  });
  return id;
}

/** Waits until the live picture is as fine as it gets here. */
async function drawn(page) {
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.level ?? -1) >= 2, undefined, { timeout: 60_000 }).catch(() => {});
  await page.waitForTimeout(1200);
}

const pictures = {
  empty: ({ page, url }) => page.goto(`${url}/`).then(() => page.getByText('Connect an agent').waitFor()),
  async adder({ page, server, url }) {
    await adder(server);
    await page.goto(`${url}/#/demo/1`);
    await card(page, 'Addition').waitFor();
    await page.getByRole('tab', { name: 'Activity' }).click();
  },
  async part({ page, server, url }) {
    const id = await part(server, 'bracket', 'Bracket', BRACKET);
    await page.goto(`${url}/#/bracket/${id}`);
    await drawn(page);
  },
  async gyroid({ page, server, url }) {
    const id = await part(server, 'lattice', 'Lattice', GYROID);
    await page.goto(`${url}/#/lattice/${id}`);
    await drawn(page);
    await page.getByRole('button', { name: 'Section', exact: true }).click();
    await drawn(page);
  },
  async knowledge({ page, server, url }) {
    await fillKnowledge(server, 'large', 10_000);
    await page.goto(`${url}/#/large/knowledge`);
    await page.waitForFunction(() => document.querySelector('.kg-canvas')?.dataset.held === 'false', undefined, { timeout: 120_000 });
    await page.getByText('Laying out').waitFor({ state: 'detached', timeout: 120_000 });
  },
  async small({ page, server, url }) {
    await part(server, 'facts', 'Bracket', BRACKET);
    await page.goto(`${url}/#/facts/knowledge`);
    await page.getByRole('region', { name: 'Legend' }).getByText('material').waitFor();
    const search = page.getByRole('combobox', { name: 'Search the knowledge' });
    await search.fill('carries');
    await page.getByRole('option').first().waitFor();
    await search.press('Enter');
    await page.waitForTimeout(500);
  },
  async view({ page, server }) {
    const id = await part(server, 'lattice', 'Lattice', GYROID);
    const { frame } = await openHost(page, server, []);
    const parameters = { project: 'lattice', function_id: id, section: { x: 12 } };
    await page.evaluate((parameters) => window.show('render', parameters), parameters);
    await frame.getByLabel('cell', { exact: true }).fill('24');
    await frame.getByRole('button', { name: 'Both' }).click();
    await frame.getByRole('button', { name: 'Measure' }).click();
    await frame.getByText('mm³').waitFor();
  },
  async gone({ page, server, url }) {
    await adder(server, 'gone');
    await page.goto(`${url}/#/gone/1`);
    await card(page, 'Addition').waitFor();
    await server.stop();
    await page.locator('.link-state.offline').waitFor();
    const field = card(page, 'five').getByRole('spinbutton');
    await field.click();
    await page.keyboard.type('7');
    await page.keyboard.press('Enter');
    await page.getByText(/Not written yet/).waitFor();
  },
  async refused({ page, server, url }) {
    await server.rest('POST', '/api/projects', { project: 'wrong' });
    const edits = [
      { set_function: { function_id: '$f', name: 'Wrong', inputs: [{ name: 'x', type: 'float' }], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } },
      { create_node: { node_type: 'Length', alias: '$l' } },
    ];
    await server.rest('POST', '/api/projects/wrong/edits', { edits });
    await page.goto(`${url}/#/wrong/1`);
    const from = await boxAtRest(card(page, 'Begin').locator('.react-flow__handle-right'));
    const to = await boxAtRest(card(page, 'Length').locator('.react-flow__handle-left'));
    await page.mouse.move(from.x + 9, from.y + 9);
    await page.mouse.down();
    await page.mouse.move(to.x - 30, to.y + 9, { steps: 5 });
    await page.mouse.move(to.x + 9, to.y + 9, { steps: 5 });
    await page.mouse.up();
    await page.locator('.notice.error').waitFor();
    await page.getByRole('tab', { name: 'Problems' }).click();
  },
  async damaged({ page, url }) {
    await page.goto(`${url}/`);
    await page.getByText('Connect an agent').waitFor();
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array([80, 75, 3, 4, 1, 2, 3])], 'damaged.3mf'));
      const target = document.querySelector('.drop');
      target.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
      target.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page.locator('.notice.error').waitFor();
  },
};

/** Further sizes and themes of some pictures. */
const SHOTS = [
  ...Object.keys(pictures).flatMap((name) => [
    { name, theme: 'light', size: WIDE },
    ...(['empty', 'part', 'knowledge', 'small', 'adder'].includes(name) ? [{ name, theme: 'dark', size: WIDE }] : []),
  ]),
  { name: 'part', theme: 'light', size: { width: 1024, height: 700 } },
  { name: 'part', theme: 'light', size: { width: 390, height: 844 } },
  { name: 'view', theme: 'light', size: { width: 776, height: 664 } },
  { name: 'empty', theme: 'light', size: { width: 390, height: 844 } },
];

const wanted = process.argv.slice(2);
mkdirSync(out, { recursive: true });
const browser = await openBrowser();
for (const { name, theme, size } of SHOTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = mkdtempSync(path.join(tmpdir(), 'fibula-pictures-'));
  const server = new Server(programOf('release'), folder);
  await server.start();
  const page = await browser.newPage({ viewport: size, colorScheme: theme, reducedMotion: 'reduce' });
  const file = path.join(out, `${name}-${theme}-${size.width}.png`);
  try {
    await pictures[name]({ page, server, url: server.url });
    await page.waitForTimeout(400);
  } catch (error) {
    console.log(`${name}: ${error.message.split('\n')[0]}`);
    process.exitCode = 1;
  }
  await page.screenshot({ path: file });
  console.log(file);
  await page.close();
  await server.stop().catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
await browser.close();
