/** Leads to a node or one of its ports: opens its function, selects it, and moves the canvas to it. */
import { openFunction } from '../store/session';
import { setView } from '../preview/state';
import { get, notify, set, type Subject } from '../store/state';
import { signatures } from './types';

/** Time until a canvas that was opened has its nodes, and until it has moved to one of them. */
const OPENED_MS = 120;
const MOVED_MS = 180;

export function show(nodeId: number, functionId?: number, port?: string | null): void {
  const open = get().trail.at(-1);
  if (functionId !== undefined && functionId !== open) {
    void openFunction(functionId).then(() => setTimeout(() => mark(nodeId, port), OPENED_MS));
  } else mark(nodeId, port);
}

function mark(nodeId: number, port?: string | null): void {
  const isSeen = get().view === 'graph';
  set({ selection: [nodeId], view: 'graph' });
  const move = () => {
    window.dispatchEvent(new CustomEvent('fibula-show', { detail: nodeId }));
    if (port) setTimeout(() => focusPort(nodeId, port), MOVED_MS);
  };
  if (isSeen) move();
  else setTimeout(move, OPENED_MS);
}

/** Puts the focus into the field of a parameter, where its value is typed. */
export function focusPort(nodeId: number, port: string): void {
  const handle = document.querySelector(`.react-flow__node[data-id="${nodeId}"] [data-handleid="${CSS.escape(`in:${port}`)}"]`);
  handle?.parentElement?.querySelector<HTMLElement>('input, select, textarea, button')?.focus({ preventScroll: true });
}

/** Shows a port as the shape; for null what is open. */
export function showShape(port: Subject | null): void {
  setView({ build: false });
  set({ subject: port ?? { kind: 'build' } });
}

/** Shows a port as the shape, or the open function again if the port is shown. */
export function toggleShape(functionId: number | undefined, nodeId: number, port: string): void {
  if (functionId === undefined) return;
  const { subject } = get();
  const isShown = subject.kind === 'port' && subject.functionId === functionId && subject.nodeId === nodeId && subject.port === port;
  showShape(isShown ? null : { kind: 'port', functionId, nodeId, port });
}

/** Shows the next float output of a node as the shape; after the last one the function again. */
export function viewNode(nodeId: number): void {
  const { graph, kinds, functions, subject } = get();
  if (!graph) return;
  const { function_id: functionId } = graph;
  const ports = signatures(graph, kinds, functions).get(nodeId)?.ports.filter((port) => port.type === 'float') ?? [];
  const isOfNode = subject.kind === 'port' && subject.functionId === functionId && subject.nodeId === nodeId;
  const next = ports[isOfNode ? ports.findIndex((port) => port.name === subject.port) + 1 : 0];
  if (ports.length === 0) notify({ tone: 'info', text: 'This node has no float output, so nothing of it has an inside.' });
  else showShape(next ? { kind: 'port', functionId, nodeId, port: next.name } : null);
}
