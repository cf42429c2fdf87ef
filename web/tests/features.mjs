// What people add to a graph and keep beside it: frames, comments, mutes, wires, variants, activity, exports, long work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent } from './mcp.mjs';
import { boxAtRest as atRest, requestsOf, until } from './steps.mjs';

const card = (page, title) => page.locator('.react-flow__node-card', { has: page.locator('.card-title', { hasText: new RegExp(`^${title}$`) }) });
const pick = (page, title, options) => card(page, title).locator('.card-title').click(options);

/** A drag by hand. The canvas counts from the first move, which is therefore small. */
async function drag(page, from, to) {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 2, from.y + 2);
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
}

/** A drag whose events come before any of them is drawn, as on a busy machine. */
function flick(page, from, to) {
  return page.evaluate(
    ([from, to]) => {
      const fire = (target, type, { x, y }) => target.dispatchEvent(new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, cancelable: true, view: window, button: 0 }));
      const target = document.elementFromPoint(from.x, from.y);
      target.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
      fire(target, 'mousedown', from);
      for (const part of [0.03, 0.5, 1]) fire(window, 'mousemove', { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      fire(window, 'mouseup', to);
    },
    [from, to],
  );
}

/** A function of arithmetic, open on the page: (2 + 3) * 4. */
async function sums(page, server) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const text = { name: 'Sums', expression: 'let two = 2; let three = 3; let four = 4; (two + three) * four' };
  await server.rest('POST', '/api/projects/demo/functions', text);
  await page.goto(`${server.url}/#/demo/1`);
  await card(page, 'Multiplication').waitFor();
  await atRest(card(page, 'Multiplication'));
}

/** A part with a named parameter, open on the page. */
async function ball(page, server, radius = 5) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Ball', expression: `let radius = ${radius}; length(pos) - radius` });
  await page.goto(`${server.url}/#/demo/1`);
  await card(page, 'radius').waitFor();
}

const result = (page) => card(page, 'End').locator('.live').textContent();

/** Frames: named, coloured, they move their nodes; agents and other pages see them, undo takes them back. */
export async function frames({ page, server, context }) {
  await sums(page, server);
  await pick(page, 'two');
  await pick(page, 'three', { modifiers: ['Shift'] });
  await page.keyboard.press('g');
  await page.getByRole('textbox', { name: 'Name of the frame' }).waitFor();
  await page.keyboard.type('Inputs');
  await page.keyboard.press('Enter');
  const frame = page.locator('.frame', { hasText: 'Inputs' });
  await frame.waitFor();
  const other = await context.newPage();
  await other.goto(`${server.url}/#/demo/1`);
  await other.locator('.frame', { hasText: 'Inputs' }).waitFor();
  // A page behind another one is drawn once a second.
  await page.bringToFront();
  const agent = await new Agent(server.url).connect();
  const seen = await agent.must('get_neighbors', { project: 'demo', node: 'fn:Sums', node_types: ['frame'] });
  assert.equal(seen.neighbors.find((one) => one.label === 'Inputs')?.types[0], 'frame');
  // The frame moves what is in it.
  const before = { two: await atRest(card(page, 'two')), four: await card(page, 'four').boundingBox() };
  const title = await frame.locator('.frame-title').boundingBox();
  await drag(page, { x: title.x + 30, y: title.y + 14 }, { x: title.x + 50, y: title.y - 46 });
  await until(async () => Math.abs((await card(page, 'two').boundingBox()).y - before.two.y + 60) < 12, 'its nodes move along');
  assert.ok(Math.abs((await card(page, 'four').boundingBox()).y - before.four.y) < 2, 'others stay');
  const { entries } = await server.rest('GET', '/api/projects/demo/history');
  assert.equal(entries[0].label, 'move 2 nodes');
  const now = { title: await frame.locator('.frame-title').boundingBox(), two: await atRest(card(page, 'two')) };
  await flick(page, { x: now.title.x + 30, y: now.title.y + 14 }, { x: now.title.x + 30, y: now.title.y + 74 });
  await until(async () => Math.abs((await card(page, 'two').boundingBox()).y - now.two.y - 60) < 4, 'its nodes move along when it is dragged quickly');
  // Its colour and its name.
  await frame.locator('.frame-title').click();
  await page.getByRole('button', { name: 'Colour: amber' }).click();
  await other.locator('.frame-amber', { hasText: 'Inputs' }).waitFor();
  await frame.locator('.frame-title .clip').dblclick();
  await page.keyboard.type('Sizes');
  await page.keyboard.press('Enter');
  await other.locator('.frame', { hasText: 'Sizes' }).waitFor();
  // A node that is put into it belongs to it.
  const four = await atRest(card(page, 'four'));
  const inside = await page.locator('.frame').boundingBox();
  await drag(page, { x: four.x + 40, y: four.y + 10 }, { x: inside.x + inside.width / 2 - four.width / 2 + 40, y: inside.y + inside.height / 2 });
  await until(async () => (await server.rest('GET', '/api/graph/demo/state')).edges.length === 3, 'three nodes are in the frame');
  await page.locator('.frame-title').click();
  await page.keyboard.press('Delete');
  await until(async () => (await page.locator('.frame').count()) === 0, 'the frame goes, its nodes stay');
  assert.equal(await card(page, 'two').count(), 1);
  await page.keyboard.press('Control+z');
  await page.locator('.frame', { hasText: 'Sizes' }).waitFor();
  await server.rest('POST', '/api/projects/demo/duplicate', { name: 'copy' });
  await other.goto(`${server.url}/#/copy`);
  await other.locator('.frame', { hasText: 'Sizes' }).waitFor();
}

