/** Pins at nodes and ports of a function. */
import { useStore } from '../store/state';
import { isOpen } from './model';
import { showMark, useMarks } from './store';

/** The open marks about a node, or about one of its ports. */
export function NodeMarks({ nodeId, port = null }: { nodeId: number; port?: string | null }) {
  const functionId = useStore((state) => state.trail.at(-1));
  const marks = useMarks((state) => state.marks);
  const end = `fn:${functionId}/${nodeId}`;
  const own = marks.filter((mark) => isOpen(mark) && mark.port === port && mark.about.includes(end));
  const [first] = own;
  if (!first) return null;
  const texts = own.map((mark) => mark.text).join('\n');
  return (
    <button className={`node-mark nodrag ${first.status}`} aria-label={`${own.length === 1 ? 'Mark' : `${own.length} marks`}: ${texts}`} title={texts} onClick={() => showMark(first.id)}>
      {own.length > 1 ? own.length : ''}
    </button>
  );
}
