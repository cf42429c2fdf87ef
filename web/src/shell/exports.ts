/** What the export menu offers: the part as it is shown, the project, the open function; each as a file. */
import { raw, url, type Sending } from '../api/client';
import { heightOf } from '../preview/Slice';
import { pictureOptions } from '../preview/Solid';
import { subjectBody, subjectOf, view } from '../preview/state';
import { refused } from '../store/session';
import { get, notify, type Subject } from '../store/state';
import { work } from '../store/work';

export interface Format {
  label: string;
  hint: string;
  extension: string;
  /** Null if there is nothing to export. */
  file: (project: string, sending: Sending) => Promise<{ name: string; blob: Blob } | null>;
}

function shownSubject(): Subject | null {
  return subjectOf(get(), view().build);
}

/** Name of what is shown. */
function nameOf(project: string, subject: Subject | null): string {
  if (!subject || subject.kind === 'build') return project;
  if (subject.kind === 'object') return get().overview?.objects.find((object) => object.object_id === subject.objectId)?.name ?? `object ${subject.objectId}`;
  return get().functions.find((known) => known.function_id === subject.functionId)?.name ?? project;
}

async function blobOf(response: Response): Promise<Blob> {
  const warnings = response.headers.get('fibula-warnings');
  if (warnings) notify({ tone: 'info', text: (JSON.parse(warnings) as string[]).join(' ') });
  return response.blob();
}

/** A mesh or a slice of what is shown, cut where the preview cuts it. */
function part(format: string): Format['file'] {
  return async (project, sending) => {
    const subject = shownSubject();
    if (!subject) return null;
    if (subject.kind === 'port') {
      notify({ tone: 'info', text: `Files are of functions, and ${subject.nodeId}.${subject.port} is shown.`, hint: 'Leave the port by “✕ port” above the preview.' });
      return null;
    }
    const { bounds, cuts, height } = view();
    const heights = format === 'svg' && bounds ? { heights: [heightOf(bounds, height)] } : {};
    const body = { format, ...subjectBody(subject), ...(cuts && bounds ? { bounds } : {}), ...heights };
    const blob = await blobOf(await raw('POST', url('/api/projects/{project}/export', { project }), body, sending));
    return { name: nameOf(project, subject), blob };
  };
}

/** The picture as it is seen, or the server's if none is shown. */
const picture: Format['file'] = async (project, sending) => {
  const subject = shownSubject();
  if (!subject) return null;
  const { camera, section, picture: seen, mode, bounds, cuts, height, isField } = view();
  const name = nameOf(project, subject);
  const draw = async (look: object) => {
    const body = { ...subjectBody(subject), ...look, size: [1024, 1024] };
    return { name, blob: await blobOf(await raw('POST', url('/api/projects/{project}/render', { project }), body, sending)) };
  };
  if (mode === 'slice' && bounds) return draw({ show: isField ? 'field' : 'slices', heights: [heightOf(bounds, height)], ...(cuts ? { bounds } : {}) });
  const blob = await seen?.();
  return blob ? { name, blob } : draw(pictureOptions(camera, section, bounds));
};

const diagram: Format['file'] = async (project, sending) => {
  const open = get().trail.at(-1);
  if (open === undefined) return null;
  const address = url('/api/projects/{project}/functions/{function_id}/picture', { project, function_id: open }, { format: 'svg' });
  return { name: `${nameOf(project, { kind: 'function', functionId: open })} graph`, blob: await blobOf(await raw('GET', address, undefined, sending)) };
};

export const FORMATS: Format[] = [
  { label: 'Picture', hint: 'PNG, this view', extension: 'png', file: picture },
  { label: 'STL', hint: 'triangles', extension: 'stl', file: part('stl') },
  { label: '3MF', hint: 'the project, exact', extension: '3mf', file: async (project, sending) => ({ name: project, blob: await blobOf(await raw('GET', url('/api/projects/{project}/export.3mf', { project }), undefined, sending)) }) },
  { label: 'OBJ', hint: 'triangles', extension: 'obj', file: part('obj') },
  { label: 'Slice', hint: 'SVG, at its height', extension: 'svg', file: part('svg') },
  { label: 'Graph', hint: 'SVG, of the function', extension: 'svg', file: diagram },
];

export async function runExport(project: string, { label, extension, file }: Format): Promise<void> {
  try {
    const made = await work(`Exporting ${label}`, (sending) => file(project, sending));
    if (made) save(made.blob, `${made.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'part'}.${extension}`);
  } catch (error) {
    refused(error);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