/** Comments below a node and on the canvas. */
export async function comments({ page, server }) {
  await sums(page, server);
  await pick(page, 'four');
  await page.keyboard.press('c');
  await page.getByRole('textbox', { name: 'Comment' }).fill('Four, as the standard says.');
  await page.keyboard.press('Enter');
  await page.locator('.comment.docked', { hasText: 'Four, as the standard says.' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Write a comment' }).click();
  await page.getByRole('textbox', { name: 'Comment' }).fill('<b>Sum</b> first');
  await page.keyboard.press('Enter');
  const free = page.locator('.comment:not(.docked)', { hasText: '<b>Sum</b> first' });
  await free.waitFor();
  const at = await atRest(free);
  await drag(page, { x: at.x + 20, y: at.y + 8 }, { x: at.x + 70, y: at.y + 108 });
  await until(async () => Math.abs((await free.boundingBox()).y - at.y - 100) < 12, 'it is dragged');
  await page.reload();
  await free.waitFor();
  const there = await atRest(free);
  assert.ok(Math.abs(there.y - at.y) > 20, 'and stays there');
  await flick(page, { x: there.x + 20, y: there.y + 8 }, { x: there.x + 20, y: there.y - 62 });
  await until(async () => Math.abs((await free.boundingBox()).y - there.y + 70) < 12, 'it follows a quick drag');
  await page.reload();
  await free.waitFor();
  assert.ok((await atRest(free)).y < there.y - 20, 'and stays there, too');
  await free.dblclick();
  await page.getByRole('textbox', { name: 'Comment' }).fill('Sum last');
  await page.keyboard.press('Enter');
  const changed = page.locator('.comment', { hasText: 'Sum last' });
  await changed.waitFor();
  await changed.click();
  await page.keyboard.press('Delete');
  await until(async () => (await changed.count()) === 0, 'Delete deletes it');
  const agent = await new Agent(server.url).connect();
  const info = await agent.must('get_node_info', { project: 'demo', function_id: 1, node_id: Number(await card(page, 'four').getAttribute('data-id')) });
  assert.ok(JSON.stringify(info.intent).includes('Four, as the standard says.'), JSON.stringify(info));
}

/** Muting takes a node out of the flow and keeps its links for the way back. */
export async function mute({ page, server }) {
  await sums(page, server);
  await until(async () => (await result(page)) === '20', 'twenty');
  await pick(page, 'Multiplication');
  await page.keyboard.press('m');
  await page.locator('.card.muted', { hasText: 'Multiplication' }).waitFor();
  await until(async () => (await result(page)) === '5', 'its first input goes on');
  assert.equal(await page.locator('.wire.faint').count(), 1, 'its link is remembered');
  // Other edits come in between.
  await server.rest('PUT', '/api/projects/demo/functions/1/parameters/two', { value: 6 });
  await until(async () => (await result(page)) === '9', 'nine');
  await page.keyboard.press('m');
  await until(async () => (await result(page)) === '36', 'it is back with its links');
  assert.equal(await page.locator('.card.muted').count(), 0);
  // The note of the mute is removed after the links are back, which is seen at once.
  await until(async () => (await server.rest('GET', '/api/graph/demo/state')).nodes.length === 0, 'nothing is left of it');
}

/** Several wires at once: moved to another source, and deleted. */
export async function wires({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const text = { name: 'Twice', expression: 'let a = 2; let b = 5; a + a * a' };
  await server.rest('POST', '/api/projects/demo/functions', text);
  await server.rest('POST', '/api/projects/demo/functions/1/nodes', { node_type: 'ConstantScalar', display_name: 'other' });
  await page.goto(`${server.url}/#/demo/1`);
  await card(page, 'other').waitFor();
  await atRest(card(page, 'other'));
  const source = await card(page, 'a').getAttribute('data-id');
  const ofA = page.locator(`.react-flow__edge[aria-label^="link from ${source}."]`);
  assert.equal(await ofA.count(), 3);
  await page.keyboard.down('Control');
  for (let at = 0; at < 3; at++) await ofA.nth(at).dispatchEvent('click');
  await page.keyboard.up('Control');
  await until(async () => (await page.locator('.wire.selected').count()) === 3, 'three are picked');
  await page.locator('.selection-bar', { hasText: '3 links' }).waitFor();
  const from = await ofA.first().locator('.react-flow__edgeupdater-source').boundingBox();
  const to = await card(page, 'other').locator('.react-flow__handle-right').boundingBox();
  const middle = (box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
  const other = await card(page, 'other').getAttribute('data-id');
  await drag(page, middle(from), middle(to));
  await until(async () => (await page.locator(`.react-flow__edge[aria-label^="link from ${other}."]`).count()) === 3, 'all three start at the other node');
  const { entries } = await server.rest('GET', '/api/projects/demo/history');
  assert.equal(entries[0].label, 'link 3 parameters');
  const moved = page.locator(`.react-flow__edge[aria-label^="link from ${other}."]`);
  await page.keyboard.press('Escape');
  await page.keyboard.down('Control');
  for (let at = 0; at < 2; at++) await moved.nth(at).dispatchEvent('click');
  await page.keyboard.up('Control');
  await page.locator('.selection-bar', { hasText: '2 links' }).waitFor();
  await page.keyboard.press('Delete');
  await until(async () => (await moved.count()) === 1, 'two are deleted at once');
}

/** Nodes are copied from one function to another, and a selection becomes a function that opens by a double click. */
export async function functions({ page, server }) {
  await sums(page, server);
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Other', expression: 'x + 1', arguments: [{ name: 'x', type: 'float' }] });
  await pick(page, 'two');
  for (const title of ['three', 'Addition']) await pick(page, title, { modifiers: ['Shift'] });
  await page.keyboard.press('Control+c');
  await page.locator('.outline').getByRole('button', { name: /Other/ }).click();
  await card(page, 'Begin').waitFor();
  await page.keyboard.press('Control+v');
  await card(page, 'three').waitFor();
  await until(async () => (await page.locator('.react-flow__edge').count()) === 5, 'the links between them are copied');
  await page.locator('.outline').getByRole('button', { name: /Sums/ }).click();
  await card(page, 'four').waitFor();
  await atRest(card(page, 'four'));
  await pick(page, 'two');
  for (const title of ['three', 'Addition']) await pick(page, title, { modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Extract' }).click();
  await page.getByRole('textbox', { name: 'Name of the new function' }).fill('Sum');
  await page.keyboard.press('Enter');
  await card(page, 'Sum').waitFor();
  await until(async () => (await result(page)) === '20', 'the value is the same');
  await card(page, 'Sum').locator('.card-title').dblclick();
  const crumbs = page.getByRole('navigation', { name: 'Calls' });
  await crumbs.getByRole('button', { name: 'Sum', exact: true }).waitFor();
  await card(page, 'two').waitFor();
  await crumbs.getByRole('button', { name: 'Sums' }).click();
  await card(page, 'four').waitFor();
}

/** A function is renamed and deleted in the outline, with mouse and keys; one that is called stays. */
export async function outline({ page, server }) {
  await ball(page, server);
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Second', expression: 'Ball(pos) + 1' });
  const row = (name) => page.locator('.outline').getByRole('button', { name: new RegExp(`^${name}`) });
  const messages = page.getByRole('log', { name: 'Messages' });
  const name = (old) => page.getByRole('textbox', { name: `New name of ${old}` });
  await row('Second').dblclick();
  await name('Second').fill('Shell');
  await page.keyboard.press('Enter');
  await row('Shell').waitFor();
  await until(() => page.evaluate(() => document.activeElement?.textContent.startsWith('Shell')), 'the row has the focus again');
  await page.keyboard.press('F2');
  await name('Shell').fill('Ball');
  await page.keyboard.press('Escape');
  await row('Ball').focus();
  await page.keyboard.press('Delete');
  await messages.getByText(/Shell/).waitFor();
  await row('Ball').waitFor();
  await row('Shell').hover();
  await page.locator('.outline').getByRole('button', { name: 'Delete Shell' }).click();
  await row('Shell').waitFor({ state: 'detached' });
  await card(page, 'radius').waitFor();
  await messages.getByText('The function Shell was deleted.').waitFor();
  await messages.getByRole('button', { name: 'Undo' }).click();
  await row('Shell').waitFor();
  for (const last of ['Shell', 'Ball']) {
    await row(last).focus();
    await page.keyboard.press('Delete');
    await row(last).waitFor({ state: 'detached' });
  }
  await page.getByRole('heading', { name: 'Begin with' }).waitFor();
}

/** What is opened while the server is away comes when it is back, without a reload: a function, variants, parameters that are searched. */
export async function askedAgain({ page, server }) {
  await ball(page, server);
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Second', expression: 'let width = 4; length(pos) - width' });
  const second = page.locator('.outline').getByRole('button', { name: /^Second/ });
  await second.waitFor();
  await server.rest('POST', '/api/projects/demo/checkpoints', { name: 'First' });
  await server.stop();
  await page.locator('.link-state.offline').waitFor();
  await second.click();
  await card(page, 'radius').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Variants' }).click();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('radius');
  await server.start();
  await page.getByRole('dialog', { name: 'Search' }).getByText('parameter of').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('img', { name: 'The part of First' }).waitFor();
  await card(page, 'width').waitFor();
  await page.getByRole('slider', { name: 'width' }).waitFor();
  await page.locator('canvas[data-drawn]').waitFor();
  const volume = page.locator('.measures .figure .value').first();
  await until(async () => Math.abs(Number((await volume.textContent()).replace(/\s/g, '')) - 268) < 3, 'the volume of the second function');

  // One request fails, and the stream of changes goes on.
  await page.route('**/overview', (route) => route.abort(), { times: 1 });
  const setWidth = (value) => server.rest('PUT', '/api/projects/demo/functions/2/parameters/width', { value });
  await setWidth(3);
  await page.locator('.link-state.offline').waitFor();
  await setWidth(2);
  await page.locator('.link-state.offline').waitFor({ state: 'detached' });
}

/** A node that is dropped onto a wire is put into it; a box selects; the layout is tidied; a port is shown as the shape. */
export async function canvas({ page, server }) {
  await ball(page, server);
  await server.rest('POST', '/api/projects/demo/functions/1/nodes', { node_type: 'Abs' });
  await card(page, 'Abs').waitFor();
  const abs = await atRest(card(page, 'Abs'));
  const end = await card(page, 'End').boundingBox();
  const before = await card(page, 'Subtraction').boundingBox();
  const wire = { x: (before.x + before.width + end.x) / 2, y: end.y + end.height * 0.7 };
  await drag(page, { x: abs.x + abs.width / 2, y: abs.y + 8 }, { x: wire.x, y: wire.y - abs.height / 2 + 8 });
  await until(async () => (await page.locator('.react-flow__edge').count()) === 5, 'it is in the link');
  await page.keyboard.press('Escape');
  await page.keyboard.press('l');
  await until(async () => (await card(page, 'End').boundingBox()).x > (await card(page, 'Abs').boundingBox()).x + 40, 'the layout has room for it');
  const box = await page.locator('.react-flow__pane').boundingBox();
  await page.keyboard.down('Shift');
  await drag(page, { x: box.x + 6, y: box.y + box.height - 6 }, { x: box.x + box.width - 6, y: box.y + 100 });
  await page.keyboard.up('Shift');
  await until(async () => (await page.locator('.card.selected').count()) === 6, 'a box selects all');
  await page.keyboard.press('Escape');
  await card(page, 'Length').locator('.react-flow__handle-right').click();
  await page.locator('.react-flow__handle.shown').waitFor();
  const preview = page.getByRole('region', { name: 'Preview' });
  await preview.getByText('It has no inside').waitFor();
  await preview.getByRole('button', { name: 'port' }).click();
  await preview.getByRole('heading', { name: 'Ball' }).waitFor();
  const edits = Array.from({ length: 16 }, () => ({ create_node: { function_id: 1, node_type: 'Sine' } }));
  await server.rest('POST', '/api/projects/demo/edits', { edits });
  await page.locator('.minimap').waitFor();
}

/** A new node lies below the pointer and moves no other one; a wire begins at a port that has one; a badge leads to the field of what is not set. */
export async function newNode({ page, server }) {
  await ball(page, server);
  const places = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.react-flow__node')].map((node) => [node.dataset.id, node.style.transform])));
  const before = await places();
  const pane = await page.locator('.react-flow__pane').boundingBox();
  const at = { x: pane.x + pane.width / 2, y: pane.y + pane.height - 120 };
  await page.mouse.dblclick(at.x, at.y);
  await page.keyboard.type('multiplication');
  await page.keyboard.press('Enter');
  const made = await atRest(card(page, 'Multiplication'));
  assert.ok(Math.abs(made.x - at.x) < 30 && Math.abs(made.y - at.y) < 30, `it is at ${made.x}, ${made.y}, and not at ${at.x}, ${at.y}`);
  const after = await places();
  for (const [id, place] of Object.entries(before)) assert.equal(after[id], place, `node ${id} stays where it is`);
  // A second wire begins anywhere in a port that has one, also in the half beyond the card.
  const port = await card(page, 'radius').locator('.react-flow__handle-right').boundingBox();
  await drag(page, { x: port.x + port.width * 0.85, y: port.y + port.height / 2 }, at);
  await page.locator('.palette').waitFor();
  await page.keyboard.press('Escape');
  const { nodes } = await server.rest('GET', '/api/projects/demo/functions/1/graph');
  const { node_id: target_node_id } = nodes.find((node) => node.node_type === 'Subtraction');
  const edits = [{ delete_link: { function_id: 1, target_node_id, target_parameter_name: 'B' } }];
  await server.rest('POST', '/api/projects/demo/edits', { edits });
  await card(page, 'Subtraction').getByRole('button', { name: 'not set: B' }).click();
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'B of Subtraction'), 'the field of B has the focus');
}

/** Knowledge is shown at its node, and each leads to the other. */
export async function intent({ page, server }) {
  await ball(page, server);
  const body = { nodes: [{ id: 'rule', label: 'at least 4 mm, for the bearing', types: ['requirement'] }], edges: [{ source: 'rule', target: 'fn:Ball#radius', type: 'constrains' }] };
  await server.rest('POST', '/api/graph/demo/add', body);
  const badge = card(page, 'radius').getByRole('button', { name: /at least 4 mm/ });
  await badge.waitFor();
  await badge.click();
  await page.getByRole('region', { name: 'Knowledge' }).getByRole('button', { name: /at least 4 mm/ }).click();
  await page.locator('.kg[data-status="ready"]').waitFor();
  await page.getByRole('button', { name: /Ball, radius/ }).first().click();
  await page.locator('.card.selected', { hasText: 'radius' }).waitFor();
}

/** Activity: each entry shows what it changed, the canvas follows an agent, and an entry is reverted. */
export async function activity({ page, server }) {
  await ball(page, server);
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Cube', expression: 'max(abs(pos.x), max(abs(pos.y), abs(pos.z))) - 3' });
  const agent = await new Agent(server.url).connect();
  await page.getByRole('tab', { name: 'Activity' }).click();
  await agent.must('set_parameter_value', { project: 'demo', function_id: 1, parameter_name: 'radius', value: 7 });
  const row = page.locator('.activity li', { hasText: 'radius' }).first();
  await row.locator('img').waitFor();
  await until(() => row.locator('img').evaluate((picture) => picture.naturalWidth > 0), 'the picture is there');
  await page.getByRole('button', { name: 'Follow' }).click();
  await agent.must('create_node', { project: 'demo', function_id: 2, node_type: 'Sine', display_name: 'wave' });
  await card(page, 'wave').waitFor();
  await row.getByRole('button', { name: /^Revert/ }).click();
  await until(async () => JSON.stringify(await server.rest('GET', '/api/projects/demo/parameters')).includes('"value":5'), 'the radius is 5 again');
}

/** Messages of a project go with it, what is deleted elsewhere is closed, and knowledge does not measure a part again. */
export async function otherProjects({ page, server }) {
  await ball(page, server);
  await server.rest('POST', '/api/projects', { project: 'other' });
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Second', expression: 'length(pos) - 2' });
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.locator('.activity li').first().getByRole('button', { name: /Revert/ }).click();
  const messages = page.getByRole('log', { name: 'Messages' });
  await messages.getByRole('button', { name: 'Undo' }).waitFor();
  await page.goto(`${server.url}/#/other`);
  await until(async () => (await messages.getByRole('button', { name: 'Undo' }).count()) === 0, 'the message goes');

  const requests = requestsOf(page);
  await page.goto(`${server.url}/#/demo/1`);
  await page.locator('.measures .figure').first().waitFor();
  await requests.atRest();
  requests.asked.length = 0;
  await server.rest('POST', '/api/graph/demo/nodes', { label: 'a note', types: ['note'] });
  await until(() => requests.asked.some((url) => url.includes('/overview')), 'the page reads what changed');
  await requests.atRest();
  assert.deepEqual(requests.asked.filter((url) => /measure|shader|parameters/.test(url)), []);

  await server.rest('DELETE', '/api/projects/demo');
  await messages.getByText('The project demo was deleted').waitFor();
  await page.getByRole('button', { name: 'other' }).waitFor();
}

/** Variants beside each other: kept, compared, taken over; an agent sees them as checkpoints. */
export async function variants({ page, server }) {
  await ball(page, server);
  await page.getByRole('tab', { name: 'Activity' }).click();
  const tab = page.getByRole('tab', { name: 'Variants' });
  const before = await atRest(tab);
  await tab.click();
  assert.deepEqual(await atRest(tab), before, 'the tabs stay where they are');
  await page.getByRole('textbox', { name: 'Name of the variant' }).fill('small');
  await page.getByRole('button', { name: 'Keep as variant' }).click();
  const table = page.locator('.beside');
  await table.getByText('small', { exact: true }).waitFor();
  await server.rest('PUT', '/api/projects/demo/functions/1/parameters/radius', { value: 10 });
  const row = table.getByRole('row', { name: /radius/ });
  await until(async () => (await row.count()) === 1 && (await row.locator('td').allTextContents()).join() === '10,5', 'the parameter that differs');
  await until(async () => (await table.locator('img').count()) === 2, 'both are pictured');
  await until(async () => (await table.getByRole('row', { name: /Volume/ }).textContent()).match(/−8[78] %/) !== null, 'the volumes are compared');
  await table.getByRole('button', { name: 'Take over small' }).click();
  await until(async () => (await page.locator('.beside').getByText('the same in all').count()) === 1, 'the parameters are taken over');
  const { parameters } = await server.rest('GET', '/api/projects/demo/parameters');
  assert.equal(parameters[0].value, 5);
  const agent = await new Agent(server.url).connect();
  const { entries } = await agent.must('get_history', { project: 'demo', checkpoints: true });
  assert.deepEqual(entries.map((entry) => entry.checkpoint), ['small']);
}

/** Every format in two clicks. */
export async function exports({ page, server }) {
  await ball(page, server);
  await page.locator('canvas[data-drawn]').waitFor();
  const starts = { Picture: '\x89PNG', STL: '', '3MF': 'PK', OBJ: '', Slice: '<', Graph: '<' };
  for (const [label, start] of Object.entries(starts)) {
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: new RegExp(`^${label}`) }).click()]);
    const bytes = readFileSync(await file.path());
    assert.ok(bytes.length > 200 && bytes.toString('latin1').startsWith(start), `${label}: ${file.suggestedFilename()}, ${bytes.length} bytes`);
  }
  assert.equal(await page.locator('[aria-haspopup="menu"]').count(), 1, 'one menu');
}

