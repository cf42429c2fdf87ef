/** The camera of a picture: named views, and turning by dragging and by the arrow keys. */
import { VIEWS as PAGE_VIEWS } from '../preview/camera';

/** Degrees from x towards y, and above the ground; null for four views in one picture. */
export type Orbit = readonly [number, number] | null;

export const VIEW_NAMES = ['Iso', 'Front', 'Right', 'Top'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** Movement in pixels above which a click is a drag. */
const DRAG = 4;
const DEGREES_A_PIXEL = 0.5;
const DEGREES_A_KEY = 15;

export function orbitOf(name: ViewName): Orbit {
  const { azimuth, elevation } = PAGE_VIEWS[name];
  return [azimuth, elevation];
}

/** The camera that arguments of `render` ask for. */
export function orbitGiven({ orbit, view }: Record<string, unknown>): Orbit {
  if (Array.isArray(orbit)) return [Number(orbit[0]), Number(orbit[1])];
  if (view === 'sheet') return null;
  const name = Object.entries(PAGE_VIEWS).find(([name]) => name.toLowerCase() === view)?.[1] ?? PAGE_VIEWS.Iso;
  return [name.azimuth, name.elevation];
}

export function viewName(orbit: Orbit): ViewName | null {
  return VIEW_NAMES.find((name) => String(orbitOf(name)) === String(orbit)) ?? null;
}

interface Actions {
  orbit: () => Orbit;
  turn: (orbit: Orbit) => void;
  click: (event: PointerEvent) => void;
}

export function makeTurnable(image: HTMLImageElement, { orbit, turn, click }: Actions): void {
  let start: { x: number; y: number; orbit: Orbit; isDrag: boolean } | null = null;
  const clamped = (elevation: number) => Math.max(-90, Math.min(90, elevation));
  image.onpointerdown = (event) => {
    start = { x: event.clientX, y: event.clientY, orbit: orbit(), isDrag: false };
    image.setPointerCapture(event.pointerId);
  };
  image.onpointermove = (event) => {
    if (!start?.orbit) return;
    const [right, down] = [event.clientX - start.x, event.clientY - start.y];
    start.isDrag ||= Math.hypot(right, down) > DRAG;
    if (start.isDrag) turn([start.orbit[0] - right * DEGREES_A_PIXEL, clamped(start.orbit[1] + down * DEGREES_A_PIXEL)]);
  };
  image.onpointerup = (event) => {
    if (start && !start.isDrag) click(event);
    start = null;
  };
  image.onpointercancel = () => (start = null);
  image.onkeydown = (event) => {
    const [right = 0, up = 0] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [];
    const from = orbit();
    if (!from || (right === 0 && up === 0)) return;
    event.preventDefault();
    turn([from[0] - right * DEGREES_A_KEY, clamped(from[1] + up * DEGREES_A_KEY)]);
  };
}
