/** What the project has: functions, objects, other resources, knowledge. */
import { useRef, useState } from 'react';
import { api, type Schema } from '../api/client';
import { openFunction, refresh, refused } from '../store/session';
import { get, notify, set, useStore, type Subject } from '../store/state';
import { undoAction, write } from '../store/write';
import { Icon } from '../ui/icons';
import { NameField } from '../ui/NameField';
import './outline.css';

export function Outline() {
  const functions = useStore((state) => state.functions);
  const trail = useStore((state) => state.trail);
  const view = useStore((state) => state.view);
  const overview = useStore((state) => state.overview);
  const subject = useStore((state) => state.subject);
  const project = useStore((state) => state.project);
  const [isNaming, setNaming] = useState(false);
  const open = view === 'graph' ? trail.at(-1) : undefined;
  const objects = overview?.objects ?? [];
  const others = overview?.resources ?? [];

  async function create(name: string): Promise<void> {
    setNaming(false);
    if (!name || project === null) return;
    const nodes = { name, inputs: [{ name: 'pos', type: 'float3' }], outputs: [{ name: 'shape', type: 'float' }], nodes: [] };
    const done = await write([{ set_function: { function_id: '$new', ...nodes } }], { basis: () => null });
    const id = done?.ids['$new'];
    if (id !== undefined) await openFunction(id);
  }

  return (
    <div className="outline">
      <Section title="Functions" count={functions.length}>
        <button className="icon small-icon" aria-label="New function" title="New function" onClick={() => setNaming(true)}>
          <Icon name="plus" size={14} />
        </button>
      </Section>
      {isNaming && (
        <div className="naming">
          <NameField label="Name of the function" name="" className="field" onEnd={(name, byKey) => void create(byKey ? name : '')} />
        </div>
      )}
      <ul>
        {functions.map((known) => (
          <FunctionRow key={known.function_id} known={known} isOpen={known.function_id === open} />
        ))}
      </ul>
      {objects.length > 0 && (
        <>
          <Section title="Objects" count={overview?.object_count ?? 0} />
          <ul>
            {(overview?.build_item_count ?? 0) > 0 && <Row name="Build" meta={`${overview?.build_item_count}`} subject={{ kind: 'build' }} current={subject} />}
            {objects.map((object) => (
              <Row key={object.object_id} name={object.name ?? `${object.kind} ${object.object_id}`} meta={object.kind} subject={{ kind: 'object', objectId: object.object_id ?? 0 }} current={subject} />
            ))}
          </ul>
        </>
      )}
      {others.length > 0 && (
        <>
          <Section title="Resources" count={overview?.resource_count ?? 0} />
          <ul>
            {others.map((resource) => (
              <li key={resource.resource_id} className="row still">
                <span className="clip">{resource.name ?? `${resource.kind} ${resource.resource_id}`}</span>
                <span className="meta clip">{resource.kind}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <LibrarySection />
    </div>
  );
}

function Section({ title, count, children }: { title: string; count: number; children?: React.ReactNode }) {
  return (
    <div className="section-title">
      <h2>
        {title} {count > 0 && <span className="count">{count}</span>}
      </h2>
      {children}
    </div>
  );
}

function Row({ name, meta, subject, current }: { name: string; meta: string; subject: Subject; current: Subject }) {
  const isCurrent = JSON.stringify(subject) === JSON.stringify(current);
  return (
    <li>
      <button className="row" aria-pressed={isCurrent} onClick={() => set({ subject })} title={`Show ${name}`}>
        <Icon name="solid" size={14} />
        <span className="clip">{name}</span>
        <span className="meta clip">{meta}</span>
      </button>
    </li>
  );
}

/** A function: double click or F2 renames it in place, Delete or the button deletes it. */
function FunctionRow({ known: { function_id, name, node_count }, isOpen }: { known: Schema['FunctionInfo']; isOpen: boolean }) {
  const [isNaming, setNaming] = useState(false);
  // The row gets the focus back if a key ended the naming.
  const byKey = useRef(false);
  const basis = () => get().functions.find((known) => known.function_id === function_id);

  function finish(next: string, isKey: boolean): void {
    setNaming(false);
    byKey.current = isKey;
    if (next !== name) void write([{ rename_function: { function_id, name: next } }], { basis: () => basis()?.name });
  }
  async function remove(): Promise<void> {
    if (!(await write([{ delete_function: { function_id } }], { basis }))) return;
    // Replaces the message that the open function was deleted, which has no Undo.
    notify({ tone: 'info', text: `The function ${name} was deleted.`, action: undoAction });
  }
  if (isNaming) {
    return (
      <li className="naming">
        <NameField label={`New name of ${name}`} name={name} className="field" onEnd={finish} />
      </li>
    );
  }
  return (
    <li className="function-row">
      <button
        className="row"
        aria-current={isOpen ? 'page' : undefined}
        autoFocus={byKey.current}
        onClick={() => void openFunction(function_id)}
        onDoubleClick={() => setNaming(true)}
        onKeyDown={(event) => {
          if (event.key === 'F2') setNaming(true);
          else if (event.key === 'Delete') void remove();
          else return;
          event.preventDefault();
        }}
        title={`${name}: function ${function_id}, F2 renames it`}
      >
        <Icon name="function" size={14} />
        <span className="clip">{name}</span>
        <span className="meta">{node_count}</span>
      </button>
      <button className="icon small-icon" aria-label={`Delete ${name}`} title="Delete" onClick={() => void remove()}>
        <Icon name="trash" size={14} />
      </button>
    </li>
  );
}

interface Library {
  name: string;
  signature: string;
  about: string;
  group: string;
}

/** Functions that come with Fibula: one click inserts one into the project. */
function LibrarySection() {
  const project = useStore((state) => state.project);
  const [library, setLibrary] = useState<Library[] | null>(null);
  const [query, setQuery] = useState('');
  async function load(): Promise<void> {
    if (library !== null || project === null) return;
    try {
      const listed = await api.get('/api/projects/{project}/functions', { path: { project }, query: { library: true, limit: 200 } as never });
      setLibrary((listed.library ?? []) as unknown as Library[]);
    } catch (error) {
      refused(error);
    }
  }
  async function insert(name: string): Promise<void> {
    const done = await write([{ insert_function: { name, function_id: '$new' } }], { basis: () => null });
    const id = done?.ids['$new'];
    await refresh();
    if (id !== undefined) await openFunction(id);
  }
  const wanted = query.trim().toLowerCase();
  const found = (library ?? []).filter((one) => !wanted || `${one.name} ${one.group} ${one.about}`.toLowerCase().includes(wanted));
  return (
    <details className="library" onToggle={() => void load()}>
      <summary className="section-title">Library</summary>
      <div className="naming">
        <input className="field" aria-label="Search the library" placeholder="Search" value={query} onChange={(event) => setQuery(event.target.value)} />
      </div>
      <ul>
        {found.map((one) => (
          <li key={one.name}>
            <button className="row" title={`${one.signature}\n${one.about}`} onClick={() => void insert(one.name)}>
              <Icon name="plus" size={12} />
              <span className="clip">{one.name}</span>
              <span className="meta clip">{one.group}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
