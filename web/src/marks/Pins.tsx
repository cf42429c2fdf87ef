/** Pins of the marks on the part, and the tool that marks a place: over the solid, or over a slice. */
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { api, ApiError, type Schema } from '../api/client';
import { number } from '../ui/numbers';
import { add, diagonal, dot, frameOf, scale, sub, type Box } from '../preview/camera';
import { pictureOptions } from '../preview/Solid';
import { heightOf, sliceView } from '../preview/Slice';
import { subjectBody, usePreview, view } from '../preview/state';
import { useSize } from '../preview/useSize';
import { refused } from '../store/session';
import { notify, type Subject } from '../store/state';
import { isOpen, type Mark, type Point } from './model';
import { setMarks, showMark, useMarks } from './store';
import './marks.css';

interface Props {
  project: string;
  subject: Subject;
  revision: number;
  bounds: Box;
  cuts: boolean;
  isSlice: boolean;
}

/** Depths that differ by less are the same place: a share of the part's diagonal, and pixels where the surface is steep. */
const DEPTH_SHARE = 0.01;
const DEPTH_PX = 8;

/** Place on the screen, and whether it lies behind material or off the slice. */
interface Placed {
  x: number;
  y: number;
  isHidden: boolean;
}

function isAbout(mark: Mark, subject: Subject): boolean {
  if (!mark.point) return false;
  if (subject.kind === 'build') return mark.functionId === null && mark.objectId === null;
  if (subject.kind === 'object') return mark.objectId === subject.objectId;
  return mark.functionId === subject.functionId;
}

export function Pins({ project, subject, revision, bounds, cuts, isSlice }: Props) {
  const layer = useRef<HTMLDivElement>(null);
  const size = useSize(layer);
  const marks = useMarks((state) => state.marks);
  const selected = useMarks((state) => state.selected);
  const isPointing = useMarks((state) => state.isPointing);
  const camera = usePreview((state) => state.camera);
  const section = usePreview((state) => state.section);
  const depthAt = usePreview((state) => state.depthAt);
  const share = usePreview((state) => state.height);
  const z = heightOf(bounds, share);
  const place = (mark: Mark): Placed | null => {
    const point = mark.point;
    if (!point || size.width < 2) return null;
    if (isSlice) {
      const { toScreen } = sliceView(bounds, size);
      const [x, y] = toScreen(point);
      return { x, y, isHidden: Math.abs(point[2] - z) > (bounds[1][2] - bounds[0][2]) / 200 };
    }
    const frame = frameOf(camera, bounds, size.width, size.height);
    const from = sub(point, frame.eye);
    const isCut = section !== null && cutsAway(point, section, bounds, frame.forward);
    const [x, y] = [size.width / 2 + dot(from, frame.right) / frame.pixel, size.height / 2 - dot(from, frame.up) / frame.pixel];
    const isTurnedAway = mark.normal !== null && dot(mark.normal, frame.forward) > 0.02;
    const before = depthAt?.(x / size.width, y / size.height) ?? Infinity;
    const isBehind = before < dot(from, frame.forward) - Math.max(DEPTH_SHARE * diagonal(bounds), DEPTH_PX * frame.pixel);
    return { x, y, isHidden: isCut || isTurnedAway || isBehind };
  };
  async function point(x: number, y: number): Promise<void> {
    const rect = layer.current?.getBoundingClientRect();
    if (!rect) return;
    let at: object;
    const base = { ...subjectBody(subject), revision, ...(cuts ? { bounds } : {}) };
    if (isSlice) {
      const [px, py] = sliceView(bounds, size).toPoint([x, y]);
      at = { ...base, point: [px, py, z], orbit: [-90, 90], section: { z } };
    } else {
      const frame = frameOf(camera, bounds, size.width, size.height);
      const across = add(scale(frame.right, (x - size.width / 2) * frame.pixel), scale(frame.up, (size.height / 2 - y) * frame.pixel));
      at = { ...base, ray: { origin: add(frame.eye, across), direction: frame.forward }, ...pictureOptions(view().camera, section, bounds) };
    }
    const screen = { x: rect.left + x, y: rect.top + y };
    if (subject.kind === 'port') {
      const { functionId, nodeId, port } = subject;
      setMarks({ draft: { screen, title: port, body: { about: [`fn:${functionId}/${nodeId}`], port } } });
      return;
    }
    try {
      const found = await api.post('/api/projects/{project}/pick', { path: { project }, body: at as Schema['PickPart'] });
      if (!found.hit || !found.point) {
        notify({ tone: 'info', text: 'There is no material at this place.' });
        return;
      }
      const title = `${found.node ? `${found.node.display_name ?? found.node.node_type} at ` : ''}${found.point.map((part) => number(Number(part.toPrecision(3)))).join(', ')}`;
      setMarks({ draft: { screen, title, body: { at: at as Schema['PickPart'] } } });
    } catch (error) {
      if (error instanceof ApiError) refused(error);
      else throw error;
    }
  }
  return (
    <div ref={layer} className="pins">
      {isPointing && <Aim layer={layer} onPoint={(x, y) => void point(x, y)} />}
      {marks.filter((mark) => isAbout(mark, subject)).map((mark) => {
        const at = place(mark);
        if (!at || (!isOpen(mark) && mark.id !== selected)) return null;
        return (
          <button
            key={mark.id}
            className={`pin ${mark.status} ${at.isHidden ? 'hidden-pin' : ''} ${mark.id === selected ? 'selected' : ''}`}
            style={{ transform: `translate(${at.x}px, ${at.y}px)` }}
            aria-label={`Mark: ${mark.text}${at.isHidden ? ', behind' : ''}`}
            title={mark.text}
            onClick={() => showMark(mark.id)}
          />
        );
      })}
    </div>
  );
}

