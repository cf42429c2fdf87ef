// Steps that flows share.

/** Time in which something has to happen: long, so that no flow depends on the speed of the machine. Only a failure takes it. */
export const PATIENCE_MS = 60_000;

export const card = (page, title) => page.locator('.react-flow__node', { has: page.locator('.card-title', { hasText: new RegExp(`^${title}$`) }) });
export const activity = (page) => page.locator('.activity li');

export async function until(check, what) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    if (await check()) return;
    if (Date.now() > end) throw new Error(`not reached: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const QUIET_MS = 1000;

/** The requests of a page from now on; `atRest` waits until none is open, and none was sent for a second. */
export function requestsOf(page) {
  const asked = [];
  const open = new Set();
  let last = Date.now();
  page.on('request', (request) => {
    asked.push(request.url());
    open.add(request);
    last = Date.now();
  });
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
  const atRest = () => until(() => open.size === 0 && Date.now() - last > QUIET_MS, 'the page asks for nothing more');
  return { asked, atRest };
}

/** The box of an element once it stays where it is. */
export async function boxAtRest(locator) {
  let last = '';
  await until(async () => {
    const before = last;
    await new Promise((resolve) => setTimeout(resolve, 150));
    last = JSON.stringify(await locator.boundingBox());
    return last === before;
  }, 'the element stays where it is');
  return JSON.parse(last);
}

export async function adder(server, project = 'demo') {
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
  return server.rest('POST', `/api/projects/${project}/edits`, { edits });
}

export async function open(page, server, hash = '#/demo/1') {
  await page.goto(`${server.url}/${hash}`);
}
