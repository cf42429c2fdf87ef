/** Places for nodes that no layout has placed: near what they are linked to, or around the middle. */
import type { Knowledge } from './model';

export type Places = Map<string, [number, number]>;

/** Distance that the server's layouts keep between neighbours. */
const GAP = 70;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Places each end that has no place yet; what has one stays where it is. */
export function placeMissing(knowledge: Knowledge, places: Places): void {
  const missing = knowledge.ends().filter((id) => !places.has(id));
  if (missing.length === 0) return;
  const beside = new Map<string, number>();
  let rest = missing;
  // Each round places what is linked to something placed: ends of long chains come later.
  for (let before = -1; rest.length !== before && places.size > 0; ) {
    before = rest.length;
    rest = rest.filter((id) => {
      const anchor = anchorOf(knowledge, places, id);
      if (anchor === null) return true;
      const turn = beside.get(anchor) ?? 0;
      beside.set(anchor, turn + 1);
      const [x, y] = places.get(anchor) ?? [0, 0];
      const angle = outward(places, anchor) + (turn % 2 ? 1 : -1) * Math.ceil(turn / 2) * 0.6;
      const distance = GAP * (1 + Math.floor(turn / 9) * 0.7);
      places.set(id, [x + Math.cos(angle) * distance, y + Math.sin(angle) * distance]);
      return false;
    });
  }
  spiral(knowledge, rest, places);
}

/** The first layout of a graph, until the server's comes: a spiral in breadth-first order, hubs inside. */
function spiral(knowledge: Knowledge, ids: string[], places: Places): void {
  let below = 0;
  for (const [, y] of places.values()) below = Math.max(below, y);
  const radius = GAP * 0.8 * Math.sqrt(ids.length);
  const middle = places.size > 0 ? below + radius + GAP : 0;
  const order: string[] = [];
  const left = new Set(ids);
  for (const hub of [...ids].sort((a, b) => knowledge.degree(b) - knowledge.degree(a))) {
    if (!left.delete(hub)) continue;
    order.push(hub);
    for (let next = order.length - 1; next < order.length; next++) {
      const id = order[next] ?? '';
      for (const edge of knowledge.edgesAt(id)) {
        const other = edge.source === id ? edge.target : edge.source;
        if (left.delete(other)) order.push(other);
      }
    }
  }
  order.forEach((id, rank) => {
    const distance = GAP * 0.8 * Math.sqrt(rank);
    places.set(id, [Math.cos(rank * GOLDEN_ANGLE) * distance, middle + Math.sin(rank * GOLDEN_ANGLE) * distance]);
  });
}

function anchorOf(knowledge: Knowledge, places: Places, id: string): string | null {
  for (const edge of knowledge.edgesAt(id)) {
    const other = edge.source === id ? edge.target : edge.source;
    if (other !== id && places.has(other)) return other;
  }
  return null;
}

function outward(places: Places, id: string): number {
  const [x, y] = places.get(id) ?? [0, 0];
  return x === 0 && y === 0 ? 0 : Math.atan2(y, x);
}
