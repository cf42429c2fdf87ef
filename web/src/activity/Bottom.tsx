/** The lower panel: activity, problems, history, table. Closed, it is one line. */
import { set, useStore, type BottomTab } from '../store/state';
import { Icon } from '../ui/icons';
import { Activity, HistoryList } from './Activity';
import { Problems } from './Problems';
import { MarksList } from '../marks/List';
import { isOpen } from '../marks/model';
import { useMarks } from '../marks/store';
import { Table } from '../table/Table';
import { Variants } from '../variants/Variants';
import './bottom.css';

const TABS: { id: BottomTab; label: string }[] = [
  { id: 'activity', label: 'Activity' },
  { id: 'problems', label: 'Problems' },
  { id: 'marks', label: 'Marks' },
  { id: 'history', label: 'History' },
  { id: 'variants', label: 'Variants' },
  { id: 'table', label: 'Table' },
];

/** The canvas goes where others change something. */
function Follow() {
  const follows = useStore((state) => state.follows);
  return (
    <button className="button plain small follow" aria-pressed={follows} title="Go where others change something" onClick={() => set({ follows: !follows })}>
      <Icon name="follow" size={14} />
      <span className="wide">Follow</span>
    </button>
  );
}

export function Bottom() {
  const tab = useStore((state) => state.bottom);
  const problems = useStore((state) => state.problems);
  const warnings = useStore((state) => state.overview?.warnings.length ?? 0);
  const last = useStore((state) => state.history[0]);
  const marks = useMarks((state) => state.marks.filter(isOpen).length);
  const errors = problems.filter((problem) => problem.tone === 'error').length;
  const count = problems.length + warnings;
  return (
    <section className={`bottom ${tab ? 'open' : ''}`} aria-label="Activity, problems, marks, history, variants and table">
      <div className="tabs">
        <div
          role="tablist"
          aria-label="Lower panel"
          onKeyDown={(event) => {
            const at = TABS.findIndex((one) => one.id === tab);
            const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
            if (step === 0) return;
            const next = TABS[(at + step + TABS.length) % TABS.length];
            if (next) set({ bottom: next.id });
            requestAnimationFrame(() => document.getElementById(`tab-${next?.id}`)?.focus());
          }}
        >
          {TABS.map((one, index) => (
            <button
              key={one.id}
              id={`tab-${one.id}`}
              role="tab"
              aria-selected={tab === one.id}
              aria-controls={tab === one.id ? 'lower-panel' : undefined}
              tabIndex={tab === one.id || (tab === null && index === 0) ? 0 : -1}
              onClick={() => set({ bottom: tab === one.id ? null : one.id })}
            >
              {one.label}
              {one.id === 'marks' && marks > 0 && <span className="pill">{marks}</span>}
              {one.id === 'problems' && count > 0 && <span className={`pill ${errors > 0 ? 'bad' : ''}`}>{count}</span>}
            </button>
          ))}
        </div>
        {tab === null && last && (
          <span className="last clip">
            <span className="client">{last.client}</span> {last.label}
          </span>
        )}
        {tab !== null && (
          <>
            <Follow />
            <button className="icon" aria-label="Close the lower panel" onClick={() => set({ bottom: null })}>
              <Icon name="down" size={14} />
            </button>
          </>
        )}
      </div>
      {tab !== null && (
        <div className="bottom-body" id="lower-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
          {tab === 'activity' && <Activity />}
          {tab === 'problems' && <Problems />}
          {tab === 'history' && <HistoryList />}
          {tab === 'variants' && <Variants />}
          {tab === 'marks' && <MarksList />}
          {tab === 'table' && <Table />}
        </div>
      )}
    </section>
  );
}
