/** The head of the page: what is open, undo, search, panels. */
import { closeProject } from '../store/session';
import { set, useStore } from '../store/state';
import { usePrefs, type Theme } from '../store/prefs';
import { undo } from '../store/write';
import { Icon } from '../ui/icons';
import { ExportMenu } from './ExportMenu';
import { openSearch } from './useShortcuts';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const LINKS = {
  connecting: 'connecting…',
  live: 'live',
  offline: 'The server does not answer; the page continues when it is back.',
  unauthorized: 'needs a token',
};

export function Header() {
  const project = useStore((state) => state.project);
  const link = useStore((state) => state.link);
  const revision = useStore((state) => state.revision);
  const view = useStore((state) => state.view);
  const { theme, left, right } = usePrefs();
  const isOpen = project !== null;
  return (
    <header className="head">
      <button className="brand" onClick={closeProject} aria-label="Fibula: all projects" title="All projects">
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M3 12c4 0 5-8 10-8" fill="none" stroke="currentColor" strokeWidth="1.6" />
          <circle cx="3" cy="12" r="2" fill="currentColor" />
          <circle cx="13" cy="4" r="2" fill="currentColor" />
        </svg>
        <span className="brand-name">Fibula</span>
      </button>
      {isOpen && (
        <h1 className="project clip" title={project}>
          {project}
        </h1>
      )}
      {!isOpen && <h1 className="visually-hidden">Fibula</h1>}
      {isOpen && (
        <span className="revision mono" title="Revision of the project">
          r{revision}
        </span>
      )}
      {isOpen && (
        <div className="segments" role="group" aria-label="View">
          <button aria-pressed={view === 'graph'} title="Functions" onClick={() => set({ view: 'graph' })}>
            <Icon name="function" size={14} />
            <span className="wide">Functions</span>
          </button>
          <button aria-pressed={view === 'knowledge'} title="Knowledge" onClick={() => set({ view: 'knowledge' })}>
            <Icon name="graph" size={14} />
            <span className="wide">Knowledge</span>
          </button>
        </div>
      )}
      <span className={`link-state ${link}`} role="status">
        {link === 'live' ? <span className="visually-hidden">{LINKS.live}</span> : <span className="clip">{LINKS[link]}</span>}
      </span>
      <span className="grow" />
      {isOpen && (
        <>
          <button className="icon" onClick={() => void undo()} title="Undo (Ctrl+Z)" aria-label="Undo">
            <Icon name="undo" />
          </button>
          <button className="icon" onClick={() => void undo(true)} title="Redo (Ctrl+Shift+Z)" aria-label="Redo">
            <Icon name="redo" />
          </button>
          <button className="button plain search-button" onClick={openSearch} title="Search (Ctrl+K)">
            <Icon name="search" size={14} />
            <span>Search</span>
            <kbd>Ctrl K</kbd>
          </button>
          <ExportMenu />
        </>
      )}
      <button className="icon" onClick={() => usePrefs.setState({ theme: NEXT[theme] })} title={`Theme: ${theme}`} aria-label={`Theme: ${theme}`}>
        <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
      </button>
      {isOpen && (
        <>
          <button className="icon" aria-pressed={left} onClick={() => usePrefs.setState({ left: !left })} title="Outline" aria-label="Outline">
            <Icon name="left" />
          </button>
          <button className="icon lower" onClick={() => set({ bottom: useStore.getState().bottom === null ? 'activity' : null })} title="Activity, problems, history, table (Ctrl+J)" aria-label="Lower panel">
            <Icon name="bottom" />
          </button>
          <button className="icon" aria-pressed={right} onClick={() => usePrefs.setState({ right: !right })} title="Part and inspector" aria-label="Part and inspector">
            <Icon name="right" />
          </button>
        </>
      )}
    </header>
  );
}