/** Long work says how much of it is done, and ends when it is cancelled. */
export async function longWork({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const gyroid = 'max(sin(pos.x)*cos(pos.y)+sin(pos.y)*cos(pos.z)+sin(pos.z)*cos(pos.x), length(pos)-60)';
  await server.rest('POST', '/api/projects/demo/functions', { name: 'Gyroid', expression: gyroid });
  await page.goto(`${server.url}/#/demo/1`);
  await page.locator('canvas[data-drawn]').waitFor();
  // A finer mesh than the page asks for takes long enough to be seen, and is just small enough not to be refused.
  await page.route('**/export', (route) => route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), cell: 0.6, time_limit: 300 }) }));
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: /^STL/ }).click();
  const work = page.locator('.notice.work', { hasText: 'Exporting STL' });
  await work.getByText(/^\d+ %$/).waitFor();
  await work.getByRole('button', { name: 'Cancel: Exporting STL' }).click();
  await work.waitFor({ state: 'detached' });
  assert.equal(await page.locator('.notice.error').count(), 0, 'a cancelled export is no error');
}

/** A phone: watch and approve. Undo and the activity are in reach, nothing is cut off. */
export async function phone({ page, server, context }) {
  await page.setViewportSize({ width: 390, height: 780 });
  await ball(page, server);
  await server.rest('PUT', '/api/projects/demo/functions/1/parameters/radius', { value: 8 });
  const isInside = async (locator) => {
    const box = await locator.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390 && box.y >= 0 && box.y + box.height <= 780;
  };
  for (const name of ['Undo', 'Redo', 'Export', 'Outline', 'Part and inspector']) assert.ok(await isInside(page.getByRole('button', { name, exact: true })), name);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false);
  for (const name of ['Activity', 'Problems', 'History', 'Variants', 'Table']) assert.ok(await isInside(page.getByRole('tab', { name })), name);
  await page.getByRole('tab', { name: 'Activity' }).click();
  for (const name of ['Marks', 'History', 'Variants', 'Table']) assert.ok(await isInside(page.getByRole('tab', { name })), `${name}, with the panel open`);
  await page.getByRole('button', { name: 'Outline' }).click();
  await page.locator('.outline').getByRole('button', { name: 'Ball' }).click();
  await page.locator('.outline').waitFor({ state: 'detached' });
  const revert = page.locator('.activity li').first().getByRole('button', { name: /^Revert/ });
  assert.ok(await isInside(revert));
  await page.getByRole('button', { name: 'Part and inspector' }).click();
  const solid = page.locator('canvas[data-drawn]');
  await solid.waitFor();
  // One finger turns the part, two bring it nearer.
  const { x, y, width, height } = await atRest(solid);
  const [cx, cy] = [x + width / 2, y + height / 2];
  const cdp = await context.newCDPSession(page);
  const touch = (type, ...touchPoints) => cdp.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', { x: cx, y: cy });
  for (let step = 1; step <= 5; step++) await touch('touchMove', { x: cx + step * 12, y: cy });
  await touch('touchEnd');
  await until(async () => (await page.getByRole('combobox', { name: 'View' }).inputValue()) === '', 'it is no standard view any more');
  const scale = page.locator('.scale-bar');
  const before = await scale.textContent();
  const pair = (apart) => [{ x: cx - apart, y: cy, id: 0 }, { x: cx + apart, y: cy, id: 1 }];
  await touch('touchStart', ...pair(20));
  for (let step = 1; step <= 6; step++) await touch('touchMove', ...pair(20 + step * 14));
  await touch('touchEnd');
  await until(async () => (await scale.textContent()) !== before, 'the scale has changed');
  await page.getByRole('button', { name: 'Part and inspector' }).click();
  await revert.click();
  await until(async () => JSON.stringify(await server.rest('GET', '/api/projects/demo/parameters')).includes('"value":5'), 'approved or taken back');
}

/** Without WebGL 2 the server draws the part. */
export async function withoutWebGl({ page, server }) {
  await page.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === 'webgl2' ? null : original.call(this, kind, ...rest);
    };
  });
  await ball(page, server);
  const picture = page.getByTestId('picture');
  await picture.waitFor();
  await until(() => picture.evaluate((image) => image.naturalWidth > 0), 'a picture');
  await page.getByText('drawn by the server: this browser has no WebGL 2').waitFor();
  await server.rest('POST', '/api/graph/demo/nodes', { label: 'A rule', type: 'requirement' });
  await page.goto(`${server.url}/#/demo/knowledge`);
  const graph = page.getByRole('img', { name: 'The knowledge graph, drawn by the server' });
  await graph.waitFor();
  await until(() => graph.evaluate((image) => image.naturalWidth > 0), 'a picture of the graph');
}
