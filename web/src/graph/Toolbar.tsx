/** Buttons of the canvas, and what applies to the selection. */
import { useEffect, useState } from 'react';
import { useStore } from '../store/state';
import { Icon } from '../ui/icons';
import { activeMute, addFrame, leaveFrames, toggleMute } from './annotate';
import { copy, disconnect, duplicate, extract, removeNodes } from './commands';
import { isBoundary } from './edits';
import { useNotes } from './notes';
import { viewNode } from './show';

interface Props {
  wires: Set<string>;
  onAdd: () => void;
  onComment: () => void;
  onTidy: () => void;
  onFit: () => void;
}

export function Toolbar({ wires, onAdd, onComment, onTidy, onFit }: Props) {
  const selection = useStore((state) => state.selection);
  return (
    <>
      <div className="toolbar" role="toolbar" aria-label="Graph">
        <button className="icon" title="Add a node (Space)" aria-label="Add a node" onClick={onAdd}>
          <Icon name="plus" />
        </button>
        <button className="icon" title="Write a comment (C)" aria-label="Write a comment" onClick={onComment}>
          <Icon name="note" />
        </button>
        <button className="icon" title="Tidy up (L)" aria-label="Tidy up" onClick={onTidy}>
          <Icon name="layout" />
        </button>
        <button className="icon" title="Show everything (F)" aria-label="Show everything" onClick={onFit}>
          <Icon name="fit" />
        </button>
      </div>
      {selection.length > 0 ? <NodeBar selection={selection} /> : wires.size > 0 && <WireBar wires={wires} />}
    </>
  );
}

function WireBar({ wires }: { wires: Set<string> }) {
  const ends = [...wires].map((id) => ({ node_id: Number(id.slice(0, id.indexOf(':'))), name: id.slice(id.indexOf(':') + 1) }));
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selection">
      <span className="count">{ends.length === 1 ? '1 link' : `${ends.length} links`}</span>
      {ends.length > 1 && <span className="hint">drag one by its beginning to move all</span>}
      <button className="button plain small" title="Delete" onClick={() => void disconnect(ends)}>
        Delete
      </button>
    </div>
  );
}

/** A verb that asks for a name. */
type Naming = 'extract' | 'frame';
const NAMES = { extract: { label: 'Name of the new function', text: 'Part' }, frame: { label: 'Name of the frame', text: 'Frame' } };

function NodeBar({ selection }: { selection: number[] }) {
  const graph = useStore((state) => state.graph);
  const frames = useNotes((state) => state.frames);
  const mutes = useNotes((state) => state.mutes);
  const [naming, setNaming] = useState<Naming | null>(null);
  useEffect(() => {
    const onName = (event: Event) => setNaming((event as CustomEvent<Naming>).detail);
    window.addEventListener('fibula-name', onName);
    return () => window.removeEventListener('fibula-name', onName);
  }, []);
  const own = selection.filter((id) => !isBoundary(graph?.nodes.find((node) => node.node_id === id)));
  const [first] = own;
  const isFramed = frames.some((frame) => selection.some((id) => frame.members.has(id)));
  const isMuted = first !== undefined && graph !== null && activeMute(graph, first, mutes) !== null;

  function named(name: string): void {
    setNaming(null);
    if (!name.trim()) return;
    if (naming === 'extract') void extract(own, name.trim());
    else void addFrame(selection, name.trim());
  }

  if (naming !== null) {
    return (
      <form
        className="selection-bar"
        onSubmit={(event) => {
          event.preventDefault();
          named(String(new FormData(event.currentTarget).get('name')));
        }}
      >
        <input className="field" name="name" aria-label={NAMES[naming].label} autoFocus autoComplete="off" maxLength={200} defaultValue={NAMES[naming].text} onFocus={(event) => event.target.select()} onBlur={() => setNaming(null)} onKeyDown={(event) => event.key === 'Escape' && setNaming(null)} />
        <button className="button plain small" onPointerDown={(event) => event.preventDefault()}>
          {naming === 'extract' ? 'Extract' : 'Frame'}
        </button>
      </form>
    );
  }
  return (
    <div className="selection-bar" role="toolbar" aria-label="Selection">
      <span className="count">{selection.length === 1 ? '1 node' : `${selection.length} nodes`}</span>
      {own.length === 1 && first !== undefined && (
        <>
          <button className="button plain small" title="Another kind, same links (S)" onClick={() => window.dispatchEvent(new CustomEvent('fibula-swap', { detail: first }))}>
            Swap
          </button>
          <button className="button plain small" title="Its output as the shape, in turn (V)" onClick={() => viewNode(first)}>
            View
          </button>
          <button className="button plain small" title={isMuted ? 'Put it back into the flow (M)' : 'Take it out of the flow (M)'} onClick={() => void toggleMute([first])}>
            {isMuted ? 'Unmute' : 'Mute'}
          </button>
        </>
      )}
      <button className="button plain small" title="A named group (G)" onClick={() => setNaming('frame')}>
        Frame
      </button>
      {isFramed && (
        <button className="button plain small" title="Take it out of its frame" onClick={() => void leaveFrames(selection)}>
          Unframe
        </button>
      )}
      {own.length > 0 && (
        <>
          <button className="button plain small" title="Ctrl+D" onClick={() => void duplicate(own)}>
            Duplicate
          </button>
          <button className="button plain small" title="Ctrl+C" onClick={() => copy(own)}>
            Copy
          </button>
          <button className="button plain small" title="A function of its own" onClick={() => setNaming('extract')}>
            Extract
          </button>
          <button className="button plain small" title="Delete; Shift+Delete joins the links" onClick={(event) => void removeNodes(own, event.shiftKey)}>
            Delete
          </button>
        </>
      )}
    </div>
  );
}
