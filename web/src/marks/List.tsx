/** The marks with their answers, and the part before and after. */
import { useEffect, useState } from 'react';
import { ApiError } from '../api/client';
import { drawPart } from '../api/pictures';
import { show } from '../graph/show';
import { setView } from '../preview/state';
import { openAt } from '../knowledge/store';
import { openFunction } from '../store/session';
import { get, set, useStore } from '../store/state';
import { isOpen, type Mark } from './model';
import { deleteMark, setMarks, setStatus, useMarks } from './store';
import './marks.css';

const NAMES = { open: 'open', answered: 'answered', done: 'done', declined: 'declined' };

export function MarksList() {
  const marks = useMarks((state) => state.marks);
  const wanted = useMarks((state) => state.selected);
  const selected = marks.find((mark) => mark.id === wanted) ?? marks[0];
  if (!selected) {
    return (
      <p className="nothing">
        No marks. Press <kbd>M</kbd> over the part, or <kbd>Shift</kbd> <kbd>M</kbd> at a node or edge, and say what is wrong or wanted.
      </p>
    );
  }
  return (
    <div className="marks">
      <ul aria-label="Marks">
        {marks.map((mark) => (
          <li key={mark.id}>
            <button className="mark-row" aria-pressed={mark === selected} onClick={() => setMarks({ selected: mark.id })}>
              <span className={`mark-dot ${mark.status}`} aria-hidden="true" />
              <bdi className="clip">{mark.text}</bdi>
              <span className="mark-state">{NAMES[mark.status]}</span>
            </button>
          </li>
        ))}
      </ul>
      <Details key={selected.id} mark={selected} />
    </div>
  );
}

function Details({ mark }: { mark: Mark }) {
  const project = useStore((state) => state.project) ?? '';
  const isDone = mark.answeredIn !== null && mark.status === 'done';
  const hasPicture = mark.point !== null;
  return (
    <section className="mark-details" aria-label="Mark">
      <p className="mark-text">
        <bdi>{mark.text}</bdi>
      </p>
      <p className="mark-facts">
        <bdi>{mark.by}</bdi>, {new Date(mark.created).toLocaleString()}
        {mark.revision !== null && `, revision ${mark.revision}`}
      </p>
      {mark.answers.map((answer, index) => (
        <p className="mark-answer" key={index}>
          <b>
            <bdi>{answer.by}</bdi>
          </b>{' '}
          <bdi>{answer.text}</bdi>
        </p>
      ))}
      <div className="mark-actions">
        <button className="button small" onClick={() => jump(mark)}>
          Show the place
        </button>
        {isOpen(mark) ? (
          <>
            <button className="button small" onClick={() => void setStatus(mark, 'done')}>
              Done
            </button>
            <button className="button small" onClick={() => void setStatus(mark, 'declined')}>
              Decline
            </button>
          </>
        ) : (
          <button className="button small" onClick={() => void setStatus(mark, 'open')}>
            Reopen
          </button>
        )}
        <button className="button small plain" onClick={() => void deleteMark(mark)}>
          Delete
        </button>
      </div>
      {hasPicture && (
        <div className="mark-pictures">
          {mark.revision !== null && <Picture project={project} mark={mark} revision={mark.revision} since={null} caption={isDone ? 'Before' : 'As marked'} />}
          {isDone && mark.answeredIn !== null && (
            <>
              <Picture project={project} mark={mark} revision={mark.answeredIn} since={null} caption="After" />
              <Picture project={project} mark={mark} revision={mark.answeredIn} since={mark.revision} caption="Added and removed" />
            </>
          )}
        </div>
      )}
    </section>
  );
}

/** Leads to the place: the part, the node, or what is marked in the knowledge graph. */
function jump(mark: Mark): void {
  const node = mark.about.map((end) => /^fn:(\d+)\/(\d+)$/.exec(end)).find((found) => found !== null);
  setMarks({ selected: mark.id });
  if (mark.point) {
    if (mark.objectId !== null) set({ subject: { kind: 'object', objectId: mark.objectId } });
    else setView({ build: mark.functionId === null });
    setView({ mode: 'solid' });
    set({ view: 'graph' });
    if (mark.functionId !== null) {
      const { functionId } = mark;
      const opened = get().trail.at(-1) === functionId ? Promise.resolve() : openFunction(functionId);
      void opened.then(() => set({ subject: { kind: 'function', functionId } }));
    }
  }
  if (node) show(Number(node[2]), Number(node[1]));
  else if (mark.edge !== null) openAt({ kind: 'edge', id: mark.edge });
  else if (!mark.point && mark.about[0] !== undefined) openAt({ kind: 'node', id: mark.about[0] });
}

function Picture({ project, mark, revision, since, caption }: { project: string; mark: Mark; revision: number; since: number | null; caption: string }) {
  const [shown, setShown] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    let address: string | null = null;
    const body = { mark: mark.id, revision, size: [360, 270], ...(since === null ? {} : { since }) };
    drawPart(project, body, stop.signal)
      .then((drawn) => {
        if (stop.signal.aborted) return URL.revokeObjectURL(drawn);
        address = drawn;
        setShown(drawn);
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted && error instanceof ApiError) setRefusal(error.message);
      });
    return () => {
      stop.abort();
      if (address) URL.revokeObjectURL(address);
    };
  }, [project, mark.id, revision, since]);
  return (
    <figure>
      {shown ? <img src={shown} alt={`${caption}, revision ${revision}: ${mark.text}`} /> : refusal ? <p className="hint">{refusal}</p> : <div className="skeleton" aria-hidden="true" />}
      <figcaption>
        {caption} <span>revision {revision}</span>
      </figcaption>
    </figure>
  );
}
