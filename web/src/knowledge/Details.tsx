/** What is known of the selected node or edge, edited in place. */
import { useEffect, type ReactNode } from 'react';
import { refused } from '../store/session';
import { removeEdge, removeNode, updateEdge, updateNode } from './commit';
import { Data } from './Data';
import { Edges } from './Edges';
import { End } from './End';
import { Field } from './Field';
import type { KnowledgeEdge, KnowledgeNode } from './model';
import { expand, focusOn, pickPath, readNode, useKnowledge } from './store';
import { MarkEdge } from '../marks/MarkEdge';
import { LongText, oneLine, When } from './text';

export function KnowledgeDetails({ project }: { project: string }) {
  const { selection, knowledge, status } = useKnowledge();
  useKnowledge((state) => state.version);
  const id = selection?.kind === 'node' ? selection.id : null;
  const version = id === null ? undefined : knowledge.nodes.get(id)?.version;
  // The list of nodes leaves out long observations; the node by itself has them.
  useEffect(() => {
    const node = id === null ? undefined : knowledge.nodes.get(id);
    if (node && node.observationCount > node.observations.length) void readNode(project, node.id).catch(refused);
  }, [project, id, version, knowledge]);
  if (status !== 'ready' || !selection) return <Nothing />;
  if (selection.kind === 'edge') {
    const edge = knowledge.edges.get(selection.id);
    return edge ? <EdgeDetails project={project} edge={edge} key={edge.id} /> : <Nothing />;
  }
  const node = knowledge.nodes.get(selection.id);
  return node ? <NodeDetails project={project} node={node} key={node.id} /> : <EndDetails project={project} id={selection.id} key={selection.id} />;
}

function Nothing() {
  const isEmpty = useKnowledge((state) => state.knowledge.nodes.size === 0);
  if (isEmpty) return null;
  return <p className="kg-note">Select a node or an edge to read and change what is known of it.</p>;
}

function Actions({ id, children }: { id: string; children?: ReactNode }) {
  const start = useKnowledge((state) => state.start);
  return (
    <div className="kg-actions">
      <button className="button small" title="Show this node and its neighbours only (F)" onClick={() => void focusOn(id).catch(refused)}>
        Focus
      </button>
      <button className="button small" title="Show up to 100 more neighbours (E)" onClick={() => void expand(id).catch(refused)}>
        Expand
      </button>
      <button className="button small" aria-pressed={start === id} title="Shortest path from here to the node that you pick next (P)" onClick={() => void pickPath(id).catch(refused)}>
        {start !== null && start !== id ? 'Path to here' : 'Path from here'}
      </button>
      {children}
    </div>
  );
}

function Remove({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button className="button small plain kg-remove" aria-label={`Remove ${name}`} title={`Remove ${name}; undo brings it back`} onClick={onRemove}>
      Remove
    </button>
  );
}

function NodeDetails({ project, node }: { project: string; node: KnowledgeNode }) {
  const update = (change: Parameters<typeof updateNode>[2]) => updateNode(project, node.id, change);
  const split = (text: string) => text.split(',').map((type) => type.trim()).filter((type) => type !== '');
  return (
    <section className="kg-details" aria-label="Node of the knowledge graph">
      <Field name="Label" value={node.label} isTitle onWrite={(label) => update({ label })} />
      <Field name="Types" value={node.types.join(', ')} onWrite={(text) => update({ types: split(text) })} />
      <p className="kg-meta">
        <code className="clip" title={node.id}>{oneLine(node.id, 60)}</code>
        <span>
          {oneLine(node.creator, 40)}, <When at={node.created} />
        </span>
      </p>
      <Actions id={node.id}>
        <Remove name="node" onRemove={() => void removeNode(project, node.id)} />
      </Actions>
      <h3 className="section-title">Observations</h3>
      <ul className="kg-observations">
        {node.observations.map((observation, at) => (
          <li key={`${observation.at}-${at}`}>
            <LongText text={observation.text} />
            <small className="kg-quiet">
              {oneLine(observation.by, 40)}, <When at={observation.at} />
            </small>
            <button className="kg-drop-item" aria-label={`Remove observation ${at + 1}`} onClick={() => void update({ remove_observations: [observation.text] })}>
              ×
            </button>
          </li>
        ))}
      </ul>
      {node.observationCount > node.observations.length && <p className="kg-quiet">{node.observationCount - node.observations.length} more are not shown.</p>}
      <Field name="Add an observation" value="" isLong onWrite={(text) => update({ add_observations: [text] })} />
      <Data data={node.data} onWrite={(data) => update({ data })} />
      <Edges project={project} id={node.id} />
    </section>
  );
}

/** A function, or a node of one, that edges end at. */
function EndDetails({ project, id }: { project: string; id: string }) {
  const isDangling = useKnowledge((state) => state.knowledge.dangling.has(id));
  return (
    <section className="kg-details" aria-label="Function in the knowledge graph">
      <h2>
        <End id={id} />
      </h2>
      <p className="kg-meta">
        <code>{id}</code>
        {isDangling && <span className="kg-dangling">dangling: it does not exist any more</span>}
      </p>
      <Actions id={id} />
      <Edges project={project} id={id} />
    </section>
  );
}

function EdgeDetails({ project, edge }: { project: string; edge: KnowledgeEdge }) {
  const update = (change: Parameters<typeof updateEdge>[2]) => updateEdge(project, edge.id, change);
  return (
    <section className="kg-details" aria-label="Edge of the knowledge graph">
      <Field name="Type" value={edge.type} isTitle onWrite={(type) => update({ type })} />
      <p className="kg-ends">
        <End id={edge.source} /> <span aria-label="to">→</span> <End id={edge.target} />
      </p>
      <Field name="Label" value={edge.label ?? ''} onWrite={(label) => update({ label: label || null })} />
      <Field
        name="Weight"
        value={edge.weight === null ? '' : String(edge.weight)}
        check={(text) => (text === '' || Number.isFinite(Number(text)) ? null : 'A weight is a number.')}
        onWrite={(text) => update({ weight: text === '' ? null : Number(text) })}
      />
      <p className="kg-meta">
        <code className="clip">{oneLine(edge.id, 60)}</code>
        <span>
          {oneLine(edge.creator, 40)}, <When at={edge.created} />
        </span>
      </p>
      <div className="kg-actions">
        <MarkEdge id={edge.id} type={edge.type} />
        <Remove name="edge" onRemove={() => void removeEdge(project, edge.id)} />
      </div>
      <Data data={edge.data} onWrite={(data) => update({ data })} />
    </section>
  );
}
