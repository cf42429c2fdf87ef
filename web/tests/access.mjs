// Every panel in both themes without violations that axe finds, and the whole page by keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Agent } from './mcp.mjs';
import { adder, card, open, until } from './steps.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const PART = 'let outer = 10; let bore = 4; max(max(length(vec3(pos.x, pos.y, 0)) - outer, bore - length(vec3(pos.x, pos.y, 0))), abs(pos.z) - 3)';

/** A part, with knowledge about it. */
async function part(server) {
  await server.rest('POST', '/api/projects', { project: 'part' });
  const made = await server.rest('POST', '/api/projects/part/functions', { name: 'Ring', expression: PART });
  const agent = await new Agent(server.url).connect();
  const nodes = [
    { label: 'wall >= 2 mm', types: 'requirement', data: { source: 'ISO 2768' }, observations: ['checked by measure'] },
    { label: 'aluminium', types: 'material' },
    { label: 'anodised', types: 'finish' },
  ];
  const edges = [
    { source: 'wall >= 2 mm', target: 'fn:1', type: 'affects' },
    { source: 'aluminium', target: 'wall >= 2 mm', type: 'allows' },
    { source: 'anodised', target: 'aluminium', type: 'covers' },
  ];
  await agent.must('add_nodes', { project: 'part', nodes, edges });
  return made.function_id;
}

export async function accessible({ page, server }) {
  await adder(server);
  const ring = await part(server);
  const notes = [
    { id: 'frame-1', label: 'Inputs', types: ['frame'] },
    { id: 'comment-1', label: 'Ten of them', types: ['comment'] },
    { id: 'rule-1', label: 'At least five', types: ['requirement'] },
  ];
  const edges = [
    { source: 'frame-1', target: 'fn:1/1', type: 'frames' },
    { source: 'comment-1', target: 'fn:1/2', type: 'comments' },
    { source: 'rule-1', target: 'fn:1/1', type: 'constrains' },
  ];
  await server.rest('POST', '/api/graph/demo/add', { nodes: notes, edges });
  await server.rest('POST', '/api/projects/demo/checkpoints', { name: 'first' });
  const check = async (what) => {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const said = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any.map((any) => any.message).join()}`).join(' | ')}`);
    assert.deepEqual(said, [], what);
  };
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const checked = (what) => check(`${what}, ${colorScheme}`);
    await open(page, server, '');
    await page.getByText('Connect an agent').waitFor();
    await checked('empty');
    await page.getByRole('button', { name: /^demo/ }).click();
    await card(page, 'Addition').locator('.card-title').click();
    await page.locator('.frame').waitFor();
    for (const tab of ['Activity', 'Problems', 'Marks', 'History', 'Variants', 'Table']) {
      await page.getByRole('tab', { name: tab }).click();
      await checked(tab);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await checked('search');
    await page.keyboard.press('Escape');
    await page.locator('.react-flow__pane').click({ position: { x: 60, y: 300 } });
    await page.keyboard.press('Space');
    await page.getByRole('dialog', { name: 'Add a node' }).waitFor();
    await checked('palette');
    await page.keyboard.press('Escape');
    await page.locator('.library summary').click();
    await page.locator('.library li').nth(5).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    await checked('library, export menu');
    await page.keyboard.press('Escape');

    await open(page, server, `#/part/${ring}`);
    await page.locator('[data-testid=solid]').waitFor();
    await page.getByRole('slider', { name: 'bore' }).waitFor();
    await page.getByRole('region', { name: 'Measures' }).getByText(/mm/).first().waitFor();
    await checked('part, parameters, measures');
    await page.getByRole('button', { name: 'Section', exact: true }).click();
    await page.getByRole('slider', { name: 'Place of the section' }).waitFor();
    await checked('section');
    for (const mode of ['Slice', 'What changed']) {
      const button = page.getByRole('region', { name: 'Preview' }).getByRole('button', { name: mode });
      await button.click();
      await page.getByRole('button', { name: mode, pressed: true }).waitFor();
      await checked(mode);
    }
    // A refusal.
    await page.route('**/edits*', (route) => route.fulfill({ status: 422, contentType: 'application/json', body: JSON.stringify({ success: false, code: 'no_overload', message: 'it takes a float3', hint: 'insert a conversion' }) }));
    await card(page, 'outer').locator('.card-title').click();
    await page.keyboard.press('Delete');
    await page.locator('.notice.error').waitFor();
    await checked('notice');
    await page.unroute('**/edits*');

    await open(page, server, '#/part/knowledge');
    await page.getByRole('region', { name: 'Legend' }).getByText('finish').waitFor();
    await checked('knowledge');
    const search = page.getByRole('combobox', { name: 'Search the knowledge' });
    await search.fill('wall');
    await page.getByRole('option').first().waitFor();
    await checked('search of the knowledge');
    await search.press('Enter');
    await page.getByRole('region', { name: 'Node of the knowledge graph' }).getByText('affects').waitFor();
    await checked('node of the knowledge');
    await page.getByRole('button', { name: 'Communities' }).click();
    await page.locator('summary', { hasText: 'Add node' }).click();
    await checked('communities, new node');
    await page.keyboard.press('Escape');
    await page.getByRole('toolbar', { name: 'Knowledge graph' }).getByRole('button', { name: 'Table' }).click();
    await page.getByRole('region', { name: 'Nodes' }).waitFor();
    await checked('table of the knowledge');
  }
}

