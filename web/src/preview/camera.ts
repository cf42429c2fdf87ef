/** The camera of the preview: a parallel projection that is framed as in the server's pictures. */
export type Vec3 = [number, number, number];
export type Box = [Vec3, Vec3];

export interface Camera {
  /** Direction to the viewer in degrees: from x towards y, and above the ground. */
  azimuth: number;
  elevation: number;
  zoom: number;
  /** Shift of the middle of the picture from the middle of the bounds. */
  pan: Vec3;
}

export interface Frame {
  right: Vec3;
  up: Vec3;
  forward: Vec3;
  /** Point in the middle of the picture, in front of everything. */
  eye: Vec3;
  /** Size of a pixel. */
  pixel: number;
  /** Greatest depth of the bounds. */
  far: number;
}

export const VIEWS = {
  Iso: { azimuth: -45, elevation: 35.264389682754654 },
  Front: { azimuth: -90, elevation: 0 },
  Back: { azimuth: 90, elevation: 0 },
  Left: { azimuth: 180, elevation: 0 },
  Right: { azimuth: 0, elevation: 0 },
  Top: { azimuth: -90, elevation: 90 },
  Bottom: { azimuth: -90, elevation: -90 },
} as const;
export type ViewName = keyof typeof VIEWS;

export const HOME: Camera = { ...VIEWS.Iso, zoom: 1, pan: [0, 0, 0] };

const MARGIN = 0.07;
const MOST_ZOOM = 200;
const LEAST_ZOOM = 0.2;

export const add = (a: Vec3, b: Vec3): Vec3 => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a: Vec3, b: Vec3): Vec3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scale = (a: Vec3, by: number): Vec3 => [a[0] * by, a[1] * by, a[2] * by];
export const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export const centre = ([low, high]: Box): Vec3 => scale(add(low, high), 0.5);
export const size = ([low, high]: Box): Vec3 => sub(high, low);
export const diagonal = (box: Box): number => Math.hypot(...size(box));

/** The box, larger by a share of its diagonal on all sides. */
export function grown(box: Box, share: number): Box {
  const by = diagonal(box) * share;
  return [sub(box[0], [by, by, by]), add(box[1], [by, by, by])];
}

/** The smallest box around two. */
export function union(a: Box, b: Box): Box {
  const low = a[0].map((part, axis) => Math.min(part, b[0][axis] ?? part));
  const high = a[1].map((part, axis) => Math.max(part, b[1][axis] ?? part));
  return [low, high] as Box;
}

export function corners([low, high]: Box): Vec3[] {
  const all: Vec3[] = [];
  for (let index = 0; index < 8; index++) {
    all.push([index & 1 ? high[0] : low[0], index & 2 ? high[1] : low[1], index & 4 ? high[2] : low[2]]);
  }
  return all;
}

/** Directions of the picture. */
export function directions(camera: Camera): Pick<Frame, 'right' | 'up' | 'forward'> {
  const azimuth = (camera.azimuth * Math.PI) / 180;
  const elevation = (camera.elevation * Math.PI) / 180;
  const [flat, rise] = [Math.cos(elevation), Math.sin(elevation)];
  const [along, across] = [Math.cos(azimuth), Math.sin(azimuth)];
  return {
    forward: [-flat * along, -flat * across, -rise],
    up: [-rise * along, -rise * across, flat],
    right: [-across, along, 0],
  };
}

/** The frame of a camera for a picture of `width` x `height` pixels. */
export function frameOf(camera: Camera, box: Box, width: number, height: number): Frame {
  const { right, up, forward } = directions(camera);
  const middle = centre(box);
  let [wide, high, reach] = [0, 0, 0];
  for (const corner of corners(box)) {
    const from = sub(corner, middle);
    wide = Math.max(wide, Math.abs(dot(from, right)));
    high = Math.max(high, Math.abs(dot(from, up)));
    reach = Math.max(reach, Math.abs(dot(from, forward)));
  }
  const half = (side: number) => (Math.max(side, 1) / 2) * (1 - 2 * MARGIN);
  const pixel = Math.max(wide / half(width), high / half(height), Number.MIN_VALUE) / camera.zoom;
  // The shift counts across the picture only, so that the depth stays within the bounds.
  const target = add(middle, sub(camera.pan, scale(forward, dot(camera.pan, forward))));
  const distance = reach * 1.6 + pixel;
  return { right, up, forward, eye: sub(target, scale(forward, distance)), pixel, far: 2 * distance };
}

export function orbited(camera: Camera, dx: number, dy: number): Camera {
  const azimuth = ((((camera.azimuth - dx * 0.45 + 180) % 360) + 360) % 360) - 180;
  const elevation = Math.min(90, Math.max(-90, camera.elevation + dy * 0.45));
  return { ...camera, azimuth, elevation };
}

/** The camera after the picture has moved by some pixels. */
export function panned(camera: Camera, frame: Frame, dx: number, dy: number): Camera {
  const shift = add(scale(frame.right, -dx * frame.pixel), scale(frame.up, dy * frame.pixel));
  return { ...camera, pan: add(camera.pan, shift) };
}

/** The camera after zooming at a place, given in pixels right of and above the middle. */
export function zoomed(camera: Camera, frame: Frame, factor: number, [x, y]: [number, number] = [0, 0]): Camera {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, camera.zoom * factor));
  const kept = 1 - camera.zoom / zoom;
  const shift = add(scale(frame.right, x * frame.pixel * kept), scale(frame.up, y * frame.pixel * kept));
  return { ...camera, zoom, pan: add(camera.pan, shift) };
}

/** The greatest of 1, 2 and 5 times a power of ten that is at most `length`. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const share = length / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}
