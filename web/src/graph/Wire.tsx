/** A link: a thin curve in the colour of its type. */
import { BaseEdge, getBezierPath, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';

export interface WireData extends Record<string, unknown> {
  type: string;
  isOnPath: boolean;
  /** True for a link of a muted node, which is not there. */
  isFaint?: boolean;
}

export type WireEdge = Edge<WireData, 'wire'>;

/** The wire ends in the middle of the port's shape, not at the border of the area that takes the pointer. */
const HANDLE_RADIUS = 9;

export const Wire = memo(function Wire({ id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected }: EdgeProps<WireEdge>) {
  const ends = { sourceY, targetY, sourcePosition, targetPosition, curvature: 0.28 };
  const [path] = getBezierPath({ ...ends, sourceX: sourceX - HANDLE_RADIUS, targetX: targetX + HANDLE_RADIUS });
  // The pointer meets the wire between the ports only, where another wire may begin.
  const [between] = getBezierPath({ ...ends, sourceX, targetX });
  const className = `wire ${selected ? 'selected' : ''} ${data?.isOnPath ? 'on-path' : ''} ${data?.isFaint ? 'faint' : ''}`;
  return (
    <>
      <BaseEdge id={id} path={path} className={className} interactionWidth={0} style={{ stroke: `var(--type-${data?.type ?? 'float'}, var(--text-3))` }} />
      <path d={between} fill="none" strokeOpacity={0} strokeWidth={14} className="react-flow__edge-interaction" />
    </>
  );
});