/** Presses a key until the focus is at an element. */
async function reach(page, locator, key = 'Tab', most = 160) {
  for (let press = 0; press < most; press++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`the focus does not reach ${locator}`);
}

/** Everything by keyboard: begin with the adder, add a node, link it in the table, set a value, undo. */
export async function keyboard({ page, server }) {
  await open(page, server, '');
  const starter = page.getByRole('button', { name: /An adder/ });
  await starter.waitFor();
  await reach(page, starter);
  await page.keyboard.press('Enter');
  await card(page, 'Addition').waitFor();
  await page.keyboard.press('Space');
  await page.getByRole('dialog', { name: 'Add a node' }).waitFor();
  await page.keyboard.type('sqrt');
  await page.keyboard.press('Enter');
  await card(page, 'Sqrt').waitFor();
  await page.getByRole('dialog', { name: 'Add a node' }).waitFor({ state: 'hidden' });
  await page.keyboard.press('Control+j');
  await page.getByRole('tab', { name: 'Activity', selected: true }).waitFor();
  await reach(page, page.getByRole('tab', { name: 'Activity' }));
  for (const name of ['Problems', 'Marks', 'History', 'Variants', 'Table']) {
    await page.keyboard.press('ArrowRight');
    const tab = page.getByRole('tab', { name });
    await until(() => tab.evaluate((element) => element === document.activeElement), `the arrow key leads to ${name}`);
  }
  const source = page.getByRole('combobox', { name: 'source of A of Sqrt' });
  await source.waitFor();
  await reach(page, source);
  await page.keyboard.type('Addition');
  await page.keyboard.press('Tab');
  await until(async () => (await page.locator('.react-flow__edge').count()) === 4, 'the link is there');
  const field = page.getByRole('tabpanel').getByRole('spinbutton', { name: 'value of a' });
  await reach(page, field, 'Shift+Tab');
  await page.keyboard.press('ArrowUp');
  const sum = async () => card(page, 'Addition').locator('.live').first().textContent();
  await until(async () => (await sum()) === '15.1', 'an arrow key changes the number');
  await page.keyboard.press('Control+z');
  await until(async () => (await sum()) === '15', 'undo takes it back');
  for (const key of ['Control+x', 'Delete']) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.keyboard.type('Sqrt');
    await page.keyboard.press('Enter');
    await page.locator('.card.selected', { hasText: 'Sqrt' }).waitFor();
    await page.locator('.react-flow__node', { has: page.locator('.card.selected') }).focus();
    await page.keyboard.press(key);
    await until(async () => (await card(page, 'Sqrt').count()) === 0, `${key} deletes it`);
    await until(() => page.locator('.graph').evaluate((graph) => graph === document.activeElement), 'the focus is on the canvas');
    await page.keyboard.press('Control+z');
    await card(page, 'Sqrt').waitFor();
  }
}

