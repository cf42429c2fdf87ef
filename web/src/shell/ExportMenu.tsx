/** Export in two clicks: the menu, and the format. */
import { useEffect, useRef, useState } from 'react';
import { useStore } from '../store/state';
import { Icon } from '../ui/icons';
import { FORMATS, runExport, type Format } from './exports';

export function ExportMenu() {
  const [isOpen, setOpen] = useState(false);
  const menu = useRef<HTMLDivElement>(null);
  const project = useStore((state) => state.project);
  useEffect(() => {
    if (isOpen) menu.current?.querySelector<HTMLElement>('[role="menuitem"]')?.focus();
  }, [isOpen]);

  function pick(format: Format): void {
    setOpen(false);
    if (project !== null) void runExport(project, format);
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
      <button className="button plain" aria-label="Export" title="Export" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="export" size={14} />
        <span className="wide">Export</span>
      </button>
      {isOpen && (
        <div className="menu" role="menu" aria-label="Export as" ref={menu}>
          {FORMATS.map((format) => (
            <button key={format.label} role="menuitem" tabIndex={-1} onClick={() => pick(format)}>
              <span>{format.label}</span>
              <span className="hint">{format.hint}</span>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
