/** A link: a thin curve in the colour of its type. */
import { BaseEdge, getBezierPath, type Edge, type EdgeProps } from '@xyflow/react';
import { memo } from 'react';

export interface WireData extends Record<string, unknown> {
  type: string;
  isOnPath: boolean;
}

export type WireEdge = Edge<WireData, 'wire'>;

export const Wire = memo(function Wire({ id, sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, data, selected }: EdgeProps<WireEdge>) {
  const [path] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition, curvature: 0.28 });
  const className = `wire ${selected ? 'selected' : ''} ${data?.isOnPath ? 'on-path' : ''}`;
  return <BaseEdge id={id} path={path} className={className} interactionWidth={14} style={{ stroke: `var(--type-${data?.type ?? 'float'}, var(--text-3))` }} />;
});
