/** A project without knowledge: what it is for, and three ways to begin. */
import { refused } from '../store/session';
import { AddNode } from './AddNode';
import { importFile } from './commit';

export function EmptyKnowledge({ project, onAdded }: { project: string; onAdded: (id: string) => void }) {
  return (
    <div className="kg-empty">
      <h2>Nothing is known here yet</h2>
      <p>
        The knowledge graph keeps what stands behind a design: requirements, reasons, sources, measurements. Each is a node; edges say how they
        hang together, and tie them to the functions that they are about.
      </p>
      <div className="kg-actions">
        <label className="button primary">
          Import a file
          <input
            type="file"
            className="visually-hidden"
            onChange={(event) => {
              const [file] = event.target.files ?? [];
              if (file) void importFile(project, file).catch(refused);
            }}
          />
        </label>
        <AddNode project={project} onAdded={onAdded} />
      </div>
      <p className="kg-quiet">Or drop one here: JSON-LD, GraphML, GEXF, CSV, Cytoscape, DOT, Mermaid, memory.jsonl.</p>
      <p className="kg-quiet">
        Agents write to it with <code>add_nodes</code> and <code>add_edges</code>; what they add appears at once.
      </p>
    </div>
  );
}
