/** The knowledge graph in the centre of the page. */
import './knowledge.css';
import { useEffect, useRef, useState, type DragEvent, type KeyboardEvent, type RefObject } from 'react';
import { refused } from '../store/session';
import { undo } from '../store/write';
import { AddNode, Menu } from './AddNode';
import { Canvas, type Picture } from './Canvas';
import { DATA_FORMATS, exportData, exportSvg, importFile, save, storeLayout } from './commit';
import { EmptyKnowledge } from './Empty';
import { Legend, useTheme } from './Legend';
import { Search } from './Search';
import { arrange, arrangeAsStored, clearPath, open, openAt, select, showAll, useKnowledge, type Arrangement } from './store';
import { Table } from './Table';
import { oneLine } from './text';

const ARRANGEMENTS: Record<Arrangement, string> = { force: 'Force', layered: 'Layered', radial: 'Radial', grid: 'Grid', circle: 'Circle', stored: 'Stored' };

export function KnowledgeView({ project }: { project: string }) {
  useEffect(() => open(project), [project]);
  const { status, knowledge, unloaded, version, wanted, isHeld } = useKnowledge();
  const [isTable, setTable] = useState(false);
  const [isOver, setOver] = useState(false);
  const picture = useRef<Picture>(null);
  const search = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (status !== 'ready' || isHeld || !wanted) return;
    const frame = requestAnimationFrame(() => {
      picture.current?.flyTo(wanted);
      useKnowledge.setState({ wanted: null });
    });
    return () => cancelAnimationFrame(frame);
  }, [status, isHeld, wanted]);
  const pick = (id: string) => openAt({ kind: 'node', id });
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    void (async () => {
      for (const file of event.dataTransfer.files) await importFile(project, file);
    })().catch(refused);
  };
  const onKey = (event: KeyboardEvent) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (!isTyping && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z') {
      event.preventDefault();
      event.stopPropagation();
      void undo(event.shiftKey);
    }
  };
  const isEmpty = status === 'ready' && knowledge.ends().length === 0;
  return (
    <div
      className="kg"
      data-version={version}
      data-status={status}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => event.currentTarget === event.target && setOver(false)}
      onDrop={onDrop}
      onKeyDown={onKey}
    >
      {status === 'ready' && !isEmpty && (
        <>
          <div className="kg-bar" role="toolbar" aria-label="Knowledge graph">
            <Search project={project} ref={search} onPick={pick} />
            <Layouts project={project} />
            <button className="button small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
              {isTable ? 'Graph' : 'Table'}
            </button>
            <AddNode project={project} onAdded={pick} />
            <Export project={project} picture={picture} />
          </div>
          {isTable ? <Table onPick={(id) => select({ kind: 'node', id })} /> : <Canvas project={project} ref={picture} onSearch={() => search.current?.focus()} />}
          {!isTable && <Legend />}
          <Shown unloaded={unloaded} />
          <PathBar onPick={pick} />
          {!isTable && (
            <div className="kg-zoom" role="group" aria-label="Zoom">
              <button className="icon" aria-label="Zoom in" onClick={() => picture.current?.zoomBy(1.4)}>
                <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.4"><path d="M8 3v10M3 8h10" /></svg>
              </button>
              <button className="icon" aria-label="Zoom out" onClick={() => picture.current?.zoomBy(1 / 1.4)}>
                <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.4"><path d="M3 8h10" /></svg>
              </button>
              <button className="icon" aria-label="Show everything" onClick={() => picture.current?.fitAll()}>
                <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.4" fill="none"><path d="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10" /></svg>
              </button>
            </div>
          )}
        </>
      )}
      {isEmpty && <EmptyKnowledge project={project} onAdded={pick} />}
      {status === 'loading' && <div className="kg-skeleton" aria-label="The knowledge graph is being read" />}
      {status === 'failed' && <p className="kg-note">The knowledge graph could not be read. It appears as soon as the server answers.</p>}
      {isOver && <div className="kg-drop">Drop to import: JSON-LD, GraphML, GEXF, CSV, DOT, Mermaid, JSON</div>}
    </div>
  );
}

