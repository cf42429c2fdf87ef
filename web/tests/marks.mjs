// Point and say: a person marks a hole, an agent that listens to the project reads the mark, answers and closes it.
import assert from 'node:assert/strict';
import { Agent } from './mcp.mjs';

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
  assert.ok(made.function_id, JSON.stringify(made));
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
  await page.locator('.pin').waitFor();
  const again = (await agent.must('summarize', { project: 'demo' })).open_marks;
  assert.equal(again[0].id, mark.id);
  await details.getByRole('button', { name: 'Decline' }).click();
  await details.getByRole('button', { name: 'Reopen' }).waitFor();

  // A node, by the keyboard.
  const card = page.locator('.react-flow__node').first();
  await card.locator('.card-title').click();
  await page.keyboard.press('Shift+M');
  await dialog.waitFor();
  await page.keyboard.type('name this');
  await page.keyboard.press('Enter');
  await page.locator('.node-mark').first().waitFor();
  news.close();
}
