/** The frame of the page: the panels around the canvas. */
import { Outline } from '../outline/Outline';
import { PartPanel } from '../measures/PartPanel';
import { useStore } from '../store/state';

export function App() {
  const hasProject = useStore((state) => state.project !== null);
  return (
    <div className={`app ${hasProject ? '' : 'no-right'}`}>
      <header className="head">
        <h1 style={{ fontSize: 13, fontWeight: 600 }}>Fibula</h1>
      </header>
      <nav className="left" aria-label="Outline">
        <Outline />
      </nav>
      <main className="centre" />
      {hasProject && (
        <aside className="right" aria-label="Part">
          <PartPanel />
        </aside>
      )}
    </div>
  );
}
