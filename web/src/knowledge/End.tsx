/** An end of an edge. */
import { show } from '../graph/show';
import { openFunction } from '../store/session';
import { useStore } from '../store/state';
import { functionEnd, partName } from './model';
import { select, useKnowledge } from './store';
import { oneLine } from './text';

/** A node, an edge's end: selects it, or opens the function at its node. */
export function End({ id }: { id: string }) {
  const { knowledge } = useKnowledge();
  const functions = useStore((state) => state.functions);
  const end = knowledge.nodes.has(id) ? null : functionEnd(id);
  if (!end) {
    return (
      <button className="kg-link" onClick={() => select({ kind: 'node', id })} title={oneLine(knowledge.label(id), 200)}>
        <bdi>{oneLine(knowledge.label(id), 60)}</bdi>
      </button>
    );
  }
  const known = functions.find((one) => one.function_id === end.functionId);
  const part = partName(end, known);
  const name = `${known?.name ?? `function ${end.functionId}`}${part === null ? '' : `, ${part}`}`;
  if (knowledge.dangling.has(id)) return <span className="kg-dangling" title={`${id} does not exist any more`}>{name} (gone)</span>;
  return (
    <button className="kg-link" title={`Open ${id}`} onClick={() => (end.nodeId === null ? void openFunction(end.functionId) : show(end.nodeId, end.functionId))}>
      ƒ {oneLine(name, 60)}
    </button>
  );
}
