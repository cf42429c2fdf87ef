/** What the colours mean; a click hides a type, a double click shows it alone. */
import { useEffect, useMemo, useState } from 'react';
import { refused } from '../store/session';
import { colourAt, css, themeOf, type Theme } from './colours';
import { colourByCommunity, toggleType, useKnowledge } from './store';
import { oneLine } from './text';

const MOST_ROWS = 9;

export function useTheme(): Theme | null {
  const [theme, setTheme] = useState<Theme | null>(null);
  useEffect(() => {
    const read = () => setTheme(themeOf(document.body));
    read();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', read);
    const attributes = new MutationObserver(read);
    attributes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', read);
      attributes.disconnect();
    };
  }, []);
  return theme;
}

export function Legend() {
  const { knowledge, version, typeRanks, hiddenTypes, communities } = useKnowledge();
  const theme = useTheme();
  const [isWhole, setWhole] = useState(false);
  const counts = useMemo(() => {
    const found = new Map<string, number>();
    for (const node of knowledge.nodes.values()) for (const type of node.types) found.set(type, (found.get(type) ?? 0) + 1);
    return found;
    // The graph is one object; its version tells of changes.
  }, [knowledge, version]);
  if (!theme || counts.size === 0) return null;
  const types = [...typeRanks].filter(([type]) => counts.has(type)).sort((a, b) => a[1] - b[1]);
  const rows = communities ? communities.sizes.map((size, rank) => ({ name: `Community ${rank + 1}`, rank, size })) : types.map(([name, rank]) => ({ name, rank, size: counts.get(name) ?? 0 }));
  const most = isWhole ? 60 : MOST_ROWS;
  return (
    <section className="kg-legend" aria-label="Legend">
      <div className="segments" role="group" aria-label="Colours">
        <button aria-pressed={!communities} onClick={() => void colourByCommunity(false)}>
          Types
        </button>
        <button aria-pressed={communities !== null} onClick={() => void colourByCommunity(true).catch(refused)} title="Groups of nodes that are linked more with each other than with others">
          Communities
        </button>
      </div>
      <ul>
        {rows.slice(0, most).map(({ name, rank, size }) => {
          const swatch = <i style={{ background: css(colourAt(rank, theme)) }} />;
          const text = (
            <>
              {swatch}
              <span className="clip">{oneLine(name, 40)}</span>
              <small>{size.toLocaleString('en')}</small>
            </>
          );
          return (
            <li key={name}>
              {communities ? (
                <span className="kg-row">{text}</span>
              ) : (
                <button className="kg-row" aria-pressed={!hiddenTypes.has(name)} title={`${oneLine(name, 80)}: click to hide or show, double click to show alone`} onClick={(event) => event.detail < 2 && toggleType(name)} onDoubleClick={() => toggleType(name, true)}>
                  {text}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {rows.length > MOST_ROWS && (
        <button className="button plain small" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `${rows.length - MOST_ROWS} more`}
        </button>
      )}
      {communities && (
        <small className="kg-quiet" title="1 would be groups without any edge between them. Members that the server does not list are assigned by their edges.">
          Modularity {communities.modularity.toFixed(2)}
        </small>
      )}
      {!communities && hiddenTypes.size > 0 && (
        <button className="button plain small" onClick={() => [...hiddenTypes].forEach((type) => toggleType(type))}>
          Show all types
        </button>
      )}
    </section>
  );
}
