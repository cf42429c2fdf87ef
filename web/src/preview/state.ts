/** State of the preview: what is shown of the part, and from where. */
import { useMemo } from 'react';
import { create } from 'zustand';
import type { Edit } from '../graph/edits';
import type { State, Subject } from '../store/state';
import { useStore } from '../store/state';
import { HOME, type Box, type Camera, type Vec3 } from './camera';

export type Mode = 'solid' | 'slice' | 'compare';
export type Axis = 0 | 1 | 2;
export const AXES = ['x', 'y', 'z'] as const;

/** Numbers that a person is changing, of a node or an input of a function. */
export interface Draft {
  numbers: number[];
  /** The edit that writes them. */
  edit: Edit;
  /** Revision that has them; null until they are written. */
  revision: number | null;
}

interface PreviewState {
  mode: Mode;
  camera: Camera;
  /** Where the part is cut, as a share of its bounds. */
  section: { axis: Axis; share: number } | null;
  /** Height of the slice, as a share of the bounds. */
  height: number;
  /** Revision that the part is compared with, and the later one of the two; null for the present one. */
  since: number | null;
  until: number | null;
  /** True if a slice shows the values of the field in colours. */
  isField: boolean;
  /** Points that a distance is measured between; null while none is. */
  ruler: Vec3[] | null;
  /** By `FUNCTION.NODE`, `FUNCTION.NODE.PARAMETER` or `FUNCTION.INPUT`. */
  drafts: ReadonlyMap<string, Draft>;
  /** True if the build is shown even while a function is open. */
  build: boolean;
  /** Bounds of what is shown. */
  bounds: Box | null;
  /** Bounds of the part as it is being changed, as far as they are known. */
  trialBounds: Box | null;
  /** True if material may lie beyond the bounds, which cut it. */
  cuts: boolean;
  /** True if what is shown has no shape, which the preview explains. */
  isNothing: boolean;
  unit: string;
  /** The picture as it is seen; null while none is. */
  picture: (() => Promise<Blob | null>) | null;
  /** Depth of the live picture at a place, given as shares from the upper left corner, Infinity where nothing is; anew with each picture. */
  depthAt: ((x: number, y: number) => number) | null;
}

export const usePreview = create<PreviewState>()(() => ({
  mode: 'solid',
  camera: HOME,
  section: null,
  height: 0.5,
  since: null,
  until: null,
  isField: false,
  ruler: null,
  drafts: new Map(),
  build: false,
  bounds: null,
  trialBounds: null,
  cuts: false,
  isNothing: false,
  unit: 'millimeter',
  picture: null,
  depthAt: null,
}));

export const view = usePreview.getState;
export const setView = usePreview.setState;

/** Shows what changed in the part since a revision. */
export function compareWith(revision: number): void {
  setView({ mode: 'compare', since: revision, until: null });
}

export function setDraft(key: string, draft: Draft | null): void {
  const drafts = new Map(view().drafts);
  if (draft) drafts.set(key, draft);
  else drafts.delete(key);
  setView({ drafts });
}

/** What the preview shows: what was chosen, else the open function, else the build. */
export function subjectOf(state: Pick<State, 'subject' | 'trail' | 'overview'>, build: boolean): Subject | null {
  const hasBuild = (state.overview?.build_item_count ?? 0) > 0;
  if (build && hasBuild) return { kind: 'build' };
  const open = state.trail.at(-1);
  // A port is shown while its function is open.
  const isLeft = state.subject.kind === 'port' && state.subject.functionId !== open;
  if (state.subject.kind !== 'build' && !isLeft) return state.subject;
  if (open !== undefined) return { kind: 'function', functionId: open };
  return hasBuild ? { kind: 'build' } : null;
}

// Drafts are of one project.
useStore.subscribe((now, before) => now.project !== before.project && setView({ drafts: new Map() }));

/** Edits of what is being changed and is not in the state that was read, to try them. */
export function useTrial(): Edit[] {
  const drafts = usePreview((state) => state.drafts);
  const revision = useStore((state) => state.revision);
  return useMemo(() => [...drafts.values()].filter((draft) => draft.revision === null || draft.revision > revision).map((draft) => draft.edit), [drafts, revision]);
}

/** Replaces a draft by what came of its write, unless it was changed meanwhile. */
export function settleDraft(key: string, written: Draft, revision: number | null): void {
  if (view().drafts.get(key) === written) setDraft(key, revision === null ? null : { ...written, revision });
}

export function useSubject(): Subject | null {
  const build = usePreview((state) => state.build);
  const subject = useStore((state) => state.subject);
  const trail = useStore((state) => state.trail);
  const overview = useStore((state) => state.overview);
  return subjectOf({ subject, trail, overview }, build);
}

/** The subject as the server's routes take it. */
export function subjectBody(subject: Subject): { function_id?: number; object_id?: number; output?: string } {
  if (subject.kind === 'build') return {};
  if (subject.kind === 'object') return { object_id: subject.objectId };
  const output = subject.kind === 'function' ? subject.output : undefined;
  return { function_id: subject.functionId, ...(output === undefined ? {} : { output }) };
}
