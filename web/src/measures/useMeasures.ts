/**
 * Measures of the part: coarse ones that follow while a number is dragged and come soon after each change, then finer ones, which
 * can be cancelled.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import { untilAnswered } from '../api/asking';
import { api, ApiError } from '../api/client';
import { withProgress } from '../api/progress';
import type { Subject } from '../store/state';
import { diagonal, type Box } from '../preview/camera';
import { keyOf } from '../preview/useField';
import { setView, subjectBody, useTrial, view } from '../preview/state';
import { useNewest } from '../api/useNewest';

export interface Figure {
  value: number;
  error: number | null;
  unit: string;
}

export interface Measures {
  volume: Figure | null;
  area: Figure | null;
  mass: Figure | null;
  wall: Figure | null;
  /** Sizes along x, y and z. */
  box: Figure[] | null;
  warnings: string[];
  revision: number;
}

export interface Measuring {
  measures: Measures | null;
  /** True while the shown measures are of an earlier state. */
  isStale: boolean;
  /** Start of the finer measurement, while it goes on. */
  since: number | null;
  /** Share of it that is done, from 0 to 1; null while it is not known. */
  share: number | null;
  refusal: { text: string; hint: string | null } | null;
  cancel: () => void;
}

const QUIET_MS = 500;
/** Cells across the diagonal of the coarse measures, and of those that follow a drag. */
const COARSE = 90;
const FOLLOWING = 60;
/** Measures of a drag that are older are shown as such. */
const LATE_MS = 600;

interface RawFigure {
  value: number;
  error: number;
  unit?: string;
}
interface RawFigures {
  volume?: RawFigure | null;
  area?: RawFigure | null;
  mass?: RawFigure | null;
  wall?: RawFigure | null;
  bounds?: { value: Box; error: number } | null;
}

function cellOf(bounds: Box, across: number): number {
  return Number((diagonal(bounds) / across).toPrecision(3));
}

export function measuresOf(figures: RawFigures, unit: string, warnings: string[], revision: number): Measures {
  const figure = (raw: RawFigure | null | undefined, fallback: string): Figure | null => (raw ? { value: raw.value, error: raw.error, unit: raw.unit ?? fallback } : null);
  const bounds = figures.bounds;
  const box = bounds ? bounds.value[0].map((low, axis) => ({ value: (bounds.value[1][axis] ?? low) - low, error: bounds.error, unit })) : null;
  return { volume: figure(figures.volume, `${unit}^3`), area: figure(figures.area, `${unit}^2`), mass: figure(figures.mass, 'g'), wall: figure(figures.wall, unit), box, warnings, revision };
}

export function useMeasures(project: string, subject: Subject, revision: number, density: number | null, bounds: Box | null, cuts: boolean): Measuring {
  const [measures, setMeasures] = useState<Measures | null>(null);
  const [since, setSince] = useState<number | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const [refusal, setRefusal] = useState<Measuring['refusal']>(null);
  const [isStale, setStale] = useState(true);
  const stop = useRef<AbortController | null>(null);
  const trial = useTrial();
  const isChanging = trial.length > 0;
  const key = keyOf(subject);
  const box = JSON.stringify(bounds);
  useEffect(() => setMeasures(null), [project, key]);
  function ask(more: object, signal: AbortSignal, request?: string) {
    const figures = ['volume', 'area', 'bounds', 'wall', ...(density === null ? [] : ['mass'])];
    const limits = cuts && bounds ? { bounds } : {};
    const body = { ...subjectBody(subject), ...limits, figures, digits: 'full', ...(density === null ? {} : { density }), ...more };
    return api.post('/api/projects/{project}/measure', { path: { project }, body: body as never, signal, ...(request ? { request } : {}) });
  }
  useEffect(() => {
    const current = new AbortController();
    stop.current = current;
    setSince(null);
    setStale(true);
    if (!bounds || isChanging) return;
    const run = async (cell: number | null, request?: string): Promise<void> => {
      const answer = await ask({ ...(cell === null ? {} : { cell }) }, current.signal, request);
      setMeasures(measuresOf(answer.figures as RawFigures, answer.unit, answer.warnings ?? [], answer.revision));
      setRefusal(null);
      setStale(false);
    };
    const timer = setTimeout(() => {
      void (async () => {
        try {
          await untilAnswered(() => run(cellOf(bounds, COARSE)), current.signal);
          setSince(Date.now());
          setShare(null);
          await untilAnswered(() => withProgress((request) => run(null, request), setShare, current.signal), current.signal);
        } catch (error) {
          if (current.signal.aborted || !(error instanceof ApiError)) return;
          // After coarse measures, finer ones that take too long are not missed.
          if (error.code === 'timed_out') return;
          setMeasures(null);
          setRefusal({ text: error.message, hint: error.refusal.hint ?? null });
        } finally {
          if (stop.current === current) setSince(null);
        }
      })();
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      current.abort();
    };
    // `subject` is in `key`, `bounds` in `box`.
  }, [project, key, revision, density, box, cuts, isChanging]);

  const late = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isFollowing = isChanging && bounds !== null;
  useNewest(isFollowing ? JSON.stringify([project, key, revision, density, trial]) : null, async (signal) => {
    if (!bounds) return;
    try {
      const answer = await ask({ cell: cellOf(view().trialBounds ?? bounds, FOLLOWING), edits: trial }, signal);
      const figures = answer.figures as RawFigures;
      if (signal.aborted) return;
      setMeasures(measuresOf(figures, answer.unit, answer.warnings ?? [], answer.revision));
      setView({ trialBounds: figures.bounds?.value ?? null });
      setStale(false);
      clearTimeout(late.current);
      late.current = setTimeout(() => setStale(true), LATE_MS);
    } catch (error) {
      // The picture and the write say what is wrong with these numbers.
      if (!(error instanceof ApiError)) throw error;
    }
  });
  useEffect(() => {
    if (isChanging) return;
    clearTimeout(late.current);
    setView({ trialBounds: null });
  }, [isChanging]);
  const cancel = useCallback(() => {
    stop.current?.abort();
    setSince(null);
  }, []);
  return { measures, isStale, since, share, refusal, cancel };
}
