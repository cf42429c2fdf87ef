// The knowledge graph in a real browser: it is drawn, searched and edited while an agent adds to it.
import assert from 'node:assert/strict';
import { Agent } from './mcp.mjs';

export async function knowledge({ page, server }) {
  await server.rest('POST', '/api/projects', { project: 'demo' });
  const agent = await new Agent(server.url).connect();
  const nodes = [
    { label: 'wall >= 2 mm', types: 'requirement' },
    { label: '<script>alert(1)</script>', types: 'note' },
    { label: 'aluminium', types: 'material' },
  ];
  const edges = [
    { source: 'aluminium', target: 'wall >= 2 mm', type: 'affects' },
    { source: '<script>alert(1)</script>', target: 'aluminium', type: 'about' },
  ];
  await agent.must('add_nodes', { project: 'demo', nodes, edges });
  await page.goto(`${server.url}/#/demo`);
  await page.getByRole('button', { name: 'Knowledge', exact: true }).click();
  const legend = page.getByRole('region', { name: 'Legend' });
  for (const type of ['requirement', 'note', 'material']) await legend.getByText(type).waitFor();

  const search = page.getByRole('combobox', { name: 'Search the knowledge' });
  await search.fill('alumnium');
  await page.getByRole('option', { name: /aluminium/ }).waitFor();
  await search.press('Enter');
  const details = page.getByRole('region', { name: 'Node of the knowledge graph' });
  await details.getByText('affects').waitFor();

  await agent.must('add_nodes', { project: 'demo', nodes: [{ label: 'anodised', types: 'finish' }], edges: [{ source: 'anodised', target: 'aluminium', type: 'covers' }] });
  await legend.getByText('finish').waitFor();
  await details.getByText('covers').waitFor();
  assert.equal(await page.locator('script:not([src])').count(), 0, 'a label is text');
}
