/** Which community each node belongs to, from the groups that the server found. */
import type { Knowledge } from './model';

export interface Group {
  nodes: string[];
  size: number;
}

const MOST_ROUNDS = 30;

/**
 * The server lists the first members of each group. All others join the group that most of their placed neighbours
 * belong to, in rounds from the listed members outward. A node that no edge leads to stays without a group.
 */
export function membership(knowledge: Knowledge, groups: Group[]): Map<string, number> {
  const member = new Map<string, number>();
  groups.forEach((group, index) => group.nodes.forEach((id) => member.set(id, index)));
  let rest = knowledge.ends().filter((id) => !member.has(id));
  for (let round = 0; rest.length > 0 && round < MOST_ROUNDS; round++) {
    const joined: [string, number][] = [];
    rest = rest.filter((id) => {
      const votes = new Map<number, number>();
      for (const edge of knowledge.edgesAt(id)) {
        const group = member.get(edge.source === id ? edge.target : edge.source);
        if (group !== undefined) votes.set(group, (votes.get(group) ?? 0) + 1);
      }
      const [best] = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
      if (!best) return true;
      joined.push([id, best[0]]);
      return false;
    });
    if (joined.length === 0) break;
    for (const [id, group] of joined) member.set(id, group);
  }
  return member;
}
