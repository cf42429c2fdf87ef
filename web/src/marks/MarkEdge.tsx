/** Marks an edge of the knowledge graph, and leads to its marks. */
import { oneLine } from '../knowledge/text';
import { isOpen } from './model';
import { markEdge, showMark, useMarks } from './store';
import './marks.css';

export function MarkEdge({ id, type }: { id: string; type: string }) {
  const own = useMarks((state) => state.marks).filter((mark) => mark.edge === id && isOpen(mark));
  return (
    <>
      <button
        className="button small"
        onClick={(event) => {
          const { left, bottom } = event.currentTarget.getBoundingClientRect();
          markEdge(id, `edge ${oneLine(type, 40)}`, { x: left, y: bottom });
        }}
      >
        Mark
      </button>
      {own.map((mark) => (
        <button key={mark.id} className={`node-mark ${mark.status}`} aria-label={`Mark: ${mark.text}`} title={mark.text} onClick={() => showMark(mark.id)} />
      ))}
    </>
  );
}