function Layouts({ project }: { project: string }) {
  const arrangement = useKnowledge((state) => state.arrangement);
  const isArranging = useKnowledge((state) => state.isArranging);
  const hasStored = useKnowledge((state) => [...state.knowledge.nodes.values()].some((node) => node.position));
  return (
    <>
      <label className="kg-layout">
        <span className="visually-hidden">Layout</span>
        <select
          className="field"
          aria-busy={isArranging}
          value={arrangement}
          onChange={(event) => {
            const next = event.target.value as Arrangement;
            if (next === 'stored') arrangeAsStored();
            else void arrange(next).catch(refused);
          }}
        >
          {Object.entries(ARRANGEMENTS).map(([key, name]) => (
            <option key={key} value={key} disabled={key === 'stored' && !hasStored}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {arrangement !== 'stored' && !isArranging && (
        <button className="button plain small" title="Store the places with the nodes, for everybody" onClick={() => void storeLayout(project).catch(refused)}>
          Keep layout
        </button>
      )}
      {isArranging && <small className="kg-quiet" role="status">Laying out…</small>}
    </>
  );
}

function Export({ project, picture }: { project: string; picture: RefObject<Picture | null> }) {
  const theme = useTheme();
  const png = async () => {
    const blob = await picture.current?.png();
    if (blob) save(blob, `${project}.png`);
  };
  return (
    <Menu name="Export">
      <button onClick={() => void png()}>Picture as seen, PNG</button>
      <button onClick={() => void exportSvg(project, theme?.isDark ?? false)}>Whole graph, SVG</button>
      <hr />
      {(Object.keys(DATA_FORMATS) as (keyof typeof DATA_FORMATS)[]).map((format) => (
        <button key={format} onClick={() => void exportData(project, format)}>
          Data, {format}
        </button>
      ))}
    </Menu>
  );
}

function Shown({ unloaded }: { unloaded: number }) {
  const { knowledge, focus } = useKnowledge();
  const nodes = knowledge.nodes.size.toLocaleString('en');
  const edges = knowledge.edges.size.toLocaleString('en');
  return (
    <p className="kg-count">
      {focus ? `${focus.size.toLocaleString('en')} of ${nodes} nodes` : `${nodes} nodes, ${edges} edges`}
      {unloaded > 0 && `; ${unloaded.toLocaleString('en')} more are too many to draw, search finds them`}
      {focus && (
        <button className="button plain small" onClick={showAll}>
          Show all
        </button>
      )}
    </p>
  );
}

function PathBar({ onPick }: { onPick: (id: string) => void }) {
  const { path, start, knowledge } = useKnowledge();
  if (!path && start === null) return null;
  return (
    <div className="kg-path" role="status">
      {start !== null && (
        <span>
          From <bdi>{oneLine(knowledge.label(start), 40)}</bdi> to: pick the other node
        </span>
      )}
      {path && (
        <ol aria-label={`Path of ${path.edges.length} edges`}>
          {path.nodes.map((id, at) => {
            const edge = knowledge.edges.get(path.edges[at - 1] ?? '');
            return (
              <li key={id}>
                {edge && <small>{edge.source === id ? `← ${oneLine(edge.type, 24)} ` : ` ${oneLine(edge.type, 24)} →`}</small>}
                <button className="button plain small" onClick={() => onPick(id)}>
                  <bdi>{oneLine(knowledge.label(id), 32)}</bdi>
                </button>
              </li>
            );
          })}
        </ol>
      )}
      <button className="icon" aria-label="Clear the path" onClick={clearPath}>
        <svg width="16" height="16" viewBox="0 0 16 16" stroke="currentColor" strokeWidth="1.4"><path d="m4 4 8 8m0-8-8 8" /></svg>
      </button>
    </div>
  );
}
