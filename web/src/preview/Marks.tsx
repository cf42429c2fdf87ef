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

/** Colour of a mark beside the picture, which follows the theme. */
function colourOf(selector: string): string {
  const mark = document.querySelector(`.stage ${selector}`);
  return mark ? getComputedStyle(mark).color : '#50535c';
}

/** The picture of a canvas with its scale bar and axes; `density` is the number of its pixels for each of the screen. */
export function withMarks(canvas: HTMLCanvasElement, camera: Camera, pixel: number, unit: string, density: number): HTMLCanvasElement {
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const pen = copy.getContext('2d');
  if (!pen) return canvas;
  pen.drawImage(canvas, 0, 0);
  pen.scale(density, density);
  const [wide, high] = [canvas.width / density, canvas.height / density];
  pen.font = '11px system-ui, sans-serif';
  pen.lineWidth = 1.5;
  const length = roundLength(pixel * WIDEST);
  pen.strokeStyle = pen.fillStyle = colourOf('.scale-bar');
  pen.stroke(new Path2D(`M12 ${high - 17}v5h${length / pixel}v-5`));
  pen.fillText(`${number(length)} ${unitSign(unit)}`, 12, high - 21);
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  for (const { name, x, y } of arms(camera)) {
    pen.strokeStyle = pen.fillStyle = colourOf(`.axis-${name}`);
    pen.stroke(new Path2D(`M${wide - 40} ${high - 40}l${x * ARM} ${y * ARM}`));
    if (Math.hypot(x, y) > 0.25) pen.fillText(name, wide - 40 + x * (ARM + 9), high - 40 + y * (ARM + 9));
  }
  return copy;
}

const ARM = 24;
const VIEWS = ['Right', 'Back', 'Top'] as const;

/** The axes on the screen, those behind first. */
function arms(camera: Camera) {
  const { right, up, forward } = directions(camera);
  return AXES.map((name, axis) => ({ name, axis: axis as 0 | 1 | 2, x: right[axis as 0], y: -up[axis as 0], depth: forward[axis as 0] })).sort((a, b) => b.depth - a.depth);
}

/** The axes; a click looks along one. */
export function Axes({ camera }: { camera: Camera }) {
  return (
    <svg className="axes" width="80" height="80" viewBox="-40 -40 80 80" aria-hidden="true">
      {arms(camera).map(({ name, axis, x, y }) => (
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
