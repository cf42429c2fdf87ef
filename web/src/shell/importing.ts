/** Imports of files: parts into the project, knowledge into its graph. A project is created where none is open. */
import { api, raw, upload, url } from '../api/client';
import { loadProjects, openProject, refresh, refused } from '../store/session';
import { get, notify, set } from '../store/state';
import { work } from '../store/work';
import { undoAction } from '../store/write';

/** Formats of parts, and the media types by which the server tells them. */
const PARTS: Record<string, string> = {
  '3mf': 'model/3mf',
  stl: 'application/octet-stream',
  obj: 'application/octet-stream',
  vm: 'application/octet-stream',
};

export async function importFiles(files: File[]): Promise<void> {
  for (const file of files) {
    try {
      await importFile(file);
    } catch (error) {
      refused(error);
    }
  }
}

async function importFile(file: File): Promise<void> {
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase();
  const wanted = file.name.replace(/\.[^.]+$/, '');
  const media = PARTS[extension];
  if (media) {
    // The server creates the project with the part, so that a damaged file leaves none behind.
    const project = get().project ?? freeName(wanted);
    const imported = await work(`Importing ${file.name}`, (sending) =>
      upload<{ function_count: number; resource_count: number; warnings?: string[] }>(url('/api/projects/{project}/import', { project }), file, media, sending),
    );
    if (!imported) return;
    await open(project);
    const counts = [count(imported.function_count, 'function'), count(imported.resource_count, 'resource')].filter(Boolean).join(' and ');
    notify({ tone: 'info', text: `Imported ${counts || 'the file'} from ${file.name}.`, action: undoAction });
  } else {
    const project = get().project ?? (await createProject(wanted));
    const content = await file.text();
    const response = await work(`Importing ${file.name}`, (sending) => raw('POST', url('/api/graph/{project}/import', { project }), { content }, sending));
    if (!response) return;
    const imported = (await response.json()) as Record<string, unknown>;
    await open(project);
    set({ view: 'knowledge' });
    const nodes = typeof imported.nodes === 'number' ? imported.nodes : undefined;
    notify({ tone: 'info', text: `Imported ${nodes === undefined ? 'knowledge' : count(nodes, 'node')} from ${file.name}.`, action: undoAction });
  }
}

function count(number: number, name: string): string {
  if (number === 0) return '';
  return number === 1 ? `1 ${name}` : `${number} ${name}s`;
}

/** Creates a project with a name like the wanted one. */
export async function createProject(wanted: string): Promise<string> {
  const name = freeName(wanted);
  await api.post('/api/projects', { body: { project: name } as never });
  await loadProjects();
  return name;
}

function freeName(wanted: string): string {
  const base = wanted.trim().slice(0, 60) || 'part';
  const taken = new Set(get().projects?.map((known) => known.project));
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base} ${number}`;
  return name;
}

async function open(project: string): Promise<void> {
  await loadProjects();
  if (get().project === project) await refresh();
  else await openProject(project);
}
