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
  const [path] = getBezierPath({ sourceX: sourceX - HANDLE_RADIUS, sourceY, targetX: targetX + HANDLE_RADIUS, targetY, sourcePosition, targetPosition, curvature: 0.28 });
  const className = `wire ${selected ? 'selected' : ''} ${data?.isOnPath ? 'on-path' : ''} ${data?.isFaint ? 'faint' : ''}`;
  return <BaseEdge id={id} path={path} className={className} interactionWidth={14} style={{ stroke: `var(--type-${data?.type ?? 'float'}, var(--text-3))` }} />;
});
