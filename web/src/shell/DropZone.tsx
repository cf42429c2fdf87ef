/** Files that are dropped on the page are imported. */
import { useState, type ReactNode } from 'react';
import { importFiles } from './importing';

export function DropZone({ children }: { children: ReactNode }) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      className="drop"
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        setOver(false);
        void importFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {isOver && <div className="drop-hint">Drop to import: 3MF, STL, OBJ, .vm, or a knowledge graph as JSON-LD, GraphML, CSV…</div>}
    </div>
  );
}
