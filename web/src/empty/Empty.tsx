/** What the page shows before there is anything: projects, examples, and the lines that connect an agent. */
import { useRef, useState } from 'react';
import { api, type Schema } from '../api/client';
import type { Edit } from '../graph/edits';
import { createProject, importFiles } from '../shell/importing';
import { openProject, refresh, refused } from '../store/session';
import { get, useStore } from '../store/state';
import { write } from '../store/write';
import { Icon } from '../ui/icons';
import './empty.css';

/** Named constants become parameters with sliders. */
const GYROID = [
  'let period = 10',
  'let wall = 1.2',
  'let side = 30',
  'let k = 6.283185307179586 / period',
  'let p = pos * k',
  'let wave = sin(p.x) * cos(p.y) + sin(p.y) * cos(p.z) + sin(p.z) * cos(p.x)',
  'let sheet = abs(wave) / k - wall / 2',
  'let box = max(max(abs(pos.x), abs(pos.y)), abs(pos.z)) - side / 2',
  'shape = max(sheet, box)',
].join('; ');

async function example(name: string, fill: () => Promise<unknown>): Promise<void> {
  try {
    if (get().project === null) await openProject(await createProject(name));
    await fill();
    await refresh();
  } catch (error) {
    refused(error);
  }
}

async function gyroid(): Promise<void> {
  const project = get().project ?? '';
  await api.post('/api/projects/{project}/functions', { path: { project }, body: { name: 'Gyroid box', expression: GYROID } as never });
}

async function adder(): Promise<void> {
  const edits: Edit[] = [
    { set_function: { function_id: '$adder', name: 'Adder', inputs: [], outputs: [{ name: 'sum', type: 'float' }], nodes: [] } },
    { create_node: { node_type: 'ConstantScalar', alias: '$a', display_name: 'a' } },
    { create_node: { node_type: 'ConstantScalar', alias: '$b', display_name: 'b' } },
    { create_node: { node_type: 'Addition', alias: '$add' } },
    { set_parameter_value: { node_id: '$a', parameter_name: 'value', value: 5 } },
    { set_parameter_value: { node_id: '$b', parameter_name: 'value', value: 10 } },
    { create_link: { source_node_id: '$a', source_port_name: 'value', target_node_id: '$add', target_parameter_name: 'A' } },
    { create_link: { source_node_id: '$b', source_port_name: 'value', target_node_id: '$add', target_parameter_name: 'B' } },
    { create_link: { source_node_id: '$add', source_port_name: 'result', target_node_id: 0, target_parameter_name: 'sum' } },
  ];
  await write(edits, { label: 'create the adder', basis: () => null });
}

/** Content of a project without functions, and the next step. */
function contentOf({ object_count: objects, resource_count: resources, knowledge: { nodes } }: Schema['Overview']): string {
  const counts = [[objects, 'object'], [resources, 'resource'], [nodes, 'knowledge node']] as const;
  const parts = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}${count === 1 ? '' : 's'}`);
  return parts.length === 0 ? 'This project is empty. Begin with' : `This project has ${parts.join(', ')} and no function yet. Add one with`;
}

export function Empty({ isProject = false }: { isProject?: boolean }) {
  const projects = useStore((state) => state.projects);
  const overview = useStore((state) => state.overview);
  const file = useRef<HTMLInputElement>(null);
  return (
    <div className="empty">
      <div className="empty-inner">
        {!isProject && projects && projects.length > 0 && (
          <section aria-labelledby="projects-title">
            <h2 id="projects-title">Projects</h2>
            <ul className="project-list">
              {projects.map((known) => (
                <li key={known.project}>
                  <button onClick={() => void openProject(known.project)}>
                    <span className="clip">{known.project}</span>
                    <span className="hint">
                      {known.functions} {known.functions === 1 ? 'function' : 'functions'} · r{known.revision}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        )}
        <section aria-labelledby="begin-title">
          <h2 id="begin-title">{isProject && overview ? contentOf(overview) : 'Begin with'}</h2>
          <div className="starters">
            <button onClick={() => void example('Gyroid box', gyroid)}>
              <GyroidPicture />
              <span>A gyroid box</span>
              <span className="hint">A part from one expression</span>
            </button>
            <button onClick={() => void example('Adder', adder)}>
              <AdderPicture />
              <span>An adder</span>
              <span className="hint">Three nodes, 5 + 10</span>
            </button>
            <button onClick={() => file.current?.click()}>
              <ImportPicture />
              <span>A file</span>
              <span className="hint">3MF, STL, JSON-LD… or drop it here</span>
            </button>
            <input ref={file} type="file" hidden multiple onChange={(event) => void importFiles([...(event.target.files ?? [])])} />
          </div>
        </section>
        <section aria-labelledby="connect-title">
          <h2 id="connect-title">Connect an agent</h2>
          <Line label="Claude Code" text={`claude mcp add --transport http fibula ${location.origin}/mcp`} />
          <Line label="Any MCP client" text={`${location.origin}/mcp`} />
          <Line label="Programs" text={`curl ${location.origin}/api/projects`} />
          <p className="hint">What an agent does appears here while it does it.</p>
        </section>
      </div>
    </div>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  const [copied, setCopied] = useState(false);
  return (
    <div className="line">
      <span className="line-label">{label}</span>
      <code className="clip" title={text}>
        {text}
      </code>
      <button
        className="icon"
        aria-label={`Copy the line for ${label}`}
        title="Copy"
        onClick={() => {
          void navigator.clipboard?.writeText(text).then(() => {
            setCopied(true);
            setTimeout(() => setCopied(false), 1500);
          });
        }}
      >
        {copied ? <span className="copied">✓</span> : <Icon name="copy" size={14} />}
      </button>
    </div>
  );
}

function GyroidPicture() {
  return (
    <svg viewBox="0 0 96 56" aria-hidden="true">
      <path d="M36 6 60 17v22L36 50 12 39V17Z" />
      <path d="M12 17l24 11 24-11M36 28v22" />
      <path className="accent" d="M15 24c5-3 6 8 11 5s4 10 9 8M37 37c5-4 4-9 9-7s6-8 12-5" />
    </svg>
  );
}

function AdderPicture() {
  return (
    <svg viewBox="0 0 96 56" aria-hidden="true">
      <path d="M12 9h22v13H12zM12 34h22v13H12zM60 20h24v16H60z" />
      <path className="accent" d="M34 15.500c14 0 12 9 26 9M34 40.500c14 0 12-9 26-9" />
    </svg>
  );
}

function ImportPicture() {
  return (
    <svg viewBox="0 0 96 56" aria-hidden="true">
      <path d="M12 34v12h28V34" />
      <path className="accent" d="M26 10v26m0 0 8-8m-8 8-8-8" />
    </svg>
  );
}
