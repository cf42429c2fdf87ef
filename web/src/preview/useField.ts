/** Loads the shader and the bounds of what the preview shows, anew with every revision. */
import { useEffect, useRef, useState } from 'react';
import { untilAnswered } from '../api/asking';
import { api, ApiError, type Schema } from '../api/client';
import type { Port } from '../graph/model';
import type { Subject } from '../store/state';
import { union, type Box } from './camera';
import { domainOf, loadShader, type FieldSubject, type FunctionShader } from './source';
import { setView, subjectBody, usePreview, view } from './state';

export interface Field {
  key: string;
  shader: FunctionShader;
  /** The function at an earlier revision, to compare with. */
  before: FunctionShader | null;
  /** True if the shader is of an earlier revision, too. */
  isPast: boolean;
  bounds: Box;
  cuts: boolean;
  note: string | null;
}

export type Loaded =
  | { state: 'loading' }
  | { state: 'field'; field: Field }
  /** The server draws it. */
  | { state: 'picture'; note: string }
  | { state: 'none'; reason: string; hint: string | null };

/** Time until bounds are searched for, whether a picture is drawn or not. */
const MOST_WAIT_MS = 1500;

/** Lines of a shader that drivers without a graphics processor compile in some seconds. */
const MOST_LINES = 4000;

export function keyOf(subject: Subject): string {
  return JSON.stringify(subject);
}

/** Why a function has no shape, in words of the function; null if nothing speaks against one. */
export function noShape(known: Schema['FunctionInfo'] | undefined): string | null {
  if (!known) return null;
  const { outputs, name } = known;
  const inputs: Port[] = known.inputs;
  if (known.image !== undefined && known.image !== null) return `${name} reads image ${known.image}. It gives colours, so it has no shape; functions that call it may have one.`;
  if (!outputs.some((output) => output.type === 'float')) return `${name} has no float output, so it has no inside.`;
  const [first, second, third] = inputs;
  const isVector = first?.type === 'float3';
  const isThree = first?.type === 'float' && second?.type === 'float' && third?.type === 'float' && inputs.length >= 3;
  const isOpen = (input: Port) => input.default === undefined;
  const others = (isVector ? inputs.slice(1) : inputs.slice(3)).filter(isOpen);
  const points = inputs.filter((input) => input.type === 'float3');
  if (!isVector && !isThree && points.length === 0) return `${name} has no input for a point in space, so it has no shape.`;
  if (others.length > 0 || !(isVector || isThree)) {
    const names = (isVector || isThree ? others : inputs.filter((input) => input !== points[0] && isOpen(input))).map((input) => input.name);
    if (names.length === 0) return `The first input of ${name} is no point. Move ${points[0]?.name} to the front to see its shape here.`;
    return `The shape of ${name} depends on ${names.join(', ')}. Open a function that calls it.`;
  }
  return null;
}

