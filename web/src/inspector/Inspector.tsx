/** The selected node, or the open function: documentation, values, named parameters. */
import { useEffect, useState } from 'react';
import { Markdown } from './Markdown';
import { Tied } from './Tied';
import { commitValue, draftValue, rename, resourceChoices } from '../graph/commands';
import { isSource, type GraphNode } from '../graph/model';
import { show } from '../graph/show';
import { titlesOf } from '../graph/types';
import { sceneOf } from '../graph/useScene';
import { useStore } from '../store/state';
import { PortShape } from '../ui/icons';
import { shown } from '../ui/numbers';
import { ValueField } from '../ui/ValueField';
import './inspector.css';

export function Inspector() {
  const graph = useStore((state) => state.graph);
  const selection = useStore((state) => state.selection);
  const node = selection.length === 1 ? graph?.nodes.find((known) => known.node_id === selection[0]) : undefined;
  return (
    <div className="inspector" tabIndex={0} role="region" aria-label="Inspector">
      {node ? <NodePanel key={node.node_id} node={node} /> : <FunctionPanel />}
    </div>
  );
}

function NodePanel({ node }: { node: GraphNode }) {
  const graph = useStore((state) => state.graph);
  const kind = useStore((state) => state.kinds.get(node.node_type));
  const values = useStore((state) => state.values);
  const functions = useStore((state) => state.functions);
  if (!graph) return null;
  const signature = sceneOf(graph).signatures.get(node.node_id) ?? { parameters: [], ports: [] };
  const isBoundary = node.node_type === 'Begin' || node.node_type === 'End';
  const titles = titlesOf(graph, functions);
  return (
    <section aria-label="Selected node">
      <div className="inspector-head">
        {isBoundary ? <h2>{node.node_type === 'Begin' ? 'Inputs' : 'Outputs'}</h2> : <NameField node={node} placeholder={titles.get(node.node_id) ?? ''} />}
        <span className="meta">
          {node.node_type} · <span className="mono">{node.node_id}</span>
        </span>
      </div>
      {signature.parameters.length > 0 && (
        <dl className="ports">
          {signature.parameters.map((parameter) => {
            const setting = node.parameters?.[parameter.name];
            return (
              <div key={parameter.name}>
                <dt>
                  <PortShape type={parameter.type} />
                  <span className="clip" title={`${parameter.name}: ${parameter.type}`}>
                    {parameter.name}
                  </span>
                </dt>
                <dd>
                  {isSource(setting) ? (
                    <button className="source clip" onClick={() => show(setting.source.node_id)} title="Show the source">
                      {titles.get(setting.source.node_id) ?? setting.source.node_id}
                      <span className="hint"> {setting.source.port}</span>
                      <span className="mono live-value">{shown(values.get(`${setting.source.node_id}:${setting.source.port}`))}</span>
                    </button>
                  ) : isBoundary ? (
                    <span className="hint">no link</span>
                  ) : (
                    <ValueField
                      label={`${parameter.name}`}
                      type={parameter.type}
                      value={setting?.value}
                      placeholder={parameter.hasDefault ? shown(parameter.default) : 'not set'}
                      {...(parameter.type === 'resource_id' ? { choices: resourceChoices(parameter.refers) } : {})}
                      onCommit={(value) => void commitValue({ functionId: graph.function_id, nodeId: node.node_id, name: parameter.name }, value)}
                      onDraft={(value) => draftValue({ functionId: graph.function_id, nodeId: node.node_id, name: parameter.name }, value)}
                    />
                  )}
                </dd>
              </div>
            );
          })}
        </dl>
      )}
      {signature.ports.length > 0 && (
        <dl className="ports results">
          {signature.ports.map((port) => (
            <div key={port.name}>
              <dt>
                <PortShape type={port.type} />
                <span className="clip" title={`${port.name}: ${port.type}`}>
                  {port.name}
                </span>
              </dt>
              <dd>
                <Value value={values.get(`${node.node_id}:${port.name}`)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      <Tied node={node.node_id} />
      {kind && (
        <div className="docs">
          <Markdown text={kind.description ?? ''} />
          {kind.signature && <p className="mono signature">{kind.signature}</p>}
        </div>
      )}
    </section>
  );
}

/** A value, rounded; one click copies all its digits. */
function Value({ value }: { value: unknown }) {
  const [copied, setCopied] = useState(false);
  if (value === undefined) return <span className="hint">–</span>;
  const full = Array.isArray(value) ? value.flat().join(', ') : String(value);
  return (
    <button
      className="value mono clip"
      title={`${full} (click to copy)`}
      onClick={() => {
        void navigator.clipboard?.writeText(full).then(() => setCopied(true));
        setTimeout(() => setCopied(false), 1200);
      }}
    >
      {copied ? 'copied' : shown(value, 6)}
    </button>
  );
}

function NameField({ node, placeholder }: { node: GraphNode; placeholder: string }) {
  const [text, setText] = useState(node.display_name ?? '');
  useEffect(() => setText(node.display_name ?? ''), [node.display_name]);
  return (
    <input
      className="field name"
      aria-label="Name of the node"
      placeholder={placeholder}
      value={text}
      autoComplete="off"
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => void rename(node.node_id, text.trim())}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key === 'Escape') setText(node.display_name ?? '');
      }}
    />
  );
}

function FunctionPanel() {
  const graph = useStore((state) => state.graph);
  const selection = useStore((state) => state.selection);
  const count = selection.length;
  if (!graph) return null;
  return (
    <section aria-label="Function">
      <div className="inspector-head">
        <h2 className="clip" title={graph.name}>
          {count > 1 ? `${count} nodes selected` : graph.name}
        </h2>
        <span className="meta">
          function · <span className="mono">{graph.function_id}</span>
        </span>
      </div>
      <dl className="ports">
        {[...graph.inputs.map((port) => ({ port, side: 'input' })), ...graph.outputs.map((port) => ({ port, side: 'output' }))].map(({ port, side }) => (
          <div key={`${side}${port.name}`}>
            <dt>
              <PortShape type={port.type} />
              <span className="clip">{port.name}</span>
            </dt>
            <dd className="hint">
              {side}, {port.type}
            </dd>
          </div>
        ))}
      </dl>
      {count === 0 && <Tied node={null} />}
    </section>
  );
}
