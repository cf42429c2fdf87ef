/** Two to four states of the project beside each other: the part, what was measured, and the parameters that differ. */
import { useEffect, useState } from 'react';
import { api, ApiError } from '../api/client';
import { drawPart } from '../api/pictures';
import { loadParameters, type Parameter } from '../measures/named';
import { diagonal } from '../preview/camera';
import { loadShader } from '../preview/source';
import { subjectBody, usePreview, useSubject } from '../preview/state';
import { keyOf } from '../preview/useField';
import { refresh, refused } from '../store/session';
import { get, notify, useStore, type Subject } from '../store/state';
import { undoAction, write } from '../store/write';
import { number, rounded, unitSign } from '../ui/numbers';
import { change, differences, loadVariants, measure, shownValue, takeOver, type Measured, type Variant } from './variants';
import './variants.css';

const MOST_BESIDE = 3;
const PICTURE = [320, 220];
/** Cells across the diagonal of the part. */
const COARSE = 60;
const QUIET_MS = 250;

/** What is loaded of a state: parameters first, then the picture, then measures. Null is what there cannot be. */
interface Loaded {
  parameters?: Parameter[];
  picture?: string | null;
  measured?: Measured | null;
}

export function Variants() {
  const project = useStore((state) => state.project);
  const revision = useStore((state) => state.revision);
  const subject = useSubject();
  const [all, setAll] = useState<Variant[] | null>(null);
  const [hidden, setHidden] = useState<Set<number>>(new Set());
  useEffect(() => {
    if (project === null) return;
    const stop = new AbortController();
    loadVariants(project, stop.signal).then(setAll, (error: unknown) => !stop.signal.aborted && refused(error));
    return () => stop.abort();
  }, [project, revision]);
  if (project === null) return null;
  const chosen = (all ?? []).filter((variant) => !hidden.has(variant.revision)).slice(0, MOST_BESIDE);

  function toggle({ revision: at }: Variant): void {
    const next = new Set((all ?? []).filter((one) => !chosen.includes(one)).map((one) => one.revision));
    if (next.has(at)) {
      next.delete(at);
      const oldest = chosen.length >= MOST_BESIDE ? chosen.at(-1) : undefined;
      if (oldest) next.add(oldest.revision);
    } else next.add(at);
    setHidden(next);
  }

  return (
    <div className="variants">
      <Keep project={project} count={all?.length ?? 0} />
      {all !== null && all.length > MOST_BESIDE && (
        <div className="variant-choice" role="group" aria-label="Variants beside the present state">
          {all.map((variant) => (
            <button key={variant.revision} className="button small clip" aria-pressed={chosen.includes(variant)} onClick={() => toggle(variant)}>
              {variant.name}
            </button>
          ))}
        </div>
      )}
      {all !== null && (all.length === 0 ? <p className="nothing">Keep the present parameters under a name, change them, and see both beside each other.</p> : <Beside project={project} subject={subject} revision={revision} chosen={chosen} />)}
    </div>
  );
}

function Keep({ project, count }: { project: string; count: number }) {
  return (
    <form
      className="checkpoint"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        const name = String(new FormData(form).get('name') ?? '').trim() || `Variant ${count + 1}`;
        api.post('/api/projects/{project}/checkpoints', { path: { project }, body: { name } as never }).then(() => (form.reset(), refresh()), refused);
      }}
    >
      <input className="field" name="name" aria-label="Name of the variant" placeholder={`Variant ${count + 1}`} autoComplete="off" maxLength={80} />
      <button className="button small">Keep as variant</button>
    </form>
  );
}

interface BesideProps {
  project: string;
  subject: Subject | null;
  revision: number;
  chosen: Variant[];
}

