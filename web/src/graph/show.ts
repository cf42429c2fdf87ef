/** Leads to a node or one of its ports: opens its function, selects it, and moves the canvas to it. */
import { openFunction } from '../store/session';
import { get, set } from '../store/state';

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