function cutsAway(point: Point, section: { axis: 0 | 1 | 2; share: number }, bounds: Box, forward: Point): boolean {
  const { axis, share } = section;
  const at = bounds[0][axis] + (bounds[1][axis] - bounds[0][axis]) * share;
  const slack = (bounds[1][axis] - bounds[0][axis]) * 1e-6;
  return forward[axis] <= 1e-9 ? point[axis] > at + slack : point[axis] < at - slack;
}

const STEP_PX = 12;

/** Takes the click that marks a place; arrow keys move its cross. */
function Aim({ layer, onPoint }: { layer: RefObject<HTMLDivElement | null>; onPoint: (x: number, y: number) => void }) {
  const element = useRef<HTMLDivElement>(null);
  const [cross, setCross] = useState<{ x: number; y: number } | null>(null);
  useEffect(() => element.current?.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    const box = layer.current?.getBoundingClientRect();
    if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
    const now = cross ?? { x: box.width / 2, y: box.height / 2 };
    const step = event.shiftKey ? 1 : STEP_PX;
    const move = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (move) {
      const [dx = 0, dy = 0] = move;
      setCross({ x: Math.max(0, Math.min(box.width, now.x + dx)), y: Math.max(0, Math.min(box.height, now.y + dy)) });
    } else if (event.key === 'Enter' || event.key === ' ') onPoint(now.x, now.y);
    else if (event.key === 'Escape' || event.key.toLowerCase() === 'm') setMarks({ isPointing: false });
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={element}
      className="aim"
      tabIndex={0}
      role="application"
      aria-label="Point at a place of the part: click, or move the cross with the arrow keys and press Enter. Escape ends it."
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect();
        const at = { x: event.clientX - box.left, y: event.clientY - box.top };
        setCross(at);
        onPoint(at.x, at.y);
      }}
    >
      {cross && <span className="cross" style={{ transform: `translate(${cross.x}px, ${cross.y}px)` }} aria-hidden="true" />}
      <p className="aim-hint">Click where something is wrong or wanted</p>
    </div>
  );
}