function Beside({ project, subject, revision, chosen }: BesideProps) {
  const camera = usePreview((state) => state.camera);
  const bounds = usePreview((state) => state.bounds);
  const [columns, setColumns] = useState<Map<number, Loaded>>(new Map());
  const view = subject && subject.kind !== 'port' ? { subject, camera: { orbit: [camera.azimuth, camera.elevation] as [number, number], zoom: camera.zoom }, cell: bounds ? Number((diagonal(bounds) / COARSE).toPrecision(2)) : null } : null;
  const states = [revision, ...chosen.map((variant) => variant.revision)];
  const wanted = JSON.stringify([project, subject && keyOf(subject), states, view]);
  useEffect(() => {
    const stop = new AbortController();
    const put = (state: number, part: Loaded) => !stop.signal.aborted && setColumns((old) => new Map(old).set(state, { ...old.get(state), ...part }));
    const each = async (load: (state: number) => Promise<Loaded>) => {
      for (const state of states) if (!stop.signal.aborted) put(state, await load(state));
    };
    const timer = setTimeout(() => {
      void (async () => {
        await each(async (state) => ({ parameters: await parametersAt(project, state) }));
        const sizes = new Map<number, number | null>();
        if (view) for (const state of states) sizes.set(state, await extentAt(project, view, state));
        const largest = Math.max(...[...sizes.values()].map((size) => size ?? 0));
        // One scale for all, so that sizes are seen.
        const share = (state: number) => (largest > 0 ? (sizes.get(state) ?? largest) / largest : 1);
        await each(async (state) => ({ picture: view ? await pictureAt(project, view, state, share(state)) : null }));
        await each(async (state) => ({ measured: view ? await measuresAt(project, view, state) : null }));
      })().catch((error: unknown) => !stop.signal.aborted && refused(error));
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // `wanted` holds all that it depends on.
  }, [wanted]);
  const loaded = states.map((state) => columns.get(state));
  const known = loaded.flatMap((one) => (one?.parameters ? [one.parameters] : []));
  const isWhole = known.length === states.length;
  const rows = isWhole ? differences(known) : [];
  const [present] = loaded;

  async function take(variant: Variant): Promise<void> {
    const theirs = columns.get(variant.revision)?.parameters;
    if (!theirs || !present?.parameters) return;
    const edits = takeOver(present.parameters, theirs);
    if (edits.length === 0) return void notify({ tone: 'info', text: `${variant.name} has the present parameters.` });
    const done = await write(edits, { label: `take over ${variant.name}`, basis: () => get().revision });
    if (done) notify({ tone: 'info', text: `Took over ${variant.name}.`, action: undoAction });
  }

  return (
    <table className="beside">
      <thead>
        <tr>
          <td />
          <th scope="col">Present</th>
          {chosen.map((variant) => (
            <th scope="col" key={variant.name}>
              <div className="variant-head">
                <span className="clip" title={`${variant.name}, revision ${variant.revision}`}>
                  {variant.name}
                </span>
                <button className="button small" aria-label={`Take over ${variant.name.slice(0, 80)}`} disabled={!isWhole} onClick={() => void take(variant)}>
                  Take over
                </button>
              </div>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <tr>
          <td />
          {loaded.map((one, at) => (
            <td key={at} className="variant-picture">
              {one?.picture ? <span className="paper"><img src={one.picture} alt={`The part of ${at === 0 ? 'the present state' : chosen[at - 1]?.name}`} /></span> : one?.picture === null ? <span className="quiet">no picture</span> : <div className="skeleton" aria-hidden="true" />}
            </td>
          ))}
        </tr>
        <Measure name="Volume" pick="volume" power="^3" columns={loaded} />
        <Measure name="Area" pick="area" power="^2" columns={loaded} />
        <Measure name="Thinnest wall" pick="wall" power="" columns={loaded} />
        {rows.map((row) => (
          <tr key={row.key} className="differs">
            <th scope="row" className="clip" title={`${row.name} of ${row.function}`}>
              {row.name}
            </th>
            {states.map((_, at) => (
              <td key={at} className={`mono ${at > 0 && row.values[at] !== undefined && JSON.stringify(row.values[at]) !== JSON.stringify(row.values[0]) ? 'other' : ''}`}>
                {shownValue(row.values[at], (value) => number(value))}
              </td>
            ))}
          </tr>
        ))}
        {isWhole && rows.length === 0 && (
          <tr>
            <th scope="row">Parameters</th>
            <td colSpan={states.length} className="quiet">
              the same in all
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Measure({ name, pick, power, columns }: { name: string; pick: 'volume' | 'area' | 'wall'; power: string; columns: (Loaded | undefined)[] }) {
  const present = columns[0]?.measured?.[pick];
  if (columns.every((one) => one?.measured !== undefined && !one.measured?.[pick])) return null;
  return (
    <tr>
      <th scope="row">{name}</th>
      {columns.map((one, at) => {
        const figure = one?.measured?.[pick];
        const text = figure ? rounded(figure.value, figure.error) : null;
        const delta = at > 0 && figure && present ? change(figure.value, present.value) : null;
        return (
          <td key={at} className="mono">
            {text ? (
              <>
                {text.value}
                <span className="unit"> {unitSign(figure?.unit ?? `${one?.measured?.unit}${power}`)}</span>
                {delta && <span className="delta"> {delta}</span>}
              </>
            ) : one?.measured !== undefined ? (
              '–'
            ) : (
              <span className="skeleton-text" role="img" aria-label="being measured" />
            )}
          </td>
        );
      })}
    </tr>
  );
}

interface Look {
  subject: Subject;
  camera: { orbit: [number, number]; zoom: number };
  cell: number | null;
}

/** What was loaded of a state, which never changes; the oldest go first. */
const kept = new Map<string, Promise<unknown>>();
const MOST_KEPT = 150;

function once<T>(key: unknown[], make: () => Promise<T>): Promise<T> {
  const text = JSON.stringify(key);
  const known = kept.get(text) as Promise<T> | undefined;
  if (known) return known;
  const made = make();
  kept.set(text, made);
  made.catch(() => kept.delete(text));
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  return made;
}

/** What cannot be drawn or measured, such as a function without a shape, is left out. */
const none = (error: unknown): null => {
  if (error instanceof ApiError) return null;
  throw error;
};

function parametersAt(project: string, revision: number): Promise<Parameter[]> {
  return once(['parameters', project, revision], () => loadParameters(project, { revision }));
}

/** Diagonal of the part of a function; null if it is not known. */
function extentAt(project: string, { subject }: Look, revision: number): Promise<number | null> {
  if (subject.kind !== 'function') return Promise.resolve(null);
  const read = () => loadShader(project, { functionId: subject.functionId, output: subject.output }, { revision, bounds: true });
  return once(['extent', project, subject, revision], () => read().then(({ bounds }) => (bounds ? diagonal(bounds) : null), none));
}

function pictureAt(project: string, { subject, camera }: Look, revision: number, share: number): Promise<string | null> {
  const body = { ...subjectBody(subject), orbit: camera.orbit, zoom: camera.zoom * share, revision, size: PICTURE };
  return once(['picture', project, body], () => drawPart(project, body).catch(none));
}

function measuresAt(project: string, { subject, cell }: Look, revision: number): Promise<Measured | null> {
  return once(['measures', project, subject, cell, revision], () => measure(project, subject, revision, cell).catch(none));
}