export function useField(project: string | null, subject: Subject | null, revision: number, between: { since: number | null; until: number | null }, known: Schema['FunctionInfo'] | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const last = useRef<Field | null>(null);
  const key = subject ? `${project} ${keyOf(subject)}` : '';
  const { since, until } = between;
  const reason = subject?.kind === 'function' || subject?.kind === 'port' ? noShape(known) : null;
  useEffect(() => {
    if (project === null || !subject || revision === 0) return;
    const stop = new AbortController();
    const { signal } = stop;
    if (subject.kind === 'build' || subject.kind === 'object') {
      if (last.current || loaded.state !== 'picture') setView({ bounds: null, cuts: false });
      last.current = null;
      setLoaded({ state: 'picture', note: 'drawn by the server' });
      void sliceBounds(project, subject, signal);
      return () => stop.abort();
    }
    if (reason !== null && subject.kind === 'function') {
      last.current = null;
      return setLoaded({ state: 'none', reason, hint: null });
    }
    const wanted: FieldSubject = { functionId: subject.functionId, output: subject.kind === 'function' ? subject.output : undefined, port: subject.kind === 'port' ? `${subject.nodeId}.${subject.port}` : undefined };
    if (last.current?.key !== key) {
      last.current = null;
      setView({ bounds: null, cuts: false });
      setLoaded({ state: 'loading' });
    }
    const show = (field: Field) => {
      if (signal.aborted) return;
      last.current = field;
      setView({ unit: field.shader.unit, bounds: field.bounds, cuts: field.cuts });
      setLoaded({ state: 'field', field });
    };
    void (async () => {
      try {
        const before = since === null ? null : await loadShader(project, wanted, { revision: since, bounds: true, signal }).catch(gone);
        const at = until === null ? {} : { revision: until };
        const isPast = until !== null;
        const shader = await loadShader(project, wanted, { ...at, signal });
        if (shader.source.split('\n').length > MOST_LINES) {
          last.current = null;
          setLoaded({ state: 'picture', note: 'drawn by the server: the graph is too large for a live picture' });
          return void sliceBounds(project, subject, signal);
        }
        // The numbers show at once within the old bounds; new bounds take longer.
        const old = last.current;
        const isOther = old?.shader.source !== shader.source;
        if (old) {
          show({ ...old, shader, before, isPast });
          if (isOther) await drawn(signal);
        }
        const bounded = await loadShader(project, wanted, { ...at, bounds: true, signal });
        if (bounded.bounds && isPoint(bounded.bounds)) {
          last.current = null;
          return setLoaded({ state: 'none', reason: 'It has no inside: its value is hardly anywhere below 0.', hint: null });
        }
        show({ key, shader: bounded, before, isPast, ...(await boundsOf(project, subject.functionId, bounded, before, signal)) });
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError)) return;
        last.current = null;
        const next = failed(error);
        setLoaded(next);
        if (next.state === 'picture') void sliceBounds(project, subject, signal);
      }
    })();
    return () => stop.abort();
    // `subject` and `known` are in `key` and `reason`.
  }, [project, key, revision, since, until, reason]);
  // What the server draws is of the revision.
  const drafts = usePreview((state) => state.drafts);
  const isPast = loaded.state === 'field' && loaded.field.isPast;
  const shown = loaded.state === 'field' ? loaded.field.shader.revision : revision;
  useEffect(() => {
    if (!isPast) settleDrafts(shown);
  }, [drafts, shown, isPast]);
  return loaded;
}

/** The bounds of what the server draws, from an empty slice. */
async function sliceBounds(project: string, subject: Subject, signal: AbortSignal): Promise<void> {
  try {
    const body = { ...subjectBody(subject), heights: [0] } as never;
    const slice = await untilAnswered(() => api.post('/api/projects/{project}/slice', { path: { project }, body, signal }), signal);
    setView({ bounds: slice.bounds as Box, unit: slice.unit });
  } catch (error) {
    // Without bounds there are no sections; the picture says what is wrong with the shape.
    if (!signal.aborted && !(error instanceof ApiError)) throw error;
  }
}

/** Waits for the next picture, so that the search for bounds does not delay it, but not for long. */
function drawn(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = usePreview.subscribe((now, before) => now.depthAt !== before.depthAt && done());
    const timer = setTimeout(done, MOST_WAIT_MS);
    signal.addEventListener('abort', done);
  });
}

function gone(error: unknown): null {
  if (error instanceof ApiError && error.code !== 'unreachable') return null;
  throw error;
}

async function boundsOf(project: string, functionId: number, shader: FunctionShader, before: FunctionShader | null, signal: AbortSignal): Promise<Pick<Field, 'bounds' | 'cuts' | 'note'>> {
  if (shader.bounds) return { bounds: before?.bounds ? union(shader.bounds, before.bounds) : shader.bounds, cuts: false, note: null };
  const domain = await domainOf(project, functionId, signal);
  const note = domain.isDomain ? 'cut by the domain of its level set' : 'it has no bounds: cut to a box of 40 units';
  return { bounds: domain.box, cuts: true, note };
}

/** True for bounds that are no larger than the rounding of their coordinates. */
function isPoint([low, high]: Box): boolean {
  const far = Math.max(1, ...low.map(Math.abs), ...high.map(Math.abs));
  return high.every((part, axis) => part - (low[axis] ?? 0) < 1e-9 * far);
}

/** Codes of refusals after which the server can still draw a picture. */
const DRAWABLE = new Set(['no_formula', 'unknown_route', 'too_large']);

function failed(error: ApiError): Loaded {
  if (error.code === 'no_formula') return { state: 'picture', note: 'drawn by the server: it queries a mesh, beams or an image' };
  if (DRAWABLE.has(error.code)) return { state: 'picture', note: 'drawn by the server' };
  return { state: 'none', reason: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`, hint: error.refusal.hint ?? null };
}

/** Drops drafts that the shown state has. */
function settleDrafts(revision: number): void {
  const { drafts } = view();
  const left = [...drafts].filter(([, draft]) => draft.revision === null || draft.revision > revision);
  if (left.length !== drafts.size) setView({ drafts: new Map(left) });
}
