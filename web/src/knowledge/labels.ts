/** Labels on a canvas above the graph: as many as have room, those of well-linked nodes first. */
import { css, type Theme } from './colours';
import { placeOf, radiusAt, type Camera, type Emphasis, type Scene } from './scene';

const CELL_WIDTH = 132;
const CELL_HEIGHT = 34;
const MOST = 140;
/** Labels of a picture in which nodes are closer than CROWDED pixels. */
const MOST_CROWDED = 28;
const CROWDED = 12;
const MOST_DISCS = 16;
const LINE = 15;

export interface PlacedLabel {
  at: number;
  x: number;
  y: number;
}

/** The room that is taken: left, top, right, bottom in pixels. */
export type Taken = [number, number, number, number][];

export function hasRoom(taken: Taken, [left, top, right, bottom]: Taken[number]): boolean {
  return !taken.some((other) => left < other[2] && right > other[0] && top < other[3] && bottom > other[1]);
}

/**
 * Labels with room, from the most important on. Cells are fixed to the graph and their size doubles with the zoom, so
 * that labels stay while the picture is moved.
 */
export function placeLabels(scene: Scene, camera: Camera, emphasis: Emphasis, width: number, height: number, measure: (at: number) => number, boxes: Taken = []): PlacedLabel[] {
  const first = [emphasis.hovered, emphasis.selected, emphasis.start].filter((at) => at !== null);
  const front = [...emphasis.path, ...(emphasis.nodes ?? [])];
  const placed: PlacedLabel[] = [];
  const tried = new Set<number>();
  const step = 2 ** Math.round(Math.log2(camera.zoom));
  const cells = new Set<number>();

  const attempt = (at: number, isForced: boolean) => {
    if (tried.has(at)) return;
    tried.add(at);
    const [px, py] = placeOf(scene, at);
    const x = (px - camera.x) * camera.zoom + width / 2;
    const y = (py - camera.y) * camera.zoom + height / 2;
    if (x < -40 || x > width + 40 || y < -20 || y > height + 20) return;
    if (!isForced) {
      const cell = Math.floor((px * step) / CELL_WIDTH) * 1e6 + Math.floor((py * step) / CELL_HEIGHT);
      if (cells.has(cell)) return;
      cells.add(cell);
    }
    const half = measure(at) / 2 + 3;
    const top = y + radiusAt(scene, camera, at) + 3;
    const box: Taken[number] = [x - half, top, x + half, top + LINE];
    if (!hasRoom(boxes, box) && !first.includes(at)) return;
    boxes.push(box);
    placed.push({ at, x, y: top });
  };

  // Labels keep off the largest discs; keeping off all would leave crowded graphs without labels.
  const discs = emphasis.nodes ? front : [...scene.byDegree.slice(0, MOST_DISCS)];
  if (discs.length <= MOST_DISCS) {
    for (const at of discs) {
      const [px, py] = placeOf(scene, at);
      const radius = radiusAt(scene, camera, at);
      const [x, y] = [(px - camera.x) * camera.zoom + width / 2, (py - camera.y) * camera.zoom + height / 2];
      if (radius > 3) boxes.push([x - radius, y - radius, x + radius, y + radius]);
    }
  }
  for (const at of first) attempt(at, true);
  for (const at of front) if (placed.length < MOST) attempt(at, true);
  if (!emphasis.nodes) {
    const most = scene.spacing * camera.zoom < CROWDED ? MOST_CROWDED : MOST;
    for (const at of scene.byDegree) {
      if (placed.length >= most) break;
      attempt(at, false);
    }
  }
  return placed;
}

const widths = new Map<string, number>();

export function drawLabels(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, emphasis: Emphasis, theme: Theme, width: number, height: number, font: string): Taken {
  context.clearRect(0, 0, width, height);
  context.font = `12px ${font}`;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  const measure = (at: number) => {
    const label = scene.labels[at] ?? '';
    let known = widths.get(label);
    if (known === undefined) {
      if (widths.size > 50_000) widths.clear();
      known = context.measureText(label).width;
      widths.set(label, known);
    }
    return known;
  };
  context.strokeStyle = css(theme.ground, 0.9);
  const taken: Taken = [];
  for (const { at, x, y } of placeLabels(scene, camera, emphasis, width, height, measure, taken)) {
    const isStrong = at === emphasis.selected || at === emphasis.hovered || emphasis.path.has(at);
    const label = scene.labels[at] ?? '';
    context.strokeText(label, x, y);
    context.fillStyle = scene.isDangling[at] ? css(theme.bad) : css(theme.text, isStrong ? 1 : 0.82);
    context.fillText(label, x, y);
  }
  return taken;
}

/** The types of the edges in the foreground, along their middles. */
export function drawEdgeLabels(context: CanvasRenderingContext2D, scene: Scene, camera: Camera, edges: { source: number; target: number; text: string }[], theme: Theme, width: number, height: number, font: string, taken: Taken): void {
  context.font = `11px ${font}`;
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineWidth = 4;
  context.strokeStyle = css(theme.ground, 0.95);
  context.fillStyle = css(theme.quiet);
  for (const { source, target, text } of edges) {
    const [ax, ay] = placeOf(scene, source);
    const [bx, by] = placeOf(scene, target);
    const length = Math.hypot(bx - ax, by - ay) * camera.zoom;
    const half = context.measureText(text).width / 2;
    if (length < half * 2 + 44) continue;
    const x = ((ax + bx) / 2 - camera.x) * camera.zoom + width / 2;
    const y = ((ay + by) / 2 - camera.y) * camera.zoom + height / 2;
    const box: Taken[number] = [x - half - 2, y - 7, x + half + 2, y + 7];
    if (!hasRoom(taken, box)) continue;
    taken.push(box);
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
}
