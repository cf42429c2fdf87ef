/** The open function as a table: the same edits as on the canvas, by keyboard and screen reader. */
import { useState } from 'react';
import { commitValue, connect, disconnect, removeNodes, resourceChoices } from '../graph/commands';
import { isBoundary } from '../graph/edits';
import { isSource, type GraphNode } from '../graph/model';
import { show } from '../graph/show';
import { titlesOf } from '../graph/types';
import { sceneOf } from '../graph/useScene';
import { useStore } from '../store/state';
import { shown } from '../ui/numbers';
import { clipped } from '../ui/text';
import { ValueField } from '../ui/ValueField';
import './table.css';

export function Table() {
  const graph = useStore((state) => state.graph);
  const kinds = useStore((state) => state.kinds);
  const values = useStore((state) => state.values);
  const functions = useStore((state) => state.functions);
  if (!graph || kinds.size === 0) return <p className="nothing">No function is open.</p>;
  const { signatures } = sceneOf(graph);
  const titles = titlesOf(graph, functions);
  const sources = graph.nodes.flatMap(({ node_id: id }) => (signatures.get(id)?.ports ?? []).map((port) => sourceOf(id, titles.get(id) ?? '', port)));
  return (
    <table className="nodes">
      <caption className="visually-hidden">Nodes of {graph.name}</caption>
      <thead>
        <tr>
          <th scope="col">Node</th>
          <th scope="col">Input</th>
          <th scope="col">Value</th>
          <th scope="col">From</th>
          <th scope="col">Results</th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      {graph.nodes.map((node) => {
        const { parameters, ports } = signatures.get(node.node_id) ?? { parameters: [], ports: [] };
        const rows = Math.max(1, parameters.length);
        const title = titles.get(node.node_id) ?? '';
        const results = ports.map((port) => {
          const value = values.get(`${node.node_id}:${port.name}`);
          return value === undefined ? port.name : `${port.name} = ${shown(value, 6)}`;
        });
        return (
          <tbody key={node.node_id}>
            {Array.from({ length: rows }, (_, row) => {
              const parameter = parameters[row];
              const setting = parameter && node.parameters?.[parameter.name];
              return (
                <tr key={row}>
                  {row === 0 && (
                    <th scope="rowgroup" rowSpan={rows}>
                      <button className="clip" onClick={() => show(node.node_id)} title="Show it in the graph">
                        {title}
                      </button>
                      <span className="hint mono">
                        {title === node.node_type ? '' : `${node.node_type} `}
                        {node.node_id}
                      </span>
                    </th>
                  )}
                  <td className="clip">{parameter?.name}</td>
                  <td>
                    {parameter && !isSource(setting) && !isBoundary(node) && (
                      <ValueField
                        label={`${parameter.name} of ${title}`}
                        type={parameter.type}
                        value={setting?.value}
                        placeholder={parameter.hasDefault ? shown(parameter.default) : 'not set'}
                        {...(parameter.type === 'resource_id' ? { choices: resourceChoices(parameter.refers) } : {})}
                        onCommit={(value) => void commitValue({ functionId: graph.function_id, nodeId: node.node_id, name: parameter.name }, value)}
                      />
                    )}
                    {parameter && isSource(setting) && <span className="mono">{shown(values.get(`${setting.source.node_id}:${setting.source.port}`), 6)}</span>}
                  </td>
                  <td>{parameter && <SourceChoice node={node} title={title} name={parameter.name} sources={sources} />}</td>
                  {row === 0 && (
                    <>
                      <td rowSpan={rows} className="results mono">
                        {results.join('\n')}
                      </td>
                      <td rowSpan={rows}>
                        {!isBoundary(node) && (
                          <button className="button plain small" onClick={() => void removeNodes([node.node_id])} aria-label={`Delete ${title} (${node.node_id})`}>
                            Delete
                          </button>
                        )}
                      </td>
                    </>
                  )}
                </tr>
              );
            })}
          </tbody>
        );
      })}
    </table>
  );
}

interface PortSource {
  nodeId: number;
  value: string;
  label: string;
}

function sourceOf(nodeId: number, title: string, port: { name: string; type: string }): PortSource {
  return { nodeId, value: `${nodeId}.${port.name}`, label: `${clipped(title, 16)} ${nodeId} · ${port.name} (${port.type})` };
}

/** All sources are listed only while the field has the focus: hundreds of fields with hundreds of sources would stop the page. */
function SourceChoice({ node, title, name, sources }: { node: GraphNode; title: string; name: string; sources: PortSource[] }) {
  const [isOpen, setOpen] = useState(false);
  const setting = node.parameters?.[name];
  const value = isSource(setting) ? `${setting.source.node_id}.${setting.source.port}` : '';
  const listed = sources.filter((source) => source.value === value || (isOpen && source.nodeId !== node.node_id));
  return (
    <select
      aria-label={`source of ${name} of ${title}`}
      title={listed.find((source) => source.value === value)?.label}
      value={value}
      onPointerDown={() => setOpen(true)}
      onFocus={() => setOpen(true)}
      onBlur={() => setOpen(false)}
      onChange={(event) => {
        const target = { node_id: node.node_id, name };
        const chosen = event.target.value;
        if (chosen === value) return;
        if (chosen === '') void disconnect([target]);
        else void connect({ node_id: Number(chosen.slice(0, chosen.indexOf('.'))), name: chosen.slice(chosen.indexOf('.') + 1) }, target);
      }}
    >
      <option value="">no link</option>
      {listed.map((source) => (
        <option key={source.value} value={source.value}>
          {source.label}
        </option>
      ))}
    </select>
  );
}
