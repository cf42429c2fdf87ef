/** The part in space: drawn here from the shader of its function, or by the server. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { raw, url, ApiError } from '../api/client';
import { withProgress } from '../api/progress';
import { untilAnswered } from '../api/asking';
import { useNewest } from '../api/useNewest';
import type { Subject } from '../store/state';
import { frameOf, union, type Box, type Camera, type Vec3 } from './camera';
import { Axes, ScaleBar } from './Marks';
import { Renderer, type FieldProgram } from './renderer';
import { programOf, renamed } from './source';
import { AXES, setView, subjectBody, usePreview, useTrial, view } from './state';
import { useBackdrop } from './theme';
import { useCamera } from './useCamera';
import type { Field } from './useField';
import { useSize } from './useSize';

const HELP = 'Picture of the part. Arrow keys turn it, with Shift they move it, plus and minus zoom, 0 to 6 are standard views.';

/** Numbers that are being changed, by node. */
function useDrafts(): ReadonlyMap<string, number[]> {
  const drafts = usePreview((state) => state.drafts);
  return useMemo(() => new Map([...drafts].map(([key, draft]) => [key, draft.numbers])), [drafts]);
}

interface LiveProps {
  field: Field;
  onFailed: (reason: string) => void;
  /** Receives the canvas, for pictures of the present view. */
  onCanvas: (canvas: HTMLCanvasElement | null) => void;
}

export function LiveSolid({ field, onFailed, onCanvas }: LiveProps) {
  const frameElement = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const renderer = useRef<Renderer | null>(null);
  const [isCompiled, setCompiled] = useState(false);
  const [generation, setGeneration] = useState(0);
  const camera = usePreview((state) => state.camera);
  const section = usePreview((state) => state.section);
  const trialBounds = usePreview((state) => state.trialBounds);
  const drafts = useDrafts();
  const backdrop = useBackdrop();
  const size = useSize(frameElement);
  const handlers = useCamera(frameElement, field.bounds);

  useEffect(() => {
    const target = canvas.current;
    if (!target) return;
    try {
      renderer.current = new Renderer(target);
    } catch (error) {
      return onFailed(error instanceof Error ? error.message : String(error));
    }
    const made = renderer.current;
    made.onBegun = () => {
      target.dataset.level = '';
    };
    made.onDrawn = (level) => {
      target.dataset.drawn = String(Number(target.dataset.drawn ?? 0) + 1);
      target.dataset.level = String(level);
      setView({ depthAt: (x, y) => made.depthAt(x, y) });
    };
    made.onFailed = onFailed;
    const onLost = (event: Event) => event.preventDefault();
    const onRestored = () => setGeneration((count) => count + 1);
    target.addEventListener('webglcontextlost', onLost);
    target.addEventListener('webglcontextrestored', onRestored);
    onCanvas(target);
    return () => {
      target.removeEventListener('webglcontextlost', onLost);
      target.removeEventListener('webglcontextrestored', onRestored);
      onCanvas(null);
      renderer.current = null;
      setView({ depthAt: null });
      made.dispose();
    };
    // The callbacks only report.
  }, [generation]);

  const programs = useMemo((): [FieldProgram, FieldProgram | null] => {
    const before = field.before ? renamed(programOf(field.before, new Map()), 'before') : null;
    return [programOf(field.shader, field.isPast ? new Map() : drafts), before];
  }, [field.shader, field.before, field.isPast, drafts]);

  useEffect(() => {
    let isCurrent = true;
    renderer.current?.setField(...programs).then(
      () => isCurrent && setCompiled(true),
      (error: unknown) => isCurrent && onFailed(error instanceof Error ? error.message : String(error)),
    );
    return () => {
      isCurrent = false;
    };
  }, [programs, generation]);

  useEffect(() => {
    const density = Math.min(2, Math.max(1, window.devicePixelRatio));
    renderer.current?.resize(Math.round(size.width * density), Math.round(size.height * density));
  }, [size, generation]);

  useEffect(() => {
    if (size.width < 2) return;
    const { bounds, cuts } = field;
    const frame = frameOf(camera, bounds, size.width, size.height);
    let plane = null;
    if (section) {
      const { axis, share } = section;
      const place = bounds[0][axis] + (bounds[1][axis] - bounds[0][axis]) * share;
      // What is nearer to the viewer is removed, as in the server's pictures.
      const side = frame.forward[axis] <= 1e-9 ? 1 : -1;
      const normal: Vec3 = [0, 0, 0];
      normal[axis] = side;
      plane = { normal, at: side * place };
    }
    // The view stays while the part grows.
    renderer.current?.setScene({ frame, bounds: trialBounds ? union(bounds, trialBounds) : bounds, cuts, section: plane, ...backdrop });
  }, [field.bounds, field.cuts, trialBounds, camera, section, size, backdrop, generation]);

  const frame = size.width < 2 ? null : frameOf(camera, field.bounds, size.width, size.height);
  return (
    <div ref={frameElement} className="solid" tabIndex={0} role="application" aria-label={HELP} {...handlers}>
      <canvas key={generation} ref={canvas} className={isCompiled ? '' : 'waits'} data-testid="solid" />
      {frame && <ScaleBar pixel={frame.pixel} unit={field.shader.unit} />}
      <Axes camera={camera} />
    </div>
  );
}

