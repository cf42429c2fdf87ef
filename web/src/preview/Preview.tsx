/** The part beside the graph: in space, as a slice, or with what changed in it. */
import { useEffect, useRef, useState } from 'react';
import type { ApiError } from '../api/client';
import { number, unitSign } from '../ui/numbers';
import { showShape } from '../graph/show';
import { useStore } from '../store/state';
import { frameOf, VIEWS, type ViewName } from './camera';
import { MarkButton } from '../marks/Button';
import { Pins } from '../marks/Pins';
import { Compare } from './Compare';
import { Icon } from './icons';
import { heightOf, Slice } from './Slice';
import { Ruler, RulerButton } from './Ruler';
import { withMarks } from './Marks';
import { LiveSolid, ServerSolid } from './Solid';
import { AXES, setView, usePreview, useSubject, view, type Axis } from './state';
import { setStandardView } from './useCamera';
import { keyOf, useField } from './useField';
import './preview.css';

/** Level of a picture with all pixels of the screen, and how long an exported one waits for it. */
const FINE = 2;
const MOST_WAIT_MS = 4000;

const PRESENT = { since: null, until: null };

export function Preview() {
  const project = useStore((state) => state.project);
  const revision = useStore((state) => state.functionsRevision);
  const functions = useStore((state) => state.functions);
  const overview = useStore((state) => state.overview);
  const mode = usePreview((state) => state.mode);
  const since = usePreview((state) => state.since);
  const until = usePreview((state) => state.until);
  const bounds = usePreview((state) => state.bounds);
  const cuts = usePreview((state) => state.cuts);
  const subject = useSubject();
  const known = subject && 'functionId' in subject ? functions.find((one) => one.function_id === subject.functionId) : undefined;
  // The graph is shown first: beginning to draw takes the page some time.
  const isTurn = useStore((state) => state.trail.length === 0 || state.view === 'knowledge' || state.places.size > 0);
  const compares = mode === 'compare' && subject?.kind === 'function';
  const loaded = useField(project, subject, isTurn ? revision : 0, compares ? { since, until } : PRESENT, known);
  const [failure, setFailure] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<{ reason: string; hint: string | null } | null>(null);
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const blob = useRef<Blob | null>(null);
  const key = subject ? keyOf(subject) : '';
  useEffect(() => {
    setRefusal(null);
    setView({ mode: 'solid', since: null, until: null, ruler: null });
  }, [project, key]);
  useEffect(() => setRefusal(null), [revision]);
  const isLive = loaded.state === 'field' && failure === null;
  useEffect(() => {
    setView({
      picture: async () => {
        const target = canvas.current;
        if (!target || !isLive) return blob.current;
        for (const end = Date.now() + MOST_WAIT_MS; Number(target.dataset.level ?? 0) < FINE && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 50));
        const { camera, bounds, unit } = view();
        const pixel = bounds ? frameOf(camera, bounds, target.clientWidth, target.clientHeight).pixel : 1;
        const marked = withMarks(target, camera, pixel, unit, target.width / target.clientWidth);
        return new Promise((resolve) => marked.toBlob(resolve));
      },
    });
    return () => setView({ picture: null });
  }, [isLive]);
  const reason = loaded.state === 'none' ? loaded : refusal;
  const isNothing = reason !== null;
  useEffect(() => setView({ isNothing }), [isNothing]);
  if (project === null || !overview) return null;
  const hasBuild = overview.build_item_count > 0;
  const port = subject?.kind === 'port' ? subject : null;
  const name = !subject || subject.kind === 'build' ? project : 'functionId' in subject ? (known?.name ?? project) : `object ${subject.objectId}`;

  return (
    <section className="preview" aria-label="Preview">
      <header className="preview-head">
        {port ? (
          <PortTitle name={name} port={port} />
        ) : hasBuild && subject?.kind !== 'object' ? (
          <Scope name={known?.name ?? null} isBuild={subject?.kind === 'build'} />
        ) : (
          <h2 className="clip">{name}</h2>
        )}
        {bounds && !reason && (
          <>
            {mode !== 'slice' && <ViewChoice />}
            <SectionButton />
            {!port && <ModeButton mode="slice" label="Slice" />}
            {!port && <RulerButton />}
            <MarkButton />
            {known && isLive && <ModeButton mode="compare" label="What changed" />}
          </>
        )}
      </header>
      <div className="stage">
        {!subject ? (
          <p className="reason">Nothing to show yet.</p>
        ) : reason ? (
          <p className="reason">
            {reason.reason}
            {reason.hint && <span className="hint">{reason.hint}</span>}
          </p>
        ) : mode === 'slice' && bounds ? (
          <Slice project={project} subject={subject} revision={revision} bounds={bounds} cuts={cuts} />
        ) : isLive ? (
          <LiveSolid field={loaded.field} onFailed={setFailure} onCanvas={(target) => (canvas.current = target)} />
        ) : loaded.state === 'loading' ? (
          <div className="skeleton" aria-hidden="true" />
        ) : (
          <ServerSolid
            project={project}
            subject={subject}
            revision={revision}
            onBlob={(drawn) => (blob.current = drawn)}
            onRefused={(error: ApiError) => setRefusal({ reason: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`, hint: error.refusal.hint ?? null })}
          />
        )}
        {bounds && !reason && subject && <Pins project={project} subject={subject} revision={revision} bounds={bounds} cuts={cuts} isSlice={mode === 'slice'} />}
        {bounds && !reason && subject && subject.kind !== 'port' && <Ruler subject={subject} revision={revision} bounds={bounds} cuts={cuts} isSlice={mode === 'slice'} />}
        <Note text={reason || mode === 'slice' ? null : loaded.state === 'picture' ? loaded.note : loaded.state === 'field' ? failure === null ? loaded.field.note : `drawn by the server: ${failure.split(':')[0]}` : null} detail={failure} />
      </div>
      {bounds && !reason && <Cut mode={mode} />}
      {mode === 'compare' && known && <Compare project={project} functionId={known.function_id} revision={revision} />}
    </section>
  );
}

/** The port that is shown as the shape, and the way back to its function. */
function PortTitle({ name, port }: { name: string; port: { functionId: number; nodeId: number; port: string } }) {
  return (
    <>
      <h2 className="clip" title={`The output ${port.port} of node ${port.nodeId} as the shape`}>
        {port.nodeId}.{port.port}
      </h2>
      <button className="button plain small clip" title={`Show ${name}`} onClick={() => showShape(null)}>
        ✕ port
      </button>
    </>
  );
}

function Note({ text, detail }: { text: string | null; detail: string | null }) {
  if (text === null) return null;
  return (
    <p className="note" title={detail ?? undefined}>
      {text}
    </p>
  );
}

/** The open function, or the build. */
function Scope({ name, isBuild }: { name: string | null; isBuild: boolean }) {
  return (
    <div className="scope" role="group" aria-label="Shown in the preview">
      {name !== null || !isBuild ? (
        <button aria-pressed={!isBuild} className="clip" onClick={() => setView({ build: false })}>
          {name ?? 'Function'}
        </button>
      ) : (
        <button aria-pressed={false} onClick={() => setView({ build: false })}>
          Function
        </button>
      )}
      <button aria-pressed={isBuild} onClick={() => setView({ build: true })}>
        Build
      </button>
    </div>
  );
}

function ViewChoice() {
  const camera = usePreview((state) => state.camera);
  const names = Object.keys(VIEWS) as ViewName[];
  const now = names.find((name) => Math.abs(VIEWS[name].azimuth - camera.azimuth) < 0.01 && Math.abs(VIEWS[name].elevation - camera.elevation) < 0.01);
  return (
    <select className="view-choice" aria-label="View" value={now ?? ''} onChange={(event) => setStandardView(event.target.value as ViewName)}>
      {!now && <option value="">View</option>}
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function SectionButton() {
  const section = usePreview((state) => state.section);
  const mode = usePreview((state) => state.mode);
  if (mode === 'slice') return null;
  return (
    <button className="icon" aria-label="Section" title="Section" aria-pressed={section !== null} onClick={() => setView({ section: section ? null : { axis: 0, share: 0.5 } })}>
      <Icon name="section" />
    </button>
  );
}

function ModeButton({ mode, label }: { mode: 'slice' | 'compare'; label: string }) {
  const now = usePreview((state) => state.mode);
  return (
    <button className="icon" aria-label={label} title={label} aria-pressed={now === mode} onClick={() => setView({ mode: now === mode ? 'solid' : mode })}>
      <Icon name={mode} />
    </button>
  );
}

/** The place of the section, or the height of the slice. */
function Cut({ mode }: { mode: string }) {
  const section = usePreview((state) => state.section);
  const height = usePreview((state) => state.height);
  const bounds = usePreview((state) => state.bounds);
  const isField = usePreview((state) => state.isField);
  const unit = unitSign(usePreview((state) => state.unit));
  if (!bounds) return null;
  if (mode === 'slice') {
    const z = heightOf(bounds, height);
    return (
      <div className="cut">
        <label htmlFor="slice-height">Height</label>
        <input id="slice-height" type="range" min={0} max={1} step={0.0025} value={height} aria-valuetext={`${number(z)} ${unit}`} onChange={(event) => setView({ height: Number(event.target.value) })} />
        <output>
          {number(z)} <span className="unit">{unit}</span>
        </output>
        <button className="button plain small" title="Colours of the values around, with lines where they are equal" aria-pressed={isField} onClick={() => setView({ isField: !isField })}>
          Field
        </button>
      </div>
    );
  }
  if (!section) return null;
  const { axis, share } = section;
  const place = Number((bounds[0][axis] + (bounds[1][axis] - bounds[0][axis]) * share).toPrecision(4));
  return (
    <div className="cut">
      <div className="scope" role="group" aria-label="Axis of the section">
        {AXES.map((name, index) => (
          <button key={name} aria-pressed={axis === index} onClick={() => setView({ section: { axis: index as Axis, share } })}>
            {name}
          </button>
        ))}
      </div>
      <input
        type="range"
        aria-label="Place of the section"
        aria-valuetext={`${AXES[axis]} = ${number(place)} ${unit}`}
        min={0}
        max={1}
        step={0.0025}
        value={share}
        onChange={(event) => setView({ section: { axis, share: Number(event.target.value) } })}
      />
      <output>
        {number(place)} <span className="unit">{unit}</span>
      </output>
    </div>
  );
}
