/** The palette of node types and functions, at the pointer: searched by names and aliases, filtered by the type of a wire. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { candidates, type Candidates } from '../graph/candidates';
import type { WireEnd } from '../graph/edits';
import type { Place } from '../graph/model';
import type { Kind } from '../graph/types';
import { useStore } from '../store/state';
import { PortShape } from '../ui/icons';
import './palette.css';
import { score } from './search';

export interface Wanted {
  mode: 'add' | 'swap';
  screen: Place;
  nodeId?: number;
  wire?: { from?: WireEnd; to?: WireEnd };
}

export interface Pick {
  kind: Kind;
  calls?: number;
  end?: string | undefined;
  convert?: boolean;
}

interface Row extends Pick {
  key: string;
  name: string;
  hint: string;
  group: string;
  type: string;
  reason: string | null;
  rank: number;
}

const WIDTH = 320;
const HEIGHT = 400;
const EXCLUDED = new Set(['Begin', 'End']);

export function Palette({ wanted, onPick, onClose }: { wanted: Wanted; onPick: (pick: Pick) => void; onClose: () => void }) {
  const kinds = useStore((state) => state.kinds);
  const functions = useStore((state) => state.functions);
  const open = useStore((state) => state.trail.at(-1));
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const [fits, setFits] = useState<Candidates | null>(null);
  const list = useRef<HTMLUListElement>(null);
  const { wire } = wanted;

  useEffect(() => {
    const end = wire?.from ?? wire?.to;
    if (end) void candidates(Number(end.node_id), end.name, wire?.from !== undefined).then(setFits);
  }, [wire]);

  const rows = useMemo(() => {
    const found: Row[] = [];
    for (const kind of kinds.values()) {
      if (EXCLUDED.has(kind.name)) continue;
      const rank = score(query, [kind.name, ...(kind.aliases ?? []), kind.element, kind.family], kind.description ?? '');
      if (rank === 0) continue;
      const fit = fits?.kinds.get(kind.name);
      const types = (kind.overloads?.[0] as { outputs?: string[] } | undefined)?.outputs;
      found.push({
        key: kind.name,
        kind,
        name: kind.name,
        hint: kind.signature ?? '',
        group: kind.family ?? '',
        type: types?.[0] ?? 'float',
        reason: fit?.reason ?? null,
        rank,
        end: fit?.name ?? undefined,
        convert: !!fit?.conversion,
      });
    }
    const call = kinds.get('FunctionCall');
    if (call && wanted.mode === 'add') {
      for (const known of functions) {
        if (known.function_id === open) continue;
        const rank = score(query, [known.name]);
        if (rank === 0) continue;
        const fit = fits?.functions.get(known.function_id);
        const ports = (list: { name: string }[]) => list.map((port) => port.name).join(', ');
        found.push({
          key: `f${known.function_id}`,
          kind: call,
          calls: known.function_id,
          name: known.name,
          hint: `(${ports(known.inputs)}) -> (${ports(known.outputs)})`,
          group: 'functions of this project',
          type: known.outputs[0]?.type ?? 'float',
          reason: fit?.reason ?? null,
          rank,
          end: fit?.name ?? undefined,
          convert: !!fit?.conversion,
        });
      }
    }
    if (query.trim()) found.sort((a, b) => Number(a.reason !== null) - Number(b.reason !== null) || b.rank - a.rank || a.name.localeCompare(b.name));
    return found;
  }, [kinds, functions, open, query, fits, wanted.mode]);

  useEffect(() => setAt(0), [query]);
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' });
  }, [at]);

  function pick(row: Row | undefined): void {
    if (row && row.reason === null) onPick(row);
  }

  const left = Math.max(8, Math.min(wanted.screen.x - 24, innerWidth - WIDTH - 8));
  const top = Math.max(8, Math.min(wanted.screen.y - 20, innerHeight - HEIGHT - 8));
  const current = rows[at];
  return (
    <div
      className="palette"
      role="dialog"
      aria-label={wanted.mode === 'swap' ? 'Swap for another kind' : 'Add a node'}
      style={{ left, top, width: WIDTH }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) onClose();
      }}
    >
      <input
        className="palette-search"
        autoFocus
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={current ? `palette-${at}` : undefined}
        aria-label="Search node types and functions"
        placeholder={wanted.mode === 'swap' ? 'Swap for…' : wire ? 'What the wire leads to…' : 'Add a node…'}
        value={query}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setAt((old) => Math.min(old + 1, rows.length - 1));
          else if (event.key === 'ArrowUp') setAt((old) => Math.max(old - 1, 0));
          else if (event.key === 'Enter') pick(current);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <ul id="palette-list" role="listbox" aria-label="Node types" ref={list} tabIndex={-1}>
        {rows.map((row, index) => (
          <li
            key={row.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            aria-disabled={row.reason !== null}
            className={index === at ? 'current' : ''}
            title={row.reason ?? row.kind.description ?? undefined}
            onPointerMove={() => setAt(index)}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(row)}
          >
            <PortShape type={row.type} />
            <span className="clip">{row.name}</span>
            <span className="hint clip">{query.trim() || wire ? row.hint : row.group}</span>
          </li>
        ))}
      </ul>
      <p className="palette-foot clip" aria-live="polite">
        {rows.length === 0 ? 'Nothing has this name.' : (current?.reason ?? (current?.convert ? 'A conversion is inserted.' : (current?.kind.description ?? '')))}
      </p>
    </div>
  );
}