interface PictureProps {
  project: string;
  subject: Subject;
  revision: number;
  onBlob: (blob: Blob | null) => void;
  onRefused: (error: ApiError) => void;
}

const QUIET_MS = 60;

/** The picture that the server draws, from the same camera. */
export function ServerSolid({ project, subject, revision, onBlob, onRefused }: PictureProps) {
  const element = useRef<HTMLDivElement>(null);
  const camera = usePreview((state) => state.camera);
  const section = usePreview((state) => state.section);
  const bounds = usePreview((state) => state.bounds);
  const size = useSize(element);
  const [picture, setPicture] = useState<string | null>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  const [share, setShare] = useState<number | null>(null);
  const edits = useTrial();
  const handlers = useCamera(element, bounds ?? [[-1, -1, -1], [1, 1, 1]], true);
  useEffect(() => setView({ camera: { ...view().camera, pan: [0, 0, 0] } }), []);
  const body = { ...subjectBody(subject), ...pictureOptions(camera, section, bounds), size: [Math.round(size.width), Math.round(size.height)], edits };
  const key = size.width < 2 ? null : JSON.stringify([project, revision, body]);
  const isBusy = drawn !== key;
  useNewest(
    key,
    async (signal) => {
      setShare(null);
      try {
        const draw = (request: string) => raw('POST', url('/api/projects/{project}/render', { project }), body, { signal, request });
        const blob = await (await untilAnswered(() => withProgress(draw, setShare, signal), signal)).blob();
        if (signal.aborted) return;
        onBlob(blob);
        setPicture((old) => {
          if (old) URL.revokeObjectURL(old);
          return URL.createObjectURL(blob);
        });
        setDrawn(key);
      } catch (error) {
        if (signal.aborted || !(error instanceof ApiError)) throw error;
        setDrawn(key);
        onRefused(error);
      }
    },
    QUIET_MS,
  );
  return (
    <div ref={element} className="solid server" tabIndex={0} role="application" aria-label={HELP} aria-busy={isBusy} {...handlers}>
      {picture ? <img src={picture} alt="" draggable={false} data-testid="picture" /> : <div className="skeleton" aria-hidden="true" />}
      {isBusy && share !== null && <span className="drawing">drawing, {Math.floor(share * 100)} %</span>}
    </div>
  );
}

export function pictureOptions(camera: Camera, section: { axis: 0 | 1 | 2; share: number } | null, bounds: Box | null): object {
  const orbit = [camera.azimuth, camera.elevation];
  const options = { orbit, zoom: camera.zoom };
  if (!section || !bounds) return options;
  const [low, high] = bounds;
  return { ...options, section: { [AXES[section.axis]]: low[section.axis] + (high[section.axis] - low[section.axis]) * section.share } };
}
