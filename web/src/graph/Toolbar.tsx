/** Buttons of the canvas, and what applies to the selection. */
import { useState } from 'react';
import { useStore } from '../store/state';
import { Icon } from '../ui/icons';
import { copy, duplicate, extract, muteNode, removeNodes, tidy } from './commands';
import { isBoundary } from './edits';

export function Toolbar({ onAdd, onFit }: { onAdd: () => void; onFit: () => void }) {
  const selection = useStore((state) => state.selection);
  const graph = useStore((state) => state.graph);
  const [name, setName] = useState<string | null>(null);
  const own = selection.filter((id) => !isBoundary(graph?.nodes.find((node) => node.node_id === id)));
  const [first] = own;
  return (
    <>
      <div className="toolbar" role="toolbar" aria-label="Graph">
        <button className="icon" title="Add a node (Space)" aria-label="Add a node" onClick={onAdd}>
          <Icon name="plus" />
        </button>
        <button className="icon" title="Tidy up (L)" aria-label="Tidy up" onClick={() => void tidy()}>
          <Icon name="layout" />
        </button>
        <button className="icon" title="Show everything (F)" aria-label="Show everything" onClick={onFit}>
          <Icon name="fit" />
        </button>
      </div>
      {first !== undefined && (
        <div className="selection-bar" role="toolbar" aria-label="Selection">
          <span className="count">{own.length === 1 ? '1 node' : `${own.length} nodes`}</span>
          {own.length === 1 && (
            <>
              <button className="button plain small" title="Another kind, same links (S)" onClick={() => window.dispatchEvent(new CustomEvent('fibula-swap', { detail: first }))}>
                Swap
              </button>
              <button className="button plain small" title="Take it out of the flow (M)" onClick={() => void muteNode(first)}>
                Mute
              </button>
            </>
          )}
          <button className="button plain small" title="Ctrl+D" onClick={() => void duplicate(own)}>
            Duplicate
          </button>
          <button className="button plain small" title="Ctrl+C" onClick={() => copy(own)}>
            Copy
          </button>
          {name === null ? (
            <button className="button plain small" onClick={() => setName('Part')}>
              Extract
            </button>
          ) : (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                setName(null);
                if (name.trim()) void extract(own, name.trim());
              }}
            >
              <input className="field" aria-label="Name of the new function" autoFocus value={name} onChange={(event) => setName(event.target.value)} onFocus={(event) => event.target.select()} onBlur={() => setName(null)} onKeyDown={(event) => event.key === 'Escape' && setName(null)} />
            </form>
          )}
          <button className="button plain small" title="Delete; Shift+Delete joins the links" onClick={(event) => void removeNodes(own, event.shiftKey)}>
            Delete
          </button>
        </div>
      )}
    </>
  );
}
