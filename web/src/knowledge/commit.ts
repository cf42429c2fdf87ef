/** Writes to the knowledge graph, and what they answer. */
import { api, ApiError, raw, url } from '../api/client';
import { refresh, refused } from '../store/session';
import { get as page, notify, notifyRefusal } from '../store/state';
import { undoAction } from '../store/write';
import { oneLine } from './text';
import { arrangeAsStored, useKnowledge } from './store';

const MOST_REPEATS = 5;

interface Condition {
  /** What the write depends on: if it is the same after somebody else's change, the write is repeated. */
  basis: () => unknown;
}

/** Makes a write at the revision that the person saw. Returns null if it was refused, which the person is told. */
async function commit<T>({ basis }: Condition, send: (query: { expected_revision?: number }) => Promise<T>): Promise<T | null> {
  const before = JSON.stringify(basis());
  for (let repeat = 0; ; repeat++) {
    try {
      return await send({ expected_revision: page().revision });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isConflict) {
        await refresh();
        if (JSON.stringify(basis()) === before && repeat < MOST_REPEATS) continue;
        const force = () => void send({}).catch(refused);
        notify({ tone: 'error', text: 'Not written: it was changed in between.', hint: 'The page shows the present state.', action: { label: 'Write mine', run: force } });
      } else if (error.code === 'unreachable') {
        notify({ tone: 'error', text: 'Not written: the server does not answer.', hint: 'Repeat it when the server is back.' });
        refused(error);
      } else {
        notifyRefusal(error.refusal);
      }
      return null;
    }
  }
}

const nodeBasis = (id: string) => () => useKnowledge.getState().knowledge.nodes.get(id);
const edgeBasis = (id: string) => () => useKnowledge.getState().knowledge.edges.get(id);

export interface NodeChange {
  label?: string;
  types?: string[];
  data?: Record<string, unknown>;
  add_observations?: string[];
  remove_observations?: string[];
  position?: number[];
}

export async function updateNode(project: string, id: string, change: NodeChange): Promise<boolean> {
  const body = change as never;
  return (await commit({ basis: nodeBasis(id) }, (query) => api.patch('/api/graph/{project}/nodes/{id}', { path: { project, id }, query, body }))) !== null;
}

export interface EdgeChange {
  label?: string | null;
  type?: string;
  weight?: number | null;
  data?: Record<string, unknown>;
}

export async function updateEdge(project: string, id: string, change: EdgeChange): Promise<boolean> {
  const body = change as never;
  return (await commit({ basis: edgeBasis(id) }, (query) => api.patch('/api/graph/{project}/edges/{id}', { path: { project, id }, query, body }))) !== null;
}

const always: Condition = { basis: () => null };

export async function addNode(project: string, label: string, type: string): Promise<string | null> {
  const body = { nodes: [{ label, types: type }] } as never;
  const added = await commit(always, (query) => api.post('/api/graph/{project}/add', { path: { project }, query, body }));
  return added?.nodes?.[0] ?? null;
}

export async function addEdge(project: string, source: string, target: string, type: string): Promise<boolean> {
  const body = { source, target, ...(type ? { type } : {}) } as never;
  return (await commit(always, (query) => api.post('/api/graph/{project}/edges', { path: { project }, query, body }))) !== null;
}

export async function removeNode(project: string, id: string): Promise<void> {
  const label = useKnowledge.getState().knowledge.label(id);
  const removed = await commit({ basis: nodeBasis(id) }, (query) => api.delete('/api/graph/{project}/nodes/{id}', { path: { project, id }, query }));
  if (!removed) return;
  const edges = removed.removed_edges === 0 ? '' : ` and ${removed.removed_edges} edge${removed.removed_edges === 1 ? '' : 's'}`;
  notify({ tone: 'info', text: `Removed ${oneLine(label, 40)}${edges}.`, action: undoAction });
}

export async function removeEdge(project: string, id: string): Promise<void> {
  const removed = await commit({ basis: edgeBasis(id) }, (query) => api.delete('/api/graph/{project}/edges/{id}', { path: { project, id }, query }));
  if (removed) notify({ tone: 'info', text: 'Removed the edge.', action: undoAction });
}

/** Stores the present layout with the nodes, for everybody. */
export async function storeLayout(project: string): Promise<void> {
  const { arrangement } = useKnowledge.getState();
  if (arrangement === 'stored') return;
  const laidOut = await commit(always, (query) => api.post('/api/graph/{project}/layout', { path: { project }, query, body: { method: arrangement, write: true, limit: 1 } as never }));
  if (!laidOut) return;
  notify({ tone: 'info', text: `Stored the places of ${laidOut.total} nodes.`, action: undoAction });
  await refresh();
  const { knowledge } = useKnowledge.getState();
  if ([...knowledge.nodes.values()].every((node) => node.position)) arrangeAsStored();
}

const FORMATS: Record<string, string> = {
  csv: 'csv',
  graphml: 'graphml',
  gexf: 'gexf',
  dot: 'dot',
  gv: 'dot',
  mmd: 'mermaid',
  mermaid: 'mermaid',
  jsonl: 'memory-jsonl',
  jsonld: 'json-ld',
};

/** The format that a file's name gives away; the server detects the others. */
export function formatOf(name: string): string | null {
  return FORMATS[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? null;
}

export async function importFile(project: string, file: File): Promise<void> {
  const content = await file.text();
  const format = formatOf(file.name);
  const body = { content, ...(format ? { format } : {}) } as never;
  const imported = await commit(always, (query) => api.post('/api/graph/{project}/import', { path: { project }, query, body }));
  if (!imported) return;
  const { node_count, edge_count, repairs = [], warnings = [] } = imported;
  const repaired = repairs.reduce((sum, repair) => sum + repair.count, 0);
  notify({
    tone: 'info',
    text: `Imported ${node_count} nodes and ${edge_count} edges from ${oneLine(file.name, 40)}${repaired > 0 ? `, ${repaired} faults repaired` : ''}.`,
    hint: [...repairs.map((repair) => repair.message), ...warnings].slice(0, 3).join(' · ') || undefined,
    action: undoAction,
  });
}

export function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export const DATA_FORMATS = { json: 'json', 'json-ld': 'jsonld', graphml: 'graphml', gexf: 'gexf', csv: 'csv', 'node-link': 'json', cytoscape: 'json', dot: 'dot', mermaid: 'mmd', 'memory-jsonl': 'jsonl' } as const;

export async function exportData(project: string, format: keyof typeof DATA_FORMATS): Promise<void> {
  try {
    const answer = await raw('GET', url('/api/graph/{project}/export', { project }, { format }));
    save(await answer.blob(), `${project}.${DATA_FORMATS[format]}`);
  } catch (error) {
    refused(error);
  }
}

export async function exportSvg(project: string, isDark: boolean): Promise<void> {
  const { arrangement } = useKnowledge.getState();
  try {
    const body = { format: 'svg', dark: isDark, ...(arrangement === 'stored' ? {} : { layout: arrangement }) };
    const answer = await raw('POST', url('/api/graph/{project}/render', { project }), body);
    save(await answer.blob(), `${project}.svg`);
  } catch (error) {
    refused(error);
  }
}
