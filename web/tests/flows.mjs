// What people and agents do with the page, end to end. Each flow has a server of its own.
import assert from 'node:assert/strict';
import { Agent } from './mcp.mjs';
import { activity, adder, boxAtRest, card, open, until } from './steps.mjs';

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
  const from = await boxAtRest(card(page, 'Begin').locator('.react-flow__handle-right'));
  const to = await boxAtRest(card(page, 'Length').locator('.react-flow__handle-left'));
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

/** The server ends and starts again under an open page, and under an edit. */
export async function restart({ page, server }) {
  await adder(server);
  await open(page, server);
  await card(page, 'Addition').waitFor();
  const shows = (text) => until(async () => (await card(page, 'Addition').locator('.live').first().textContent()) === text, `the sum is ${text}`);
  await shows('15');
  await server.stop();
  await page.locator('.link-state.offline').waitFor();
  assert.equal(await card(page, 'Addition').count(), 1, 'the page keeps what it shows');
  // What a person writes meanwhile waits for the server.
  const field = card(page, 'five').getByRole('spinbutton');
  await field.click();
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await page.getByText(/Not written yet/).waitFor();
  await server.start();
  await page.locator('.link-state.live').waitFor({ state: 'attached' });
  await shows('17');
  assert.equal(await page.getByText(/Not written yet/).count(), 0);
  await server.rest('PUT', '/api/projects/demo/functions/1/nodes/1/parameters/value', { value: 9 });
  await until(async () => (await field.inputValue()) === '9', 'changes after the restart arrive');
  await field.click();
  await page.keyboard.type('3');
  await page.keyboard.press('Enter');
  await shows('13');
  // The answer of a write that arrived is lost: it is neither reported as lost nor written twice.
  let [isLost, isBack] = [false, false];
  await page.route('**/edits*', async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await server.restart();
    isBack = true;
    await route.abort();
  });
  await field.click();
  await page.keyboard.type('4');
  await page.keyboard.press('Enter');
  await shows('14');
  await until(async () => isBack, 'the server is back');
  await until(async () => (await page.locator('.notice').count()) === 0, 'nothing is left to say');
  const { entries } = await server.rest('GET', '/api/projects/demo/history');
  assert.deepEqual(entries.map((entry) => entry.revision), [5, 4, 3, 2, 1], 'each write is one change');
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
  const from = await boxAtRest(card(page, 'ten').locator('.react-flow__handle-right'));
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
  await server.rest('POST', '/api/projects', { project: 'source' });
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
  await dropFile('damaged.3mf', Buffer.from('PK\x03\x04 and no more').toString('base64'));
  await page.locator('.notice.error').waitFor();
  const { projects } = await server.rest('GET', '/api/projects');
  assert.ok(!projects.some((one) => one.project === 'damaged'), 'a damaged file leaves no project behind');
  await dropFile('ball.3mf', file);
  await page.getByText(/Imported 1 function/).waitFor();
  await page.locator('.outline').getByText('Ball').waitFor();
  await dropFile('valve.jsonld', Buffer.from(knowledge).toString('base64'));
  await page.getByText(/from valve\.jsonld/).waitFor();
  const state = await server.rest('GET', '/api/graph/ball/state');
  assert.ok(JSON.stringify(state).includes('A valve'));
  // A project with a mesh alone is not empty.
  await page.getByRole('button', { name: /all projects/ }).click();
  const corners = ['0 0 0', '1 0 0', '0 1 0', '0 0 1'];
  const facets = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map((facet) => `facet normal 0 0 0\nouter loop\n${facet.map((at) => `vertex ${corners[at]}\n`).join('')}endloop\nendfacet\n`);
  await dropFile('tetrahedron.stl', Buffer.from(`solid tetrahedron\n${facets.join('')}endsolid tetrahedron\n`).toString('base64'));
  await page.getByText(/This project has 1 object.* and no function yet/).waitFor();
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
