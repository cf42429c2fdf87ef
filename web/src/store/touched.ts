/** Which nodes of a function a change touches, from its facts. */

const MEMBERS = ['node_id', 'target_node_id'] as const;

/** The first function that a change touches, from its facts; null if there is none. */
export function touchedFunction(edit: unknown): number | null {
  if (Array.isArray(edit)) return edit.reduce((found: number | null, part) => found ?? touchedFunction(part), null);
  if (typeof edit !== 'object' || edit === null) return null;
  const facts = edit as Record<string, unknown>;
  if (typeof facts.function_id === 'number') return facts.function_id;
  return Object.values(facts).reduce((found: number | null, part) => found ?? touchedFunction(part), null);
}

/** True if a change may have changed the knowledge graph. */
export function changesKnowledge(edit: unknown): boolean {
  return editsOf(edit).some((one) => one === null || 'knowledge' in one);
}

/** True if a change may have changed more than the knowledge graph. */
export function changesParts(edit: unknown): boolean {
  return editsOf(edit).some((one) => one === null || !('knowledge' in one));
}

/** The edits of a batch, or the edit itself; null for one that was left out. */
function editsOf(edit: unknown): (object | null)[] {
  if (typeof edit !== 'object' || edit === null) return [null];
  return 'batch' in edit && Array.isArray(edit.batch) ? edit.batch.flatMap(editsOf) : [edit];
}

export function touched(edit: unknown, functionId: number): number[] {
  const found = new Set<number>();
  visit(edit, functionId, found);
  return [...found];
}

function visit(edit: unknown, functionId: number, found: Set<number>): void {
  if (Array.isArray(edit)) {
    for (const part of edit) visit(part, functionId, found);
    return;
  }
  if (typeof edit !== 'object' || edit === null) return;
  const facts = edit as Record<string, unknown>;
  if (facts.function_id === functionId) {
    for (const name of MEMBERS) {
      const id = facts[name];
      if (typeof id === 'number') found.add(id);
    }
  }
  for (const [name, part] of Object.entries(facts)) {
    if (name === 'parameters' || name === 'value') continue;
    visit(part, functionId, found);
  }
}
