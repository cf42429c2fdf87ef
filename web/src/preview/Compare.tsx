/** What changed in the part between two revisions: the volumes of material added and removed. */
import { useEffect, useState } from 'react';
import { untilAnswered } from '../api/asking';
import { api, ApiError, type Schema } from '../api/client';
import { withProgress } from '../api/progress';
import { rounded, unitSign, type Rounded } from '../ui/numbers';
import { useStore } from '../store/state';
import { diagonal } from './camera';
import { setView, usePreview } from './state';

interface Figure {
  value: number;
  error: number;
}
interface Change {
  added: Rounded;
  removed: Rounded;
  unit: string;
}

const ROWS = 30;
const CANCELLED = 'cancelled';

/** Volumes added and removed from those of both states and of their overlap; errors of the difference add up. */
export function changes(volumes: [Figure, Figure], overlap: Figure): [Figure, Figure] {
  const [now, before] = volumes;
  const less = (whole: Figure) => ({ value: Math.max(0, whole.value - overlap.value), error: Math.hypot(whole.error, overlap.error) });
  return [less(now), less(before)];
}

/** The revision and label of an edit, with the value if it set one. */
function titleOf({ revision, label, changes }: Schema['HistoryItem'], functionId: number): string {
  const what = label.replace(` of function ${functionId}`, '');
  const value = changes?.length === 1 && !what.includes(' to ') ? / to (.+) in function \d+$/.exec(changes[0] ?? '')?.[1] : undefined;
  return `r${revision} · ${what}${value === undefined ? '' : ` to ${value}`}`;
}

export function Compare({ project, functionId, revision }: { project: string; functionId: number; revision: number }) {
  const history = useStore((state) => state.history);
  const since = usePreview((state) => state.since);
  const bounds = usePreview((state) => state.bounds);
  const [change, setChange] = useState<Change | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const until = usePreview((state) => state.until);
  const [stop, setStop] = useState<AbortController | null>(null);
  // Edits of functions: those of knowledge change no part.
  const earlier = history.filter((entry) => entry.revision <= revision && entry.revision > 1 && (entry.functions ?? []).length > 0).slice(0, ROWS);
  const later = earlier.slice(1).filter((entry) => since !== null && entry.revision > since);
  const newest = earlier[0]?.revision;
  useEffect(() => {
    if (since === null && newest !== undefined) setView({ since: newest - 1 });
  }, [since, newest]);
  const cell = bounds ? Number((diagonal(bounds) / 160).toPrecision(2)) : null;
  useEffect(() => {
    if (since === null || cell === null) return;
    const mine = new AbortController();
    const { signal } = mine;
    setStop(mine);
    setRefusal(null);
    setChange(null);
    const timer = setTimeout(() => {
      const later = until === null ? {} : { revision: until };
      const body = { function_id: functionId, ...later, to: { revision: since }, cell, digits: 'full', figures: ['volumes', 'overlap'] };
      setShare(null);
      const measure = (request: string) => api.post('/api/projects/{project}/measure', { path: { project }, body: body as never, signal, request });
      untilAnswered(() => withProgress(measure, setShare, signal), signal)
        .then((answer) => {
          const figures = answer.figures as unknown as { volumes: [Figure, Figure]; overlap: Figure & { unit: string } };
          const [added, removed] = changes(figures.volumes, figures.overlap);
          setChange({ added: rounded(added.value, added.error), removed: rounded(removed.value, removed.error), unit: unitSign(figures.overlap.unit) });
        })
        .catch((error: unknown) => {
          if (!signal.aborted && error instanceof ApiError) setRefusal(error.code === 'unknown_function' ? 'It was not there before.' : error.message);
        })
        .finally(() => setStop((now) => (now === mine ? null : now)));
    }, 200);
    return () => {
      clearTimeout(timer);
      mine.abort();
    };
  }, [project, functionId, revision, since, until, cell, attempt]);
  function choose(before: number): void {
    // The later one is after it.
    setView({ since: before, until: until !== null && until <= before ? null : until });
  }
  if (earlier.length === 0) return <p className="nothing">There is no earlier state.</p>;
  return (
    <div className="compare">
      <label className="cut">
        <span>Before</span>
        <select className="field" value={since ?? ''} onChange={(event) => choose(Number(event.target.value))}>
          {since !== null && !earlier.some((entry) => entry.revision - 1 === since) && <option value={since}>revision {since}</option>}
          {earlier.map((entry) => (
            <option key={entry.revision} value={entry.revision - 1}>
              {titleOf(entry, functionId)}
            </option>
          ))}
        </select>
      </label>
      <label className="cut">
        <span>After</span>
        <select className="field" value={until ?? ''} onChange={(event) => setView({ until: event.target.value === '' ? null : Number(event.target.value) })}>
          <option value="">the present</option>
          {until !== null && !later.some((entry) => entry.revision === until) && <option value={until}>revision {until}</option>}
          {later.map((entry) => (
            <option key={entry.revision} value={entry.revision}>
              {titleOf(entry, functionId)}
            </option>
          ))}
        </select>
      </label>
      <p className="change" aria-live="polite">
        {refusal === CANCELLED ? (
          <button className="button plain small" onClick={() => setAttempt(attempt + 1)}>
            Measure
          </button>
        ) : refusal !== null ? (
          refusal
        ) : (
          <>
            <span className="added">added {change ? <Volume figure={change.added} unit={change.unit} /> : share === null ? '…' : `${Math.floor(share * 100)} %`}</span>
            <span className="removed">removed {change ? <Volume figure={change.removed} unit={change.unit} /> : '…'}</span>
            {!change && stop && share !== null && (
              <button
                className="button plain small"
                onClick={() => {
                  stop.abort();
                  setStop(null);
                  setRefusal(CANCELLED);
                }}
              >
                Cancel
              </button>
            )}
          </>
        )}
      </p>
    </div>
  );
}

function Volume({ figure, unit }: { figure: Rounded; unit: string }) {
  return (
    <>
      <b>{figure.value}</b>
      {figure.error !== null && ` ± ${figure.error}`} {unit}
    </>
  );
}
