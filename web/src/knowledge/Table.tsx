/** The graph as a table of nodes or edges: sortable, and the way for those who cannot see the picture. */
import { useDeferredValue, useMemo, useState } from 'react';
import type { Knowledge } from './model';
import { select, useKnowledge } from './store';
import { ago, oneLine } from './text';

export interface Row {
  id: string;
  cells: string[];
  /** What the cells are sorted by. */
  keys: (string | number)[];
}

const STEP = 200;
export const NODE_COLUMNS = ['Label', 'Types', 'Edges', 'Observations', 'Author', 'Created'];
export const EDGE_COLUMNS = ['Source', 'Type', 'Target', 'Weight', 'Author', 'Created'];

export function nodeRows(knowledge: Knowledge): Row[] {
  return [...knowledge.nodes.values()].map((node) => {
    const degree = knowledge.degree(node.id);
    const label = oneLine(node.label, 80);
    const types = node.types.join(', ');
    return {
      id: node.id,
      cells: [label, oneLine(types, 60), String(degree), String(node.observationCount), node.creator, ago(node.created)],
      keys: [label.toLowerCase(), types.toLowerCase(), degree, node.observationCount, node.creator.toLowerCase(), node.created],
    };
  });
}

export function edgeRows(knowledge: Knowledge): Row[] {
  return [...knowledge.edges.values()].map((edge) => {
    const name = (id: string) => `${oneLine(knowledge.label(id), 60)}${knowledge.dangling.has(id) ? ' (dangling)' : ''}`;
    const [source, target] = [name(edge.source), name(edge.target)];
    return {
      id: edge.id,
      cells: [source, oneLine(edge.type, 40), target, edge.weight === null ? '' : String(edge.weight), edge.creator, ago(edge.created)],
      keys: [source.toLowerCase(), edge.type.toLowerCase(), target.toLowerCase(), edge.weight ?? -Infinity, edge.creator.toLowerCase(), edge.created],
    };
  });
}

export function sorted(rows: Row[], column: number, isDescending: boolean): Row[] {
  const sign = isDescending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [left = '', right = ''] = [a.keys[column], b.keys[column]];
    return left < right ? -sign : left > right ? sign : 0;
  });
}

export function Table({ onPick }: { onPick: (id: string) => void }) {
  const { knowledge, version, selection } = useKnowledge();
  const [kind, setKind] = useState<'node' | 'edge'>('node');
  const [order, setOrder] = useState({ column: 0, isDescending: false });
  const [filter, setFilter] = useState('');
  const [most, setMost] = useState(STEP);
  const words = useDeferredValue(filter.trim().toLowerCase());
  const columns = kind === 'node' ? NODE_COLUMNS : EDGE_COLUMNS;
  const rows = useMemo(() => {
    const all = kind === 'node' ? nodeRows(knowledge) : edgeRows(knowledge);
    const kept = words === '' ? all : all.filter((row) => row.cells.some((cell) => cell.toLowerCase().includes(words)));
    return sorted(kept, order.column, order.isDescending);
    // The graph is one object; its version tells of changes.
  }, [knowledge, version, kind, words, order]);
  return (
    <div className="kg-table">
      <div className="kg-table-bar">
        <div className="segments" role="group" aria-label="Rows">
          {(['node', 'edge'] as const).map((one) => (
            <button
              key={one}
              aria-pressed={kind === one}
              onClick={() => {
                setKind(one);
                setOrder({ column: 0, isDescending: false });
                setMost(STEP);
              }}
            >
              {one === 'node' ? 'Nodes' : 'Edges'}
            </button>
          ))}
        </div>
        <input className="field" aria-label="Filter the rows" placeholder="Filter" value={filter} onChange={(event) => setFilter(event.target.value)} />
        <small className="kg-quiet">{rows.length.toLocaleString('en')} rows</small>
      </div>
      <div className="kg-scroll" tabIndex={0} role="region" aria-label={kind === 'node' ? 'Nodes' : 'Edges'}>
        <table>
          <thead>
            <tr>
              {columns.map((name, column) => (
                <th key={name} scope="col" aria-sort={order.column === column ? (order.isDescending ? 'descending' : 'ascending') : 'none'}>
                  <button onClick={() => setOrder({ column, isDescending: order.column === column && !order.isDescending })}>
                    {name}
                    <span aria-hidden="true">{order.column === column ? (order.isDescending ? ' ↓' : ' ↑') : ''}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, most).map((row) => (
              <tr key={row.id} data-selected={selection?.kind === kind && selection.id === row.id}>
                {row.cells.map((cell, column) => (
                  <td key={column} dir="auto">
                    {column === 0 ? (
                      <button className="kg-link" onClick={() => (kind === 'node' ? onPick(row.id) : select({ kind: 'edge', id: row.id }))}>
                        {cell}
                      </button>
                    ) : (
                      cell
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length > most && (
          <button className="button small" onClick={() => setMost(most + STEP)}>
            Show {Math.min(STEP, rows.length - most)} more
          </button>
        )}
      </div>
    </div>
  );
}
