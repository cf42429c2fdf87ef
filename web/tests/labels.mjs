// Names are text, whatever they hold, in every panel.
import assert from 'node:assert/strict';
import { Agent } from './mcp.mjs';

const NAMES = [
  '<script>window.owned=1</script>',
  '<svg onload="window.owned=1"><img src=x onerror="window.owned=1">',
  '\u202Egnp.exe \u0645\u0631\u062D\u0628\u0627',
  'zero\u200B\u200D\uFEFFwidth',
  '\u{1F9B4}\u{1F468}\u200D\u{1F469}\u200D\u{1F467} emoji',
  '${window.owned=1}{{window.owned=1}}',
  'x'.repeat(10_000),
];
/** Nodes of functions, unlike those of knowledge, are refused names with invisible characters or of more than some hundred. */
const NODE_NAMES = NAMES.filter((name) => !/\p{Cf}/u.test(name) && name.length < 200);
const TAG = '<img src=x onerror=window.owned=1>';

/** In the page: what a name has done beyond being text. */
function damage() {
  const found = [];
  if (window.owned !== undefined) found.push('a name ran');
  for (const element of document.querySelectorAll('img:not([data-testid]), script:not([src]), iframe, object, embed, marquee, [onload], [onerror], [onclick]')) found.push(element.outerHTML.slice(0, 80));
  if (document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  // What turns the direction of text must have an element of its own, or it would turn what stands after it.
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const at = data.search(/[\u202A-\u202E\u2066-\u2069]/);
    if (at < 0) continue;
    const { display, unicodeBidi } = getComputedStyle(parentElement);
    const isAlone = parentElement.textContent === data && (display !== 'inline' || unicodeBidi.includes('isolate'));
    if (at > 0 || !isAlone) found.push(`${parentElement.outerHTML.slice(0, 120)} turns what follows`);
  }
  for (const element of document.querySelectorAll('.card, .outline li, .activity li, .problems li, .notice, [role=option], .kg-details h2, .kg-details .kg-text, .kg-legend li, .inspector h2')) {
    const { height } = element.getBoundingClientRect();
    if (height > innerHeight) found.push(`${element.className || element.tagName} is ${height} high`);
  }
  return found;
}

export async function hostileLabels({ page, server }) {
  const project = `<svg onload=window.owned=1>`;
  const route = `/api/projects/${encodeURIComponent(project)}`;
  await server.rest('POST', '/api/projects', { project });
  const f = 1;
  const edits = [{ set_function: { function_id: f, name: TAG, inputs: [{ name: 'pos', type: 'float3' }], outputs: [{ name: 'shape', type: 'float' }], nodes: [] } }];
  NODE_NAMES.forEach((display_name, index) => {
    edits.push({ create_node: { function_id: f, node_type: 'ConstantScalar', alias: `$${index}`, display_name } });
    edits.push({ set_parameter_value: { function_id: f, node_id: `$${index}`, parameter_name: 'value', value: index + 1 } });
  });
  edits.push({ create_node: { function_id: f, node_type: 'Length', alias: '$length', display_name: NAMES[1] } });
  edits.push({ create_node: { function_id: f, node_type: 'Subtraction', alias: '$minus', display_name: NODE_NAMES[2] } });
  edits.push({ create_link: { function_id: f, source_node_id: '$length', source_port_name: 'result', target_node_id: '$minus', target_parameter_name: 'A' } });
  edits.push({ create_link: { function_id: f, source_node_id: '$minus', source_port_name: 'result', target_node_id: 0, target_parameter_name: 'shape' } });
  await server.rest('POST', `${route}/edits`, { edits });
  for (const display_name of NAMES.filter((name) => !NODE_NAMES.includes(name))) {
    const { answer } = await server.send('POST', `${route}/functions/${f}/nodes`, { node_type: 'Sine', display_name });
    assert.equal(answer.code, 'invalid_name', `${answer.message}`);
  }
  const agent = await new Agent(server.url, '<b onclick=window.owned=1>agent').connect();
  const nodes = NAMES.map((label, index) => ({ id: `n${index}`, label, types: [index % 2 ? TAG : 'note'], data: { [TAG]: label.slice(0, 200) }, observations: [label.slice(0, 2000)] }));
  const links = NAMES.slice(1).map((_, index) => ({ source: `n${index}`, target: `n${index + 1}`, type: index % 2 ? TAG : 'about' }));
  links.push({ source: 'n2', target: `fn:${f}`, type: 'about' });
  await agent.must('add_nodes', { project, nodes, edges: links });
  await agent.must('create_node', { project, function_id: f, node_type: 'Sine', display_name: NODE_NAMES[0] });

  const check = async (what) => assert.deepEqual(await page.evaluate(damage), [], what);
  await page.goto(`${server.url}/#/${encodeURIComponent(project)}/${f}`);
  await page.locator('.card-title', { hasText: '<script>' }).first().waitFor();
  await page.locator('.outline').getByText(TAG).first().waitFor();
  await check('outline, graph, activity line');
  const widest = await page.evaluate(() => Math.max(...[...document.querySelectorAll('.card')].map((one) => one.offsetWidth)));
  assert.ok(widest <= 264, `${widest}`);
  for (const tab of ['Activity', 'Problems', 'History', 'Table']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.getByRole('tabpanel').locator('li, tr').first().waitFor();
    await check(tab);
  }
  for (const [index, name] of NODE_NAMES.entries()) {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
    await page.keyboard.type(`node ${index + 2}`);
    await check('search');
    await page.keyboard.press('Enter');
    await page.locator('.card.selected').waitFor();
    await check(`inspector of ${name}`);
  }
  await page.locator('.react-flow__pane').click({ position: { x: 400, y: 400 } });
  await page.getByRole('button', { name: 'Export' }).click();
  await check('export menu');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /^Graph SVG/ }).click()]);
  assert.match(download.suggestedFilename(), /^[\w.-]+\.svg$/);
  // Undo says what it took back.
  const { revision } = await server.rest('GET', `${route}/overview`);
  await page.getByRole('tab', { name: 'Activity' }).click();
  await page.getByRole('tabpanel').getByRole('button', { name: /^Revert/ }).first().click();
  await page.locator('.notice').first().waitFor();
  await check(`notice after revision ${revision}`);

  await page.getByRole('button', { name: 'Knowledge', exact: true }).click();
  await page.getByRole('region', { name: 'Legend' }).getByText(TAG).waitFor();
  await check('legend');
  const search = page.getByRole('combobox', { name: 'Search the knowledge' });
  for (const [index, query] of ['script', 'onload', 'exe', 'width', 'emoji', 'window.owned', 'xxxx'].entries()) {
    await search.fill(query);
    await page.getByRole('option').first().waitFor();
    await check(`search of the knowledge: ${query}`);
    await search.press('Enter');
    await page.getByRole('region', { name: 'Node of the knowledge graph' }).getByText('note', { exact: true }).or(page.getByRole('region', { name: 'Node of the knowledge graph' }).getByText(TAG)).first().waitFor();
    await check(`details of ${NAMES[index].slice(0, 20)}`);
  }
  await page.getByRole('tab', { name: 'Table' }).click();
  await check('table of the knowledge');
  await page.getByRole('button', { name: 'Fibula: all projects' }).click();
  await page.getByRole('button', { name: new RegExp('^<svg') }).waitFor();
  await check('projects');
}
