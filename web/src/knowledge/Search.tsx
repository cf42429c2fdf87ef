/** Full-text search by the server; a hit is flown to. */
import { useEffect, useId, useState, type KeyboardEvent, type Ref } from 'react';
import { untilAnswered } from '../api/asking';
import { api, type Schema } from '../api/client';
import { refused } from '../store/session';
import { oneLine } from './text';

const WAIT_MS = 120;

export function Search({ project, onPick, ref }: { project: string; onPick: (id: string) => void; ref: Ref<HTMLInputElement> }) {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<Schema['NodesFound'] | null>(null);
  const [at, setAt] = useState(0);
  const list = useId();
  useEffect(() => {
    if (query.trim() === '') return setFound(null);
    const signal = new AbortController();
    const wait = setTimeout(() => {
      const search = () => api.post('/api/graph/{project}/search', { path: { project }, body: { query, limit: 12 } as never, signal: signal.signal });
      untilAnswered(search, signal.signal)
        .then((answer) => {
          setFound(answer);
          setAt(0);
        })
        .catch((error: unknown) => {
          if (!signal.signal.aborted) refused(error);
        });
    }, WAIT_MS);
    return () => {
      clearTimeout(wait);
      signal.abort();
    };
  }, [project, query]);

  const pick = (id: string | undefined) => {
    if (id === undefined) return;
    setQuery('');
    onPick(id);
  };
  const onKey = (event: KeyboardEvent) => {
    const count = found?.nodes.length ?? 0;
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, count - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter') pick(found?.nodes[at]?.id);
    else if (event.key === 'Escape') setQuery('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="kg-search">
      <input
        ref={ref}
        className="field"
        type="search"
        placeholder="Search the knowledge"
        aria-label="Search the knowledge"
        role="combobox"
        aria-expanded={found !== null}
        aria-controls={list}
        aria-activedescendant={found ? `${list}-${at}` : undefined}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={onKey}
      />
      {found && (
        <ul id={list} role="listbox" aria-label="Found nodes" className="kg-popover">
          {found.nodes.map((node, index) => (
            <li key={node.id} id={`${list}-${index}`} role="option" aria-selected={index === at} onPointerEnter={() => setAt(index)} onClick={() => pick(node.id)}>
              <span className="kg-hit">
                <bdi>{oneLine(node.label, 60)}</bdi>
                <small>{node.types.slice(0, 2).join(', ')}</small>
              </span>
              {node.snippet && node.field !== 'label' && <small className="clip">{oneLine(node.snippet, 90)}</small>}
            </li>
          ))}
          {found.nodes.length === 0 && <li className="kg-quiet">Nothing found for “{oneLine(query, 40)}”.</li>}
          {found.total > found.nodes.length && <li className="kg-quiet">{found.total.toLocaleString('en')} in all; more words narrow it.</li>}
        </ul>
      )}
    </search>
  );
}
