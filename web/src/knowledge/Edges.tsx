/** The edges at a node, and a form for another. */
import { useState } from 'react';
import { refused } from '../store/session';
import { useStore } from '../store/state';
import { addEdge, removeEdge } from './commit';
import { End } from './End';
import { select, useKnowledge } from './store';
import { oneLine } from './text';

const STEP = 50;

export function Edges({ project, id }: { project: string; id: string }) {
  const { knowledge } = useKnowledge();
  const [most, setMost] = useState(STEP);
  const edges = knowledge.edgesAt(id).sort((a, b) => Number(a.target === id) - Number(b.target === id) || (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
  return (
    <>
      <h3 className="section-title">Edges</h3>
      <ul className="kg-edges">
        {edges.slice(0, most).map((edge) => {
          const isOut = edge.source === id;
          return (
            <li key={edge.id}>
              <button className="kg-edge-type" title="Show the edge" onClick={() => select({ kind: 'edge', id: edge.id })}>
                {isOut ? '' : '← '}
                <bdi>{oneLine(edge.type, 40)}</bdi>
                {isOut ? ' →' : ''}
              </button>
              <End id={isOut ? edge.target : edge.source} />
              <button className="kg-drop-item" aria-label={`Remove the edge ${oneLine(edge.type, 40)}`} onClick={() => void removeEdge(project, edge.id)}>
                ×
              </button>
            </li>
          );
        })}
      </ul>
      {edges.length > most && (
        <button className="button plain small" onClick={() => setMost(most + STEP)}>
          Show {Math.min(STEP, edges.length - most)} of {edges.length - most} more
        </button>
      )}
      <NewEdge project={project} id={id} />
    </>
  );
}

const MOST_OFFERED = 200;

function NewEdge({ project, id }: { project: string; id: string }) {
  const { knowledge } = useKnowledge();
  const functions = useStore((state) => state.functions);
  const [isOpen, setOpen] = useState(false);
  if (!isOpen) {
    return (
      <button className="button small kg-add" onClick={() => setOpen(true)}>
        Add an edge
      </button>
    );
  }
  const types = new Set([...knowledge.edges.values()].slice(0, 5000).map((edge) => edge.type));
  const add = async (form: HTMLFormElement) => {
    const values = new FormData(form);
    const other = String(values.get('other')).trim();
    const [source, target] = values.get('way') === 'in' ? [other, id] : [id, other];
    if (await addEdge(project, source, target, String(values.get('type')).trim())) setOpen(false);
  };
  return (
    <form
      className="kg-form"
      onSubmit={(event) => {
        event.preventDefault();
        void add(event.currentTarget).catch(refused);
      }}
      onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
    >
      <div className="kg-two">
        <select className="field" name="way" aria-label="Direction" defaultValue="out">
          <option value="out">from here</option>
          <option value="in">to here</option>
        </select>
        <input className="field" name="type" aria-label="Type of the edge" placeholder="related_to" list="kg-edge-types" autoFocus />
      </div>
      <input className="field" name="other" aria-label="Other end" placeholder="Label or id, or a function: fn:Plate#wall" list="kg-ends" required />
      <datalist id="kg-edge-types">
        {[...types].map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <datalist id="kg-ends">
        {functions.map((known) => (
          <option key={known.function_id} value={`fn:${known.function_id}`}>
            {known.name}
          </option>
        ))}
        {[...knowledge.nodes.values()].slice(0, MOST_OFFERED).map((node) => (
          <option key={node.id} value={node.id}>
            {oneLine(node.label, 60)}
          </option>
        ))}
      </datalist>
      <div className="kg-actions">
        <button className="button small primary">Add</button>
        <button type="button" className="button small plain" onClick={() => setOpen(false)}>
          Cancel
        </button>
      </div>
    </form>
  );
}
