/** Search (Ctrl-K): functions, nodes, parameters, commands. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { tidy } from '../graph/commands';
import { show } from '../graph/show';
import { titlesOf } from '../graph/types';
import { loadParameters, type Parameter } from '../measures/named';
import { closeProject, openFunction } from '../store/session';
import { set, useStore } from '../store/state';
import { undo } from '../store/write';
import { score } from '../palette/search';
import { clipped } from '../ui/text';

interface Found {
  key: string;
  name: string;
  hint: string;
  rank: number;
  run: () => void;
}

const MOST = 60;
/** Characters of a name, and of the name of a function beside it, that have room in a row. */
const NAME = 40;
const BESIDE = 20;

/** Named constants of the whole project. */
function useParameters(): Parameter[] {
  const project = useStore((state) => state.project);
  const [all, setAll] = useState<Parameter[]>([]);
  useEffect(() => {
    if (project === null) return;
    const stop = new AbortController();
    loadParameters(project, {}, stop.signal).then(setAll, () => {
      // Without them the rest is still found; the state of the connection says why.
    });
    return () => stop.abort();
  }, [project]);
  return all;
}

export function Search({ onClose }: { onClose: () => void }) {
  const functions = useStore((state) => state.functions);
  const graph = useStore((state) => state.graph);
  const named = useParameters();
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLUListElement>(null);
  const rows = useMemo(() => {
    const titles = graph ? titlesOf(graph, functions) : new Map<number, string>();
    const all: Omit<Found, 'rank'>[] = [
      ...functions.map((known) => ({ key: `f${known.function_id}`, name: known.name, hint: `function ${known.function_id}`, run: () => void openFunction(known.function_id) })),
      ...(graph?.nodes ?? []).map(({ node_id: id, node_type: kind }) => {
        const name = titles.get(id) ?? kind;
        return { key: `n${id}`, name, hint: `${name === kind ? '' : `${kind} · `}node ${id}`, run: () => show(id) };
      }),
      ...named.filter((one) => one.function_id !== graph?.function_id).map((one) => ({ key: `p${one.function_id}.${one.node_id}`, name: one.name, hint: `parameter of ${clipped(one.function, BESIDE)}`, run: () => show(one.node_id, one.function_id) })),
      { key: 'undo', name: 'Undo', hint: 'Ctrl Z', run: () => void undo() },
      { key: 'redo', name: 'Redo', hint: 'Ctrl Shift Z', run: () => void undo(true) },
      { key: 'tidy', name: 'Tidy up', hint: 'L', run: () => void tidy() },
      { key: 'activity', name: 'Activity', hint: 'panel', run: () => set({ bottom: 'activity' }) },
      { key: 'problems', name: 'Problems', hint: 'panel', run: () => set({ bottom: 'problems' }) },
      { key: 'marks', name: 'Marks', hint: 'panel', run: () => set({ bottom: 'marks' }) },
      { key: 'history', name: 'History', hint: 'panel', run: () => set({ bottom: 'history' }) },
      { key: 'variants', name: 'Variants', hint: 'panel', run: () => set({ bottom: 'variants' }) },
      { key: 'table', name: 'Table', hint: 'panel', run: () => set({ bottom: 'table' }) },
      { key: 'graph', name: 'Functions', hint: 'view', run: () => set({ view: 'graph' }) },
      { key: 'knowledge', name: 'Knowledge', hint: 'view', run: () => set({ view: 'knowledge' }) },
      { key: 'projects', name: 'All projects', hint: 'page', run: closeProject },
    ];
    const ranked = all.map((one): Found => ({ ...one, rank: score(query, [one.name, one.hint]) })).filter((one) => one.rank > 0);
    if (query.trim()) ranked.sort((a, b) => b.rank - a.rank);
    return ranked.slice(0, MOST);
  }, [functions, graph, named, query]);
  useEffect(() => setAt(0), [query]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function pick(row: Found | undefined): void {
    onClose();
    row?.run();
  }

  return (
    <div
      className="palette search"
      role="dialog"
      aria-label="Search"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onClose();
      }}
    >
      <input
        className="palette-search"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="search-list"
        aria-activedescendant={rows[at] ? `search-${at}` : undefined}
        aria-label="Search functions, nodes and commands"
        placeholder="Functions, nodes, commands…"
        value={query}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt((old) => Math.min(old + 1, rows.length - 1));
          else if (event.key === 'ArrowUp') setAt((old) => Math.max(old - 1, 0));
          else if (event.key === 'Enter') pick(rows[at]);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
        }}
      />
      <ul id="search-list" role="listbox" aria-label="Results" ref={list} tabIndex={-1}>
        {rows.map((row, index) => (
          <li key={row.key} id={`search-${index}`} role="option" aria-selected={index === at} className={index === at ? 'current' : ''} onPointerMove={() => setAt(index)} onPointerDown={(event) => event.preventDefault()} onClick={() => pick(row)}>
            <span className="clip" title={row.name}>
              {clipped(row.name, NAME)}
            </span>
            <span className="hint">{row.hint}</span>
          </li>
        ))}
      </ul>
      <p className="palette-foot">{rows.length === 0 ? 'Nothing has this name.' : 'Enter opens, Escape closes'}</p>
    </div>
  );
}
