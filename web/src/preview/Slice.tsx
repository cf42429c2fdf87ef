/** Contours of a slice, with its area and perimeter. */
import { useEffect, useState } from 'react';
import { api, ApiError, type Schema } from '../api/client';
import { number, unitSign } from '../ui/numbers';
import type { Subject } from '../store/state';
import { roundLength, type Box } from './camera';
import { subjectBody, usePreview } from './state';

const QUIET_MS = 120;
const MARGIN = 0.07;

interface Props {
  project: string;
  subject: Subject;
  revision: number;
  bounds: Box;
  cuts: boolean;
}

/** The closed polylines as one path; the y axis points up. */
export function pathOf(contours: Schema['ContourInfo'][]): string {
  return contours.map(({ points }) => `M${points.map(([x = 0, y = 0]) => `${Number(x.toPrecision(7))} ${Number((-y).toPrecision(7))}`).join('L')}Z`).join('');
}

export function heightOf([low, high]: Box, share: number): number {
  const extent = high[2] - low[2];
  const step = roundLength(extent / 400);
  return Number((Math.round((low[2] + extent * share) / step) * step).toPrecision(9));
}

/** Between points of the part and pixels of a picture of a slice. */
export function sliceView([low, high]: Box, { width, height }: { width: number; height: number }) {
  const [wide, deep] = [high[0] - low[0], high[1] - low[1]];
  const margin = Math.max(wide, deep) * MARGIN;
  const pixel = Math.max((wide + 2 * margin) / Math.max(width, 1), (deep + 2 * margin) / Math.max(height, 1));
  const [x, y] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2];
  return {
    toScreen: (point: readonly number[]): [number, number] => [width / 2 + ((point[0] ?? 0) - x) / pixel, height / 2 - ((point[1] ?? 0) - y) / pixel],
    toPoint: ([left, top]: [number, number]): [number, number] => [x + (left - width / 2) * pixel, y - (top - height / 2) * pixel],
  };
}

export function Slice({ project, subject, revision, bounds, cuts }: Props) {
  const share = usePreview((state) => state.height);
  const [slices, setSlices] = useState<Schema['SlicesShown'] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const z = heightOf(bounds, share);
  const body = JSON.stringify({ ...subjectBody(subject), heights: [z], points: true, ...(cuts ? { bounds } : {}) });
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api
        .post('/api/projects/{project}/slice', { path: { project }, body: JSON.parse(body) as never, signal: stop.signal })
        .then((answer) => {
          setRefusal(null);
          setSlices(answer);
        })
        .catch((error: unknown) => {
          if (!stop.signal.aborted && error instanceof ApiError && error.code !== 'unreachable') setRefusal(error.message);
        });
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [project, body, revision]);

  const [low, high] = bounds;
  const extent = Math.max(high[0] - low[0], high[1] - low[1]);
  const margin = extent * MARGIN;
  const box = `${low[0] - margin} ${-high[1] - margin} ${high[0] - low[0] + 2 * margin} ${high[1] - low[1] + 2 * margin}`;
  const slice = slices?.slices[0];
  const spacing = roundLength(extent / 4);
  const unit = unitSign(slices?.unit ?? 'millimeter');
  return (
    <div className="slice" data-testid="slice">
      <svg viewBox={box} role="img" aria-label={`Slice at a height of ${number(z)} ${unit}`}>
        <defs>
          <pattern id="slice-grid" width={spacing} height={spacing} patternUnits="userSpaceOnUse">
            <path d={`M${spacing} 0H0V${spacing}`} className="grid" vectorEffect="non-scaling-stroke" />
          </pattern>
          <pattern id="slice-hatch" width={extent / 55} height={extent / 55} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <path d={`M0 0V${extent}`} className="hatch" strokeWidth={extent / 260} />
          </pattern>
        </defs>
        <rect x={low[0] - margin - extent} y={-high[1] - margin - extent} width={extent * 4} height={extent * 4} fill="url(#slice-grid)" />
        {slice?.contours && (
          <>
            <path d={pathOf(slice.contours)} className="material" fillRule="evenodd" />
            <path d={pathOf(slice.contours)} fill="url(#slice-hatch)" fillRule="evenodd" />
            <path d={pathOf(slice.contours)} className="outline" vectorEffect="non-scaling-stroke" />
          </>
        )}
      </svg>
      <p className="slice-facts" aria-live="polite">
        {refusal ??
          (slice
            ? slice.outlines === 0
              ? 'no material at this height'
              : `${number(Number(slice.area.toPrecision(4)))} ${unit}² · ${number(Number(slice.perimeter.toPrecision(4)))} ${unit} around · ${slice.outlines} ${slice.outlines === 1 ? 'contour' : 'contours'}${slice.holes > 0 ? `, ${slice.holes} ${slice.holes === 1 ? 'hole' : 'holes'}` : ''}`
            : '\u00a0')}
        {slice && slice.outlines > 0 && !slice.contours && ' · too many points to draw'}
      </p>
    </div>
  );
}
