// Point and say: a person marks a hole, an agent that listens to the project reads the mark, answers and closes it.
import assert from 'node:assert/strict';
import { Agent } from './mcp.mjs';
import { boxAtRest, card, until } from './steps.mjs';

const PLATE = 'let thickness = 6; let hole = 6; difference(box(pos, vec3(40, 30, thickness)), cylinder(pos, hole, 40))';
const HOSTILE = '<img src=x onerror=alert(1)> \u202eright to left';

/** Listens to resources as 2026-07-28 has it; `next` waits for a notification. */
async function listen(url, resources) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'listener', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const stop = new AbortController();
  const body = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: meta, notifications: { resourceSubscriptions: resources } } };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' };
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers, body: JSON.stringify(body), signal: stop.signal });
  assert.equal(response.status, 200, `listen: ${response.status}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async () => {
    for (;;) {
      const end = text.indexOf('\n\n');
      if (end >= 0) {
        const event = text.slice(0, end);
        text = text.slice(end + 2);
        const data = event.split('\n').find((line) => line.startsWith('data:') && line.length > 6);
        const message = data && JSON.parse(data.slice(5));
        if (message?.method === 'notifications/resources/updated') return message.params.uri;
        continue;
      }
      const { value, done } = await reader.read();
      assert.ok(!done, 'the stream goes on');
      text += value.replaceAll('\r', '');
    }
  };
  return { next, close: () => stop.abort() };
}

export async function pointAndSay({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const made = await server.rest('POST', '/api/projects/demo/functions', { name: 'Plate', expression: PLATE });
  const summary = 'fibula://projects/demo/summary';
  const news = await listen(server.url, [summary]);
  const agent = await new Agent(server.url).connect();
  await page.goto(`${server.url}/#/demo/${made.function_id}`);
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.level ?? 0) >= 2);

  // The person points at the wall of the hole, which is visible above the middle of the view.
  await page.locator('.solid').focus();
  await page.keyboard.press('m');
  const aim = page.getByRole('application', { name: /Point at a place/ });
  const box = await aim.boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height * 0.5 - 18);
  const dialog = page.getByRole('dialog', { name: 'New mark' });
  await dialog.waitFor();
  await page.keyboard.type(HOSTILE);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  await page.locator('.pin').waitFor();

  // The agent is told, and reads it with its picture.
  assert.equal(await news.next(), summary);
  const [mark] = (await agent.must('summarize', { project: 'demo' })).open_marks;
  assert.equal(mark.label, HOSTILE);
  const [node] = (await agent.must('get_nodes', { project: 'demo', nodes: [mark.id] })).nodes;
  assert.equal(node.data.point.length, 3);
  assert.ok(node.outgoing.some((edge) => edge.id === `fn:${made.function_id}`), JSON.stringify(node.outgoing));
  assert.ok(!(await agent.call('render', { project: 'demo', mark: mark.id })).refused);
  await agent.must('set_parameter_value', { project: 'demo', function: 'Plate', parameter: 'hole', value: 9 });
  await agent.must('update', { project: 'demo', nodes: [{ id: mark.id, data: { status: 'done' }, add_observations: ['hole is 9 mm now'] }] });

  // The page shows the answer, and the part before and after.
  await page.getByRole('tab', { name: 'Marks' }).click();
  const details = page.getByRole('region', { name: 'Mark', exact: true });
  await details.getByText('hole is 9 mm now').waitFor();
  for (const caption of ['Before', 'After', 'Added and removed']) await details.getByRole('img', { name: new RegExp(`^${caption},`) }).waitFor();
  await details.getByText('<img src=x', { exact: false }).first().waitFor();
  assert.equal(await page.locator('img[src="x"]').count(), 0, 'the text of a mark is text');

  await details.getByRole('button', { name: 'Reopen' }).click();
  await page.locator('.pin.answered').waitFor();
  const reopened = async () => (await agent.must('summarize', { project: 'demo' })).open_marks?.[0]?.id === mark.id;
  await until(reopened, 'the agent reads of the mark again');
  await details.getByRole('button', { name: 'Decline' }).click();
  await details.getByRole('button', { name: 'Reopen' }).waitFor();

  // A node in view, by the keyboard: of a node outside the view, the scrolling that precedes the click is undone by the canvas.
  await card(page, 'hole').locator('.card-title').click();
  await page.locator('.react-flow__node.selected').waitFor();
  await page.keyboard.press('Shift+M');
  await dialog.waitFor();
  await page.keyboard.type('name this');
  await page.keyboard.press('Enter');
  await page.locator('.node-mark').first().waitFor();
  news.close();
}

