/** The frame of the page: the panels around the canvas. */
import { KnowledgeDetails } from '../knowledge/Details';
import { KnowledgeView } from '../knowledge/View';
import { Outline } from '../outline/Outline';
import { useStore } from '../store/state';

export function App() {
  const project = useStore((state) => state.project);
  const isKnowledge = useStore((state) => state.view === 'knowledge');
  return (
    <div className={`app ${project !== null ? '' : 'no-right'}`}>
      <header className="head">
        <h1 style={{ fontSize: 13, fontWeight: 600 }}>Fibula</h1>
      </header>
      <nav className="left" aria-label="Outline">
        <Outline />
      </nav>
      <main className="centre">{project !== null && isKnowledge && <KnowledgeView project={project} />}</main>
      {project !== null && isKnowledge && (
        <aside className="right" aria-label="Knowledge">
          <KnowledgeDetails project={project} />
        </aside>
      )}
    </div>
  );
}
