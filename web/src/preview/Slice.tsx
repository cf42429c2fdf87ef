/** A slice: its contours with their area and perimeter, or the values of the field around it. */
import { useEffect, useRef, useState } from 'react';
import { untilAnswered } from '../api/asking';
import { api, ApiError, raw, url, type Schema } from '../api/client';
import { useNewest } from '../api/useNewest';
import { number, unitSign } from '../ui/numbers';
import type { Subject } from '../store/state';
import { HOME, roundLength, VIEWS, type Box } from './camera';
import { Axes, ScaleBar } from './Marks';
import { subjectBody, usePreview, useTrial } from './state';
import { useSize } from './useSize';

/** Share of the larger side that is left free around the part, with room for the scale below it. */
const MARGIN = 0.12;

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
    /** Length of a pixel. */
    pixel,
    toScreen: (point: readonly number[]): [number, number] => [width / 2 + ((point[0] ?? 0) - x) / pixel, height / 2 - ((point[1] ?? 0) - y) / pixel],
    toPoint: ([left, top]: [number, number]): [number, number] => [x + (left - width / 2) * pixel, y - (top - height / 2) * pixel],
  };
}

const FROM_ABOVE = { ...HOME, ...VIEWS.Top };

export function Slice({ project, subject, revision, bounds, cuts }: Props) {
  const share = usePreview((state) => state.height);
  const [slices, setSlices] = useState<Schema['SlicesShown'] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const z = heightOf(bounds, share);
  const edits = useTrial();
  const area = useRef<HTMLDivElement>(null);
  const size = useSize(area);
  const isField = usePreview((state) => state.isField);
  const body = { ...subjectBody(subject), heights: [z], points: true, edits, ...(cuts ? { bounds } : {}) };
  useNewest(JSON.stringify([project, revision, body]), async (signal) => {
    try {
      const answer = await untilAnswered(() => api.post('/api/projects/{project}/slice', { path: { project }, body: body as never, signal }), signal);
      if (signal.aborted) return;
      setRefusal(null);
      setSlices(answer);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!signal.aborted) setRefusal(error.message);
    }
  });

  const [low, high] = bounds;
  const extent = Math.max(high[0] - low[0], high[1] - low[1]);
  const margin = extent * MARGIN;
  const box = `${low[0] - margin} ${-high[1] - margin} ${high[0] - low[0] + 2 * margin} ${high[1] - low[1] + 2 * margin}`;
  const slice = slices?.slices[0];
  const spacing = roundLength(extent / 4);
  const unit = unitSign(slices?.unit ?? 'millimeter');
  return (
    <div className="slice" data-testid="slice">
      <div ref={area} className="slice-picture">
        {isField && <FieldPicture project={project} subject={subject} revision={revision} bounds={bounds} z={z} size={size} />}
        {!isField && size.width > 2 && <ScaleBar pixel={sliceView(bounds, size).pixel} unit={slices?.unit ?? 'millimeter'} />}
        {!isField && <Axes camera={FROM_ABOVE} />}
      <svg className={isField ? 'covered' : ''} viewBox={box} role="img" aria-label={`Slice at a height of ${number(z)} ${unit}`}>
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
      </div>
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

/** Margin of the server's pictures of fields, as a share of their sides. */
const PLOT_MARGIN = 0.04;

interface FieldProps extends Omit<Props, 'cuts'> {
  z: number;
  size: { width: number; height: number };
}

/** The values of the field in colours, with lines where they are equal: the server draws them where the contours are drawn here. */
function FieldPicture({ project, subject, revision, bounds, z, size }: FieldProps) {
  const edits = useTrial();
  const [picture, setPicture] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { toPoint } = sliceView(bounds, size);
  const corner = ([x, y]: [number, number], height: number) => [...toPoint([size.width * x, size.height * y]), height];
  const around = [corner([PLOT_MARGIN, 1 - PLOT_MARGIN], bounds[0][2]), corner([1 - PLOT_MARGIN, PLOT_MARGIN], bounds[1][2])];
  const density = Math.min(2, Math.max(1, window.devicePixelRatio));
  const pixels = [size.width * density, size.height * density].map(Math.round);
  const body = { ...subjectBody(subject), show: 'field', heights: [z], bounds: around, size: pixels, edits };
  useNewest(size.width < 2 ? null : JSON.stringify([project, revision, body]), async (signal) => {
    try {
      const drawn = await (await untilAnswered(() => raw('POST', url('/api/projects/{project}/render', { project }), body, { signal }), signal)).blob();
      if (signal.aborted) return;
      setRefusal(null);
      setPicture(URL.createObjectURL(drawn));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!signal.aborted) setRefusal(error.message);
    }
  });
  useEffect(() => () => URL.revokeObjectURL(picture ?? ''), [picture]);
  if (refusal !== null) return <p className="note">{refusal}</p>;
  return picture === null ? null : <img src={picture} alt="" draggable={false} data-testid="field" />;
}