/** Marks of a slice and of an edge; pins behind material are dim; reopening, declining, deleting and the undo of it. */
export async function markElsewhere({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const { function_id: id } = await server.rest('POST', '/api/projects/demo/functions', { name: 'Plate', expression: PLATE });
  const dialog = page.getByRole('dialog', { name: 'New mark' });
  const aim = page.getByRole('application', { name: /Point at a place/ });
  const write = async (text) => {
    await dialog.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
  };
  // The far wall of the hole faces the front, where the plate hides it.
  const hidden = { function_id: id, point: [0, 6, 2.5] };
  await server.rest('POST', '/api/projects/demo/marks', { text: 'inside', at: hidden });
  await page.goto(`${server.url}/#/demo/${id}`);
  await page.waitForFunction(() => Number(document.querySelector('[data-testid=solid]')?.dataset.level ?? 0) >= 1);
  const inside = page.getByRole('button', { name: /^Mark: inside/ }).and(page.locator('.pin'));
  await inside.waitFor();
  await page.locator('.solid').focus();
  for (const [view, isBehind] of [['Front', true], ['Iso', false], ['Front', true]]) {
    await page.getByRole('combobox', { name: 'View' }).selectOption(view);
    await until(async () => ((await inside.getAttribute('aria-label')) === 'Mark: inside, behind') === isBehind, `behind material from the ${view}: ${isBehind}`);
  }

  // A place of a slice: beside the hole.
  await page.getByRole('button', { name: 'Slice', exact: true }).click();
  await page.locator('.slice').waitFor();
  await page.locator('.slice').focus();
  await page.keyboard.press('m');
  const box = await boxAtRest(aim);
  await page.mouse.click(box.x + box.width / 2 + box.width * 0.3, box.y + box.height / 2);
  await write('thinner here');
  const slice = page.getByRole('button', { name: /^Mark: thinner here/ }).and(page.locator('.pin'));
  await slice.waitFor();
  assert.equal(await slice.getAttribute('aria-label'), 'Mark: thinner here', 'it lies in the slice');
  await page.getByRole('slider', { name: /Height/ }).fill('0.9');
  await until(async () => (await slice.getAttribute('aria-label')) === 'Mark: thinner here, behind', 'it lies off another slice');

  // An edge between two nodes lies somewhere about the middle of the picture.
  const nodes = [{ id: 'a', label: 'load', types: ['requirement'] }, { id: 'b', label: 'steel', types: ['material'] }];
  await server.rest('POST', '/api/graph/demo/add', { nodes, edges: [{ source: 'a', target: 'b', type: 'needs' }] });
  const { marks: before } = await server.rest('GET', '/api/projects/demo/marks');
  for (const mark of before) await server.rest('DELETE', `/api/graph/demo/nodes/${encodeURIComponent(mark.id)}`);
  await page.getByRole('button', { name: 'Knowledge', exact: true }).click();
  const canvas = page.getByRole('application', { name: /^Knowledge graph/ });
  await page.locator('.kg-canvas[data-held=false]').waitFor();
  const middle = await boxAtRest(canvas);
  const places = [...Array(21).keys()].flatMap((row) => [-1, 0, 1, 2, 3].map((column) => ({ x: middle.width / 2 + column * 40, y: middle.height / 2 + (row - 10) * 4 })));
  for (const position of places) {
    await canvas.click({ button: 'right', position });
    if (!(await dialog.isVisible())) continue;
    if (await dialog.getByText('edge needs').isVisible()) break;
    await page.keyboard.press('Escape');
  }
  await dialog.getByText('edge needs').waitFor();
  await write('is this so?');
  await canvas.focus();
  await page.keyboard.press('Shift+M');
  await write('by the keyboard');
  await canvas.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+M');
  await write('how heavy?');
  const { marks } = await server.rest('GET', '/api/projects/demo/marks');
  const told = marks.map(({ label, data, about }) => [label, typeof data.edge, about.length]);
  assert.deepEqual(told, [['is this so?', 'string', 2], ['by the keyboard', 'string', 2], ['how heavy?', 'undefined', 1]]);

  // Decline, reopen, delete and undo, each seen by the server.
  await page.getByRole('tab', { name: 'Marks' }).click();
  await page.getByRole('button', { name: /is this so\?/ }).and(page.locator('.mark-row')).click();
  const details = page.getByRole('region', { name: 'Mark', exact: true });
  const status = async () => (await server.rest('GET', '/api/projects/demo/marks')).marks.find((mark) => mark.label === 'is this so?')?.data.status;
  for (const [button, expected] of [['Decline', 'declined'], ['Reopen', 'open'], ['Done', 'done'], ['Reopen', 'open'], ['Delete', undefined]]) {
    await details.getByRole('button', { name: button }).click();
    await until(async () => (await status()) === expected, `${button}: ${expected}`);
  }
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await status()) === 'open', 'the deleted mark is back');
  await page.getByRole('button', { name: /is this so\?/ }).and(page.locator('.mark-row')).click();
  await details.getByRole('button', { name: 'Show the place' }).click();
  await page.getByRole('region', { name: /^Edge/ }).waitFor();
  // Places are shown from the functions, too.
  await page.getByRole('button', { name: 'Functions', exact: true }).click();
  await page.getByRole('button', { name: /how heavy\?/ }).and(page.locator('.mark-row')).click();
  await details.getByRole('button', { name: 'Show the place' }).click();
  await page.getByRole('region', { name: /^Node of the knowledge/ }).waitFor();
}
