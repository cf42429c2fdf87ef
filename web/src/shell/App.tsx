/** The frame of the page: the panels around the canvas. */
import { useEffect } from 'react';
import { Bottom } from '../activity/Bottom';
import { Empty } from '../empty/Empty';
import { GraphView } from '../graph/GraphView';
import { KnowledgeDetails } from '../knowledge/Details';
import { KnowledgeView } from '../knowledge/View';
import { MarkBox } from '../marks/Box';
import { useFollowMarks } from '../marks/store';
import { PartPanel } from '../measures/PartPanel';
import { Outline } from '../outline/Outline';
import { useStore } from '../store/state';
import { isNarrow, usePrefs } from '../store/prefs';
import { DropZone } from './DropZone';
import { Header } from './Header';
import { Notices } from './Notices';
import { Search } from './Search';
import { Splitter } from './Splitter';
import { Token } from './Token';
import { useShortcuts } from './useShortcuts';

export function App() {
  const project = useStore((state) => state.project);
  const link = useStore((state) => state.link);
  const isKnowledge = useStore((state) => state.view === 'knowledge');
  const prefs = usePrefs();
  const { search, closeSearch } = useShortcuts();
  useFollowMarks();
  useEffect(closeOutlineOnChoice, []);
  const isOpen = project !== null;
  const left = prefs.left && isOpen;
  const right = prefs.right && isOpen;
  const style = { '--left': `${left ? prefs.leftWidth : 0}px`, '--right': `${right ? prefs.rightWidth : 0}px` } as React.CSSProperties;
  return (
    <div className="app" style={style} data-link={link}>
      <Header />
      {left && (
        <nav className="left" aria-label="Outline">
          <Outline />
          <Splitter side="left" />
        </nav>
      )}
      <main className="centre">
        <DropZone>{!isOpen ? <Empty /> : isKnowledge ? <KnowledgeView project={project} /> : <Centre />}</DropZone>
        <Notices />
      </main>
      {right && (
        <aside className="right" aria-label="Part and inspector">
          <Splitter side="right" />
          {isKnowledge ? (
            <KnowledgeDetails project={project} />
          ) : (
            <div className="scrolls">
              <PartPanel />
            </div>
          )}
        </aside>
      )}
      {isOpen && <Bottom />}
      {isOpen && <MarkBox />}
      {search && <Search onClose={closeSearch} />}
      {link === 'unauthorized' && <Token />}
    </div>
  );
}

/** Closes the outline where it lies over the centre, once something is chosen. Returns a function that ends this. */
function closeOutlineOnChoice(): () => void {
  return useStore.subscribe((now, before) => {
    if (isNarrow() && (now.trail !== before.trail || now.view !== before.view)) usePrefs.setState({ left: false });
  });
}

function Centre() {
  const functions = useStore((state) => state.functions);
  const revision = useStore((state) => state.revision);
  const trail = useStore((state) => state.trail);
  const hasProject = useStore((state) => state.overview !== null);
  if (!hasProject) return <div className="skeleton" aria-hidden="true" />;
  if (functions.length === 0 && trail.length === 0) return <Empty isProject key={revision} />;
  return <GraphView />;
}
