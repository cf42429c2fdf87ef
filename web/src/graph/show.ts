/** Leads to a node: opens its function, selects it, and moves the canvas to it. */
import { openFunction } from '../store/session';
import { get, set } from '../store/state';

export function show(nodeId: number, functionId?: number): void {
  const open = get().trail.at(-1);
  if (functionId !== undefined && functionId !== open) {
    void openFunction(functionId).then(() => setTimeout(() => mark(nodeId), 120));
  } else mark(nodeId);
}

function mark(nodeId: number): void {
  const isSeen = get().view === 'graph';
  set({ selection: [nodeId], view: 'graph' });
  const move = () => window.dispatchEvent(new CustomEvent('fibula-show', { detail: nodeId }));
  if (isSeen) move();
  else setTimeout(move, 120);
}