/** The table of a large function: a field lists all sources while it has the focus; the overview shows cards that are less than a pixel wide. */
export async function largeTable({ page, server }) {
  await adder(server);
  const edits = Array.from({ length: 299 }, (_, at) => [
    { create_node: { function_id: 1, node_type: 'Sine', alias: `$${at}`, display_name: `sine ${at}` } },
    { create_link: { function_id: 1, source_node_id: at === 0 ? 3 : `$${at - 1}`, source_port_name: 'result', target_node_id: `$${at}`, target_parameter_name: 'A' } },
  ]).flat();
  await server.rest('POST', '/api/projects/demo/edits', { edits });
  await open(page, server);
  await page.locator('.react-flow__minimap-node').nth(200).waitFor({ state: 'attached' });
  const strokes = await page.locator('.react-flow__minimap-node').evaluateAll((nodes) => nodes.map((node) => `${getComputedStyle(node).vectorEffect} ${getComputedStyle(node).strokeWidth}`));
  assert.deepEqual([...new Set(strokes)], ['non-scaling-stroke 1px']);
  await page.getByRole('tab', { name: 'Table' }).click();
  const source = page.getByRole('combobox', { name: 'source of A of sine 7', exact: true });
  await source.waitFor();
  const fields = await page.locator('.nodes select').count();
  assert.ok((await page.locator('.nodes option').count()) <= 2 * fields, 'only what is chosen');
  await reach(page, source, 'Tab', 2000);
  assert.ok((await source.locator('option').count()) > 300, 'all sources');
  await page.keyboard.type('five');
  await page.keyboard.press('Tab');
  await until(async () => (await server.rest('GET', '/api/projects/demo/functions/1/graph')).nodes.some((node) => node.display_name === 'sine 7' && node.parameters.A.source.node_id === 1), 'the link is there');
  assert.equal(await source.locator('option').count(), 2, 'the list goes with the focus');
}

/** The preview by keyboard: it is turned, cut and moved along a slider, and a parameter is changed. */
export async function keyboardPreview({ page, server }) {
  const ring = await part(server);
  await open(page, server, `#/part/${ring}`);
  const solid = page.getByRole('application', { name: /Picture of the part/ });
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.drawn ?? 0) > 0);
  await reach(page, solid);
  const drawn = () => page.evaluate(() => Number(document.querySelector('[data-testid=solid]').dataset.drawn));
  const view = page.getByRole('combobox', { name: 'View', exact: true });
  const begun = await view.inputValue();
  const before = await drawn();
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await drawn()) > before, 'an arrow key turns the part');
  await page.keyboard.press('1');
  await until(async () => !['', begun].includes(await view.inputValue()), 'a digit is a standard view');
  const section = page.getByRole('button', { name: 'Section', exact: true });
  await reach(page, section);
  await page.keyboard.press('Enter');
  const place = page.getByRole('slider', { name: 'Place of the section' });
  await place.waitFor();
  await reach(page, place);
  const share = await place.inputValue();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await place.inputValue()) !== share, 'an arrow key moves the section');
  const bore = page.getByRole('slider', { name: 'bore' });
  await reach(page, bore);
  await page.keyboard.press('ArrowRight');
  await until(async () => {
    const { parameters } = await server.rest('GET', `/api/projects/part/parameters?function_id=${ring}`);
    return parameters.find((one) => one.name === 'bore').value !== 4;
  }, 'an arrow key changes a parameter');
}

/** The knowledge view by keyboard: search, walk along edges, a path, the table, a new node and undo. */
export async function keyboardKnowledge({ page, server }) {
  await part(server);
  await open(page, server, '#/part/knowledge');
  await page.getByRole('region', { name: 'Legend' }).getByText('finish').waitFor();
  const search = page.getByRole('combobox', { name: 'Search the knowledge' });
  await reach(page, search);
  await page.keyboard.type('anodised');
  await page.getByRole('option', { name: /anodised/ }).waitFor();
  await page.keyboard.press('Enter');
  const details = page.getByRole('region', { name: 'Node of the knowledge graph' });
  await details.getByText('covers').waitFor();
  const canvas = page.getByRole('application', { name: /Knowledge graph/ });
  await reach(page, canvas);
  await page.keyboard.press('p');
  // From node to node, until another end of the path is found.
  const spoken = page.locator('.kg-canvas [role=status]');
  for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
    await page.keyboard.press(key);
    if (!/anodised|^$/.test((await spoken.textContent()) ?? '')) break;
  }
  await page.getByRole('list', { name: /Path of/ }).waitFor();
  await page.keyboard.press('Escape');
  await until(async () => (await page.getByRole('list', { name: /Path of/ }).count()) === 0, 'Escape clears the path');
  const table = page.getByRole('toolbar', { name: 'Knowledge graph' }).getByRole('button', { name: 'Table' });
  await reach(page, table, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Nodes' }).waitFor();
  await page.keyboard.press('Enter');
  await reach(page, page.locator('summary', { hasText: 'Add node' }));
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await page.keyboard.type('polished');
  await page.keyboard.press('Enter');
  await until(async () => (await server.rest('GET', '/api/graph/part/state')).node_count === 4, 'a node is added');
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Control+z');
  await until(async () => (await server.rest('GET', '/api/graph/part/state')).node_count === 3, 'undo takes it back');
}
