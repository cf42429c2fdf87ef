// What people and agents do with the page, end to end. Each flow has a server of its own.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Agent } from './mcp.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const card = (page, title) => page.locator('.react-flow__node', { has: page.locator('.card-title', { hasText: new RegExp(`^${title}$`) }) });
const activity = (page) => page.locator('.activity li');

async function until(check, what) {
  const end = Date.now() + 15_000;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`not reached: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The box of an element once it stays where it is. */
async function boxAtRest(locator) {
  let last = '';
  await until(async () => {
    const before = last;
    await new Promise((resolve) => setTimeout(resolve, 150));
    last = JSON.stringify(await locator.boundingBox());
    return last === before;
  }, 'the element stays where it is');
  return JSON.parse(last);
}

async function adder(server, project = 'demo') {
  await server.rest('POST', '/api/projects', { project });
  const edits = [
    { set_function: { function_id: '$f', name: 'Adder', inputs: [], outputs: [{ name: 'sum', type: 'float' }], nodes: [] } },
    { create_node: { node_type: 'ConstantScalar', alias: '$a', display_name: 'five' } },
    { create_node: { node_type: 'ConstantScalar', alias: '$b', display_name: 'ten' } },
    { create_node: { node_type: 'Addition', alias: '$add' } },
    { set_parameter_value: { node_id: '$a', parameter_name: 'value', value: 5 } },
    { set_parameter_value: { node_id: '$b', parameter_name: 'value', value: 10 } },
    { create_link: { source_node_id: '$a', source_port_name: 'value', target_node_id: '$add', target_parameter_name: 'A' } },
    { create_link: { source_node_id: '$b', source_port_name: 'value', target_node_id: '$add', target_parameter_name: 'B' } },
    { create_link: { source_node_id: '$add', source_port_name: 'result', target_node_id: 0, target_parameter_name: 'sum' } },
  ];
  const done = await server.rest('POST', `/api/projects/${project}/edits`, { edits });
  assert.equal(done.status, 200, JSON.stringify(done));
  return done;
}

async function open(page, server, hash = '#/demo/1') {
  await page.goto(`${server.url}/${hash}`);
}

/** An agent builds the adder over MCP; the page shows each step. */
export async function watch({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  await open(page, server, '#/demo');
  await page.getByText('This project is empty').waitFor();
  const agent = await new Agent(server.url).connect();
  const project = 'demo';
  await agent.must('apply_edits', { project, edits: [{ set_function: { function_id: 1, name: 'MyAdder', inputs: [], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } }] });
  await card(page, 'End').waitFor();
  const create = (node_type, display_name) => agent.must('create_node', { project, function_id: 1, node_type, display_name });
  const five = (await create('ConstantScalar', 'five')).node_id;
  await card(page, 'five').waitFor();
  const ten = (await create('ConstantScalar', 'ten')).node_id;
  await card(page, 'ten').waitFor();
  const sum = (await create('Addition', 'total')).node_id;
  await card(page, 'total').waitFor();
  await agent.must('set_parameter_value', { project, function_id: 1, node_id: five, parameter_name: 'value', value: 5 });
  await agent.must('set_parameter_value', { project, function_id: 1, node_id: ten, parameter_name: 'value', value: 10 });
  const link = (source_node_id, source_port_name, target_node_id, target_parameter_name) =>
    agent.must('create_link', { project, function_id: 1, source_node_id, source_port_name, target_node_id, target_parameter_name });
  await link(five, 'value', sum, 'A');
  await link(ten, 'value', sum, 'B');
  await link(sum, 'result', 0, 'shape');
  await until(async () => (await card(page, 'total').locator('.live').allTextContents()).includes('15'), 'the port shows 15');
  await page.getByRole('tab', { name: 'Activity' }).click();
  await until(async () => (await activity(page).count()) === 9, 'the activity lists all calls');
  const clients = await page.locator('.activity .client').allTextContents();
  assert.ok(clients.every((client) => client.startsWith('test-agent')), clients.join());
  // What the agent changed glows, and says whose it is.
  assert.ok((await page.locator('.card.glow .who').allTextContents()).some((who) => who.startsWith('test-agent')));
}

/** A person corrects a number by dragging; the agent's stale write is refused, and succeeds after it has read again. */
export async function correct({ page, server }) {
  await adder(server);
  const agent = await new Agent(server.url).connect();
  await open(page, server);
  const field = card(page, 'five').getByRole('spinbutton');
  await field.waitFor();
  assert.equal(await field.inputValue(), '5');
  const box = await boxAtRest(field);
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 1; step <= 25; step++) await page.mouse.move(box.x + 10 + step * 2, box.y + box.height / 2);
  await page.mouse.up();
  await until(async () => (await field.inputValue()) === '7.5', 'the number is 7.5');
  await until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === '17.5', 'the value follows');
  const before = await server.rest('GET', '/api/projects/demo/history');
  assert.equal(before.entries.length, 2, 'a drag is one step of the history');
  const write = (expected_revision) => agent.call('set_parameter_value', { project: 'demo', function_id: 1, node_id: 1, parameter_name: 'value', value: 1, expected_revision });
  const stale = await write(1);
  assert.ok(stale.refused && stale.text.includes('revision_conflict'), stale.text);
  const fresh = await write(2);
  assert.ok(!fresh.refused, fresh.text);
  await until(async () => (await field.inputValue()) === '1', "the page shows the agent's value");
}

/** A stale write of the page: one that touches something else is repeated, one that would overwrite asks first. */
export async function conflict({ page, server }) {
  await adder(server);
  await open(page, server);
  const field = card(page, 'five').getByRole('spinbutton');
  await field.click();
  await page.keyboard.type('6');
  // While the page cannot hear of it, another client changes the other constant.
  const set = (node, value) => server.rest('PUT', `/api/projects/demo/functions/1/nodes/${node}/parameters/value`, { value });
  await page.route('**/graph', (route) => route.abort());
  await set(2, 20);
  await page.unroute('**/graph');
  await page.keyboard.press('Enter');
  await until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === '26', 'both changes hold');
  // The same constant: the page writes only when the person says so.
  let held = true;
  await page.route('**/edits*', async (route) => {
    if (held) {
      held = false;
      await set(1, 50);
    }
    await route.continue();
  });
  await field.click();
  await page.keyboard.type('8');
  await page.keyboard.press('Enter');
  await page.getByText(/Not written/).waitFor();
  const graph = await server.rest('GET', '/api/projects/demo/functions/1/graph');
  assert.equal(graph.nodes.find((node) => node.node_id === 1).parameters.value.value, 50);
  await page.getByRole('button', { name: 'Write mine' }).click();
  await until(async () => (await field.inputValue()) === '8', 'the value of the person');
}

/** A link between different types: the reason is shown, the conversion is one click and one step of the history. */
export async function connectWrongly({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const edits = [
    { set_function: { function_id: '$f', name: 'Wrong', inputs: [{ name: 'x', type: 'float' }], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } },
    { create_node: { node_type: 'Length', alias: '$l' } },
  ];
  await server.rest('POST', '/api/projects/demo/edits', { edits });
  await open(page, server);
  const from = await card(page, 'Begin').locator('.react-flow__handle-right').boundingBox();
  const to = await card(page, 'Length').locator('.react-flow__handle-left').boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x - 30, to.y + to.height / 2, { steps: 5 });
  await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 });
  await page.mouse.up();
  await page.locator('.notice.error', { hasText: /float/ }).waitFor();
  await page.getByRole('button', { name: 'Insert the conversion' }).click();
  await card(page, 'VectorFromScalar').waitFor();
  const { entries } = await server.rest('GET', '/api/projects/demo/history');
  assert.equal(entries.length, 2, 'one step of the history');
  await page.keyboard.press('Control+z');
  await until(async () => (await card(page, 'VectorFromScalar').count()) === 0, 'one undo takes it back');
}

/** The server ends and starts again under an open page. */
export async function restart({ page, server }) {
  await adder(server);
  await open(page, server);
  await card(page, 'Addition').waitFor();
  await server.stop();
  await page.locator('.link-state.offline').waitFor();
  assert.equal(await card(page, 'Addition').count(), 1, 'the page keeps what it shows');
  await server.start();
  await page.locator('.link-state.live').waitFor({ state: 'attached' });
  const field = card(page, 'five').getByRole('spinbutton');
  await server.rest('PUT', '/api/projects/demo/functions/1/nodes/1/parameters/value', { value: 9 });
  await until(async () => (await field.inputValue()) === '9', 'changes after the restart arrive');
  await field.click();
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === '13', 'the page writes again');
}

/** Everything by keyboard: begin with the adder, add a node, link it in the table, set a value, undo. */
export async function keyboard({ page, server }) {
  await open(page, server, '');
  const starter = page.getByRole('button', { name: /An adder/ });
  await starter.waitFor();
  const reach = async (locator, key = 'Tab', most = 120) => {
    for (let press = 0; press < most; press++) {
      if (await locator.evaluate((element) => element === document.activeElement)) return;
      await page.keyboard.press(key);
    }
    throw new Error('the focus does not reach it');
  };
  await reach(starter);
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
  await reach(page.getByRole('tab', { name: 'Activity' }));
  for (const name of ['Problems', 'Marks', 'History', 'Table']) {
    await page.keyboard.press('ArrowRight');
    const tab = page.getByRole('tab', { name });
    await until(() => tab.evaluate((element) => element === document.activeElement), `the arrow key leads to ${name}`);
  }
  const source = page.getByRole('combobox', { name: 'source of A of Sqrt' });
  await source.waitFor();
  await reach(source);
  await page.keyboard.type('Addition');
  await page.keyboard.press('Tab');
  await until(async () => (await page.locator('.react-flow__edge').count()) === 4, 'the link is there');
  const field = page.getByRole('tabpanel').getByRole('spinbutton', { name: 'value of a' });
  await reach(field, 'Shift+Tab');
  await page.keyboard.press('ArrowUp');
  await until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === '15.1', 'an arrow key changes the number');
  await page.keyboard.press('Control+z');
  await until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === '15', 'undo takes it back');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  await page.keyboard.type('Sqrt');
  await page.keyboard.press('Enter');
  await page.locator('.card.selected', { hasText: 'Sqrt' }).waitFor();
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press('Delete');
  await until(async () => (await card(page, 'Sqrt').count()) === 0, 'Delete deletes it');
}

/** Verbs of the canvas that keep links. */
export async function verbs({ page, server }) {
  await adder(server);
  await open(page, server);
  await card(page, 'Addition').locator('.card-title').click();
  await page.keyboard.press('s');
  await page.getByRole('dialog', { name: 'Swap for another kind' }).waitFor();
  await page.keyboard.type('multip');
  await page.keyboard.press('Enter');
  await card(page, 'Multiplication').waitFor();
  await until(async () => (await card(page, 'End').locator('.live').textContent()) === '50', 'the links are kept');
  await card(page, 'Multiplication').locator('.card-title').click();
  await page.keyboard.press('Control+d');
  await until(async () => (await card(page, 'Multiplication').count()) === 2, 'a duplicate');
  await until(async () => (await page.locator('.react-flow__edge').count()) === 5, 'it has the same sources');
  await page.keyboard.press('Control+z');
  await until(async () => (await card(page, 'Multiplication').count()) === 1, 'undone');
  await card(page, 'Multiplication').locator('.card-title').click();
  await page.keyboard.press('Shift+Delete');
  await until(async () => (await card(page, 'End').locator('.live').textContent()) === '5', 'delete and reconnect');
  // A wire that ends on the empty canvas asks what it leads to.
  const from = await card(page, 'ten').locator('.react-flow__handle-right').boundingBox();
  await page.mouse.move(from.x + 9, from.y + 9);
  await page.mouse.down();
  await page.mouse.move(from.x + 60, from.y + 160, { steps: 8 });
  await page.mouse.up();
  await page.getByRole('dialog', { name: 'Add a node' }).waitFor();
  const unsuitable = page.locator('.palette li[aria-disabled="true"]');
  await until(async () => (await unsuitable.count()) > 0, 'what does not fit is grey, not hidden');
  await page.keyboard.type('sqrt');
  await page.keyboard.press('Enter');
  await card(page, 'Sqrt').waitFor();
  await until(async () => (await card(page, 'Sqrt').locator('.port-name').count()) > 0 && (await page.locator('.react-flow__edge').count()) === 2, 'and is linked');
}

/** Files that are dropped on the page are imported. */
export async function drop({ page, server }) {
  await open(page, server, '');
  await page.getByText('Connect an agent').waitFor();
  const knowledge = JSON.stringify({ '@context': { name: 'http://schema.org/name' }, '@graph': [{ '@id': 'urn:a', '@type': 'Thing', name: 'A valve' }] });
  const graph = await server.rest('POST', '/api/projects', { project: 'source' });
  assert.equal(graph.status, 200);
  await server.rest('POST', '/api/projects/source/functions', { name: 'Ball', expression: 'length(pos) - 5' });
  const file = Buffer.from(await (await fetch(`${server.url}/api/projects/source/export.3mf`)).arrayBuffer()).toString('base64');
  const dropFile = (name, base64) =>
    page.evaluate(
      ([fileName, content]) => {
        const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
        const data = new DataTransfer();
        data.items.add(new File([bytes], fileName));
        const target = document.querySelector('.drop');
        target.dispatchEvent(new DragEvent('dragover', { dataTransfer: data, bubbles: true, cancelable: true }));
        target.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
      },
      [name, base64],
    );
  await dropFile('ball.3mf', file);
  await page.getByText(/Imported 1 function/).waitFor();
  await page.locator('.outline').getByText('Ball').waitFor();
  await dropFile('valve.jsonld', Buffer.from(knowledge).toString('base64'));
  await page.getByText(/from valve\.jsonld/).waitFor();
  const state = await server.rest('GET', '/api/graph/ball/state');
  assert.ok(JSON.stringify(state).includes('A valve'));
}

/** Names are text, whatever they hold. */
export async function hostileLabels({ page, server }) {
  const names = ['<script>window.owned=1</script>', '<svg onload="window.owned=1"><img src=x onerror="window.owned=1">', '\u202Egnp.exe \u0645\u0631\u062D\u0628\u0627', 'x'.repeat(10_000)];
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const edits = [{ set_function: { function_id: '$f', name: '<img src=x onerror=window.owned=1>', inputs: [], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } }];
  await server.rest('POST', '/api/projects/demo/edits', { edits });
  for (const name of names) await server.rest('POST', '/api/projects/demo/functions/1/nodes', { node_type: 'ConstantScalar', display_name: name });
  await open(page, server);
  await page.locator('.card-title', { hasText: '<script>' }).first().waitFor();
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.getByRole('tab', { name: 'Table' }).click();
  await page.locator('.react-flow__node').nth(1).click();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search' }).waitFor();
  assert.equal(await page.evaluate(() => window.owned), undefined);
  assert.equal(await page.locator('img').count(), 0);
  const widest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('.card')].map((one) => one.offsetWidth)));
  assert.ok(widest <= 264, `${widest}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, 'nothing widens the page');
}

/** Two pages show the same. */
export async function twoPages({ page, server, context }) {
  await adder(server);
  await open(page, server);
  const other = await context.newPage();
  await open(other, server);
  const field = card(page, 'five').getByRole('spinbutton');
  await field.click();
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await until(async () => (await card(other, 'Addition').locator('.live').first().textContent()) === '12', 'the other page follows');
}

/** No violations that axe finds, in both themes and in each state. */
export async function accessible({ page, server }) {
  await adder(server);
  const check = async (what) => {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const said = violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.any.map((any) => any.message).join()}`).join(' | ')}`);
    assert.deepEqual(said, [], what);
  };
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await open(page, server, '');
    await page.getByText('Connect an agent').waitFor();
    await check(`empty, ${colorScheme}`);
    await page.getByRole('button', { name: /^demo/ }).click();
    await card(page, 'Addition').locator('.card-title').click();
    for (const tab of ['Activity', 'Problems', 'History', 'Table']) {
      await page.getByRole('tab', { name: tab }).click();
      await check(`${tab}, ${colorScheme}`);
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await check(`search, ${colorScheme}`);
    await page.keyboard.press('Escape');
  }
}
