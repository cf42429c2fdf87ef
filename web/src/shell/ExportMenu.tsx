/** Export in two clicks: the menu, and the format. */
import { useEffect, useRef, useState } from 'react';
import { raw, url } from '../api/client';
import { refused } from '../store/session';
import { get, notify, useStore } from '../store/state';
import { Icon } from '../ui/icons';

interface Format {
  label: string;
  hint: string;
  extension: string;
  run: (project: string, functionId: number | undefined) => Promise<Response>;
}

function mesh(format: string): Format['run'] {
  return (project, functionId) => {
    const hasBuild = (get().overview?.build_item_count ?? 0) > 0;
    const subject = hasBuild || functionId === undefined ? {} : { function_id: functionId };
    return raw('POST', url('/api/projects/{project}/export', { project }), { format, ...subject });
  };
}

const FORMATS: Format[] = [
  { label: '3MF', hint: 'functions and objects, exact', extension: '3mf', run: (project) => raw('GET', url('/api/projects/{project}/export.3mf', { project })) },
  { label: 'STL', hint: 'triangles', extension: 'stl', run: mesh('stl') },
  { label: 'OBJ', hint: 'triangles', extension: 'obj', run: mesh('obj') },
  { label: 'SVG', hint: 'picture of the graph', extension: 'svg', run: picture('svg') },
  { label: 'PNG', hint: 'picture of the part', extension: 'png', run: part },
];

function picture(format: string): Format['run'] {
  return (project, functionId) => raw('GET', url('/api/projects/{project}/functions/{function_id}/picture', { project, function_id: functionId ?? 0 }, { format }));
}

function part(project: string, functionId: number | undefined): Promise<Response> {
  const hasBuild = (get().overview?.build_item_count ?? 0) > 0;
  const subject = hasBuild || functionId === undefined ? {} : { function_id: functionId };
  return raw('POST', url('/api/projects/{project}/render', { project }), { size: [1024, 1024], ...subject });
}

export function ExportMenu() {
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState<string | null>(null);
  const menu = useRef<HTMLDivElement>(null);
  const project = useStore((state) => state.project);
  const functionId = useStore((state) => state.trail.at(-1));
  useEffect(() => {
    if (isOpen) menu.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [isOpen]);

  async function run(format: Format): Promise<void> {
    setOpen(false);
    if (project === null) return;
    setBusy(format.label);
    try {
      const response = await format.run(project, functionId);
      const blob = await response.blob();
      save(blob, `${project.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'part'}.${format.extension}`);
      const warnings = response.headers.get('fibula-warnings');
      if (warnings) notify({ tone: 'info', text: warnings });
    } catch (error) {
      refused(error);
    } finally {
      setBusy(null);
    }
  }

  return (
    <div
      className="menu-anchor"
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false);
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        const items = [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
        const at = items.indexOf(document.activeElement as HTMLElement);
        items[(at + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length]?.focus();
        event.preventDefault();
      }}
    >
      <button className="button plain" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} disabled={busy !== null}>
        <Icon name="export" size={14} />
        <span className="wide">{busy === null ? 'Export' : `${busy}…`}</span>
      </button>
      {isOpen && (
        <div className="menu" role="menu" aria-label="Export as" ref={menu}>
          {FORMATS.map((format) => (
            <button key={format.label} role="menuitem" tabIndex={-1} onClick={() => void run(format)}>
              <span>{format.label}</span>
              <span className="hint">{format.hint}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
