/** Scale bar and axes, as in the server's pictures. */
import { directions, roundLength, type Camera } from './camera';
import { AXES } from './state';
import { setStandardView } from './useCamera';
import { number, unitSign } from '../ui/numbers';

const WIDEST = 88;

export function ScaleBar({ pixel, unit }: { pixel: number; unit: string }) {
  const length = roundLength(pixel * WIDEST);
  const width = length / pixel;
  return (
    <div className="scale-bar" style={{ width }} role="img" aria-label={`The bar is ${number(length)} ${unitSign(unit)} long`}>
      <span>
        {number(length)} {unitSign(unit)}
      </span>
    </div>
  );
}

const ARM = 24;
const VIEWS = ['Right', 'Back', 'Top'] as const;

/** The axes; a click looks along one. */
export function Axes({ camera }: { camera: Camera }) {
  const { right, up, forward } = directions(camera);
  const arms = AXES.map((name, axis) => ({ name, axis: axis as 0 | 1 | 2, x: right[axis as 0], y: -up[axis as 0], depth: forward[axis as 0] })).sort((a, b) => b.depth - a.depth);
  return (
    <svg className="axes" width="80" height="80" viewBox="-40 -40 80 80" aria-hidden="true">
      {arms.map(({ name, axis, x, y }) => (
        <g key={name} className={`axis-${name}`} onPointerDown={(event) => event.stopPropagation()} onClick={() => setStandardView(VIEWS[axis])}>
          <line x2={x * ARM} y2={y * ARM} />
          {Math.hypot(x, y) > 0.25 && (
            <text x={x * (ARM + 9)} y={y * (ARM + 9)}>
              {name}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
