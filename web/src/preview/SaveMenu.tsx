/** Export of what the preview shows in two clicks: the menu, and the format. */
import { useRef, useState } from 'react';
import { raw, url } from '../api/client';
import { refused } from '../store/session';
import { notify, type Subject } from '../store/state';
import type { Box } from './camera';
import { Icon } from './icons';
import { heightOf } from './Slice';
import { subjectBody, view } from './state';

interface Props {
  project: string;
  subject: Subject;
  name: string;
  bounds: Box | null;
  cuts: boolean;
  /** The picture as it is seen. */
  picture: () => Promise<Blob | null>;
}

const FORMATS = [
  ['png', 'PNG', 'this view'],
  ['stl', 'STL', 'triangles'],
  ['obj', 'OBJ', 'triangles'],
  ['3mf', '3MF', 'the project'],
  ['svg', 'SVG', 'the slice'],
] as const;
type Format = (typeof FORMATS)[number][0];

export function SaveMenu({ project, subject, name, bounds, cuts, picture }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState<{ label: string; stop: AbortController } | null>(null);
  const menu = useRef<HTMLDivElement>(null);

  async function blobOf(format: Format, signal: AbortSignal): Promise<Blob | null> {
    if (format === 'png') return picture();
    if (format === '3mf') return (await raw('GET', url('/api/projects/{project}/export.3mf', { project }), undefined, signal)).blob();
    const box = cuts && bounds ? { bounds } : {};
    const heights = format === 'svg' && bounds ? { heights: [heightOf(bounds, view().height)] } : {};
    const body = { format, ...subjectBody(subject), ...box, ...heights };
    const response = await raw('POST', url('/api/projects/{project}/export', { project }), body, signal);
    const warnings = response.headers.get('fibula-warnings');
    if (warnings) notify({ tone: 'info', text: warnings });
    return response.blob();
  }
  async function save(format: Format, label: string): Promise<void> {
    setOpen(false);
    const stop = new AbortController();
    setBusy({ label, stop });
    try {
      const blob = await blobOf(format, stop.signal);
      if (!blob) return;
      const link = document.createElement('a');
      link.href = URL.createObjectURL(blob);
      link.download = `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'part'}.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) {
      if (!stop.signal.aborted) refused(error);
    } finally {
      setBusy(null);
    }
  }
  if (busy) {
    return (
      <button className="button plain small" onClick={() => busy.stop.abort()} title="Cancel the export">
        {busy.label}… ✕
      </button>
    );
  }
  return (
    <div
      className="save-anchor"
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
      <button className="icon" aria-label="Save this part" title="Save as PNG, STL, OBJ, 3MF or SVG" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="save" />
      </button>
      {isOpen && (
        <div className="save-menu" role="menu" aria-label="Save as" ref={menu}>
          {FORMATS.map(([format, label, hint]) => (
            <button key={format} role="menuitem" onClick={() => void save(format, label)}>
              <span>{label}</span>
              <span className="hint">{hint}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
