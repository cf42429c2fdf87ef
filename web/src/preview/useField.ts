/** Loads the shader and the bounds of what the preview shows, anew with every revision. */
import { useEffect, useRef, useState } from 'react';
import { api, ApiError, type Schema } from '../api/client';
import type { Subject } from '../store/state';
import type { Box } from './camera';
import { domainOf, loadShader, type FieldSubject, type FunctionShader } from './source';
import { setView, subjectBody, view } from './state';

export interface Field {
  key: string;
  shader: FunctionShader;
  /** The function at an earlier revision, to compare with. */
  before: FunctionShader | null;
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

/** Lines of a shader that drivers without a graphics processor compile in some seconds. */
const MOST_LINES = 4000;

export function keyOf(subject: Subject): string {
  return JSON.stringify(subject);
}

/** Why a function has no shape, in words of the function; null if nothing speaks against one. */
export function noShape(known: Schema['FunctionInfo'] | undefined): string | null {
  if (!known) return null;
  const { inputs, outputs, name } = known;
  if (known.image !== undefined && known.image !== null) return `${name} reads image ${known.image}. It gives colours, so it has no shape; functions that call it may have one.`;
  if (!outputs.some((output) => output.type === 'float')) return `${name} has no float output, so it has no inside.`;
  const [first, second, third] = inputs;
  const isVector = first?.type === 'float3';
  const isThree = first?.type === 'float' && second?.type === 'float' && third?.type === 'float' && inputs.length >= 3;
  const others = isVector ? inputs.slice(1) : inputs.slice(3);
  const points = inputs.filter((input) => input.type === 'float3');
  if (!isVector && !isThree && points.length === 0) return `${name} has no input for a point in space, so it has no shape.`;
  if (others.length > 0 || !(isVector || isThree)) {
    const names = (isVector || isThree ? others : inputs.filter((input) => input !== points[0])).map((input) => input.name);
    return `The shape of ${name} depends on ${names.join(', ')}. Open a function that calls it.`;
  }
  return null;
}

export function useField(project: string | null, subject: Subject | null, revision: number, since: number | null, known: Schema['FunctionInfo'] | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: 'loading' });
  const last = useRef<Field | null>(null);
  const key = subject ? `${project} ${keyOf(subject)}` : '';
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
      settleDrafts(field.shader.revision);
      setLoaded({ state: 'field', field });
    };
    void (async () => {
      try {
        const before = since === null ? null : await loadShader(project, wanted, { revision: since, bounds: true, signal }).catch(gone);
        const shader = await loadShader(project, wanted, { signal });
        if (shader.source.split('\n').length > MOST_LINES) {
          last.current = null;
          setLoaded({ state: 'picture', note: 'drawn by the server: the graph is too large for a live picture' });
          return void sliceBounds(project, subject, signal);
        }
        // The numbers show at once within the old bounds; new bounds take longer.
        const old = last.current;
        if (old) show({ ...old, shader, before });
        const bounded = await loadShader(project, wanted, { bounds: true, signal });
        if (bounded.bounds && isPoint(bounded.bounds)) {
          last.current = null;
          return setLoaded({ state: 'none', reason: 'It has no inside: its value is hardly anywhere below 0.', hint: null });
        }
        show({ key, shader: bounded, before, ...(await boundsOf(project, subject.functionId, bounded, before, signal)) });
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError)) return;
        if (error.code === 'unreachable') return;
        last.current = null;
        const next = failed(error);
        setLoaded(next);
        if (next.state === 'picture') void sliceBounds(project, subject, signal);
      }
    })();
    return () => stop.abort();
    // `subject` and `known` are in `key` and `reason`.
  }, [project, key, revision, since, reason]);
  return loaded;
}

/** The bounds of what the server draws, from an empty slice. */
async function sliceBounds(project: string, subject: Subject, signal: AbortSignal): Promise<void> {
  try {
    const body = { ...subjectBody(subject), heights: [0] } as never;
    const slice = await api.post('/api/projects/{project}/slice', { path: { project }, body, signal });
    setView({ bounds: slice.bounds as Box, unit: slice.unit });
  } catch (error) {
    // Without bounds there are no sections; the picture says what is wrong with the shape.
    if (!signal.aborted && !(error instanceof ApiError)) throw error;
  }
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

function union(a: Box, b: Box): Box {
  const low = a[0].map((part, axis) => Math.min(part, b[0][axis] ?? part));
  const high = a[1].map((part, axis) => Math.max(part, b[1][axis] ?? part));
  return [low, high] as Box;
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
