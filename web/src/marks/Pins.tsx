/** Pins of the marks on the part, and the tool that marks a place: over the solid, or over a slice. */
import { useRef } from 'react';
import { api, ApiError } from '../api/client';
import { number } from '../ui/numbers';
import { Aim } from '../preview/Aim';
import { diagonal, dot, frameOf, sub, type Box } from '../preview/camera';
import { pickBody, screenOf, type Stage } from '../preview/pointing';
import { heightOf } from '../preview/Slice';
import { usePreview } from '../preview/state';
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
  const stage: Stage = { subject, revision, bounds, cuts, size, z: isSlice ? z : null };
  const place = (mark: Mark): Placed | null => {
    const point = mark.point;
    if (!point || size.width < 2) return null;
    const [x, y] = screenOf(point, stage);
    if (isSlice) return { x, y, isHidden: Math.abs(point[2] - z) > (bounds[1][2] - bounds[0][2]) / 200 };
    const frame = frameOf(camera, bounds, size.width, size.height);
    const from = sub(point, frame.eye);
    const isCut = section !== null && cutsAway(point, section, bounds, frame.forward);
    const isTurnedAway = mark.normal !== null && dot(mark.normal, frame.forward) > 0.02;
    const before = depthAt?.(x / size.width, y / size.height) ?? Infinity;
    const isBehind = before < dot(from, frame.forward) - Math.max(DEPTH_SHARE * diagonal(bounds), DEPTH_PX * frame.pixel);
    return { x, y, isHidden: isCut || isTurnedAway || isBehind };
  };
  async function point(x: number, y: number): Promise<void> {
    const rect = layer.current?.getBoundingClientRect();
    if (!rect) return;
    const at = pickBody(stage, x, y);
    const screen = { x: rect.left + x, y: rect.top + y };
    if (subject.kind === 'port') {
      const { functionId, nodeId, port } = subject;
      setMarks({ draft: { screen, title: port, body: { about: [`fn:${functionId}/${nodeId}`], port } } });
      return;
    }
    try {
      const found = await api.post('/api/projects/{project}/pick', { path: { project }, body: at });
      if (!found.hit || !found.point) {
        notify({ tone: 'info', text: 'There is no material at this place.' });
        return;
      }
      const title = `${found.node ? `${found.node.display_name ?? found.node.node_type} at ` : ''}${found.point.map((part) => number(Number(part.toPrecision(3)))).join(', ')}`;
      setMarks({ draft: { screen, title, body: { at } } });
    } catch (error) {
      if (error instanceof ApiError) refused(error);
      else throw error;
    }
  }
  return (
    <div ref={layer} className="pins">
      {isPointing && <Aim bounds={isSlice ? null : bounds} isCentred={depthAt === null} layer={layer} endKey="m" hint="Click where something is wrong or wanted" onPoint={(x, y) => void point(x, y)} onEnd={() => setMarks({ isPointing: false })} />}
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
