/** What is drawn, as arrays by index: places, sizes, colours and marks of nodes, and edges between them. */
import { colourAt, type Rgb, type Theme } from './colours';
import type { Knowledge } from './model';
import type { Places } from './places';
import type { Selection } from './store';
import { oneLine } from './text';

export interface Camera {
  /** The point of the graph in the middle of the picture. */
  x: number;
  y: number;
  /** Pixels per unit of the graph. */
  zoom: number;
}

export interface SceneEdge {
  id: string;
  source: number;
  target: number;
}

export interface Scene {
  ids: string[];
  index: Map<string, number>;
  labels: string[];
  places: Float32Array;
  /** Radius in pixels at a zoom at which neighbours are well apart. */
  radii: Float32Array;
  ranks: Int16Array;
  isFunction: Uint8Array;
  isDangling: Uint8Array;
  edges: SceneEdge[];
  /** Nodes with most edges first: the order in which labels find room. */
  byDegree: Uint32Array;
  /** Typical distance between neighbours. */
  spacing: number;
}

const MOST_LABEL = 26;

export interface SceneInput {
  knowledge: Knowledge;
  places: Places;
  /** Rank of the colour of a node; -1 for grey. */
  rank: (id: string) => number;
  isShown: (id: string) => boolean;
  label: (id: string) => string;
}

export function sceneOf({ knowledge, places, rank, isShown, label }: SceneInput): Scene {
  const ids = knowledge.ends().filter((id) => places.has(id) && isShown(id));
  const index = new Map(ids.map((id, at) => [id, at]));
  const count = ids.length;
  const scene: Scene = {
    ids,
    index,
    labels: ids.map((id) => oneLine(label(id), MOST_LABEL)),
    places: new Float32Array(count * 2),
    radii: new Float32Array(count),
    ranks: new Int16Array(count),
    isFunction: new Uint8Array(count),
    isDangling: new Uint8Array(count),
    edges: [],
    byDegree: new Uint32Array(count),
    spacing: 70,
  };
  const degrees = new Float32Array(count);
  ids.forEach((id, at) => {
    scene.places.set(places.get(id) ?? [0, 0], at * 2);
    degrees[at] = knowledge.degree(id);
    scene.radii[at] = Math.min(5 + 1.5 * Math.sqrt(knowledge.degree(id)), 18);
    scene.ranks[at] = rank(id);
    scene.isFunction[at] = knowledge.nodes.has(id) ? 0 : 1;
    scene.isDangling[at] = knowledge.dangling.has(id) ? 1 : 0;
  });
  for (const edge of knowledge.edges.values()) {
    const source = index.get(edge.source);
    const target = index.get(edge.target);
    if (source !== undefined && target !== undefined) scene.edges.push({ id: edge.id, source, target });
  }
  scene.byDegree.set(ids.map((_, at) => at).sort((a, b) => (degrees[b] ?? 0) - (degrees[a] ?? 0)));
  const box = boundsOf(scene);
  if (count > 1 && box) scene.spacing = Math.max(Math.sqrt(((box.right - box.left + 70) * (box.bottom - box.top + 70)) / count), 1);
  return scene;
}

export interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function boundsOf(scene: Scene, only?: Iterable<number>): Box | null {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
  for (const at of only ?? scene.ids.keys()) {
    const [x, y] = placeOf(scene, at);
    box.left = Math.min(box.left, x);
    box.right = Math.max(box.right, x);
    box.top = Math.min(box.top, y);
    box.bottom = Math.max(box.bottom, y);
  }
  return box.left <= box.right ? box : null;
}

export function placeOf(scene: Scene, at: number): [number, number] {
  return [scene.places[at * 2] ?? 0, scene.places[at * 2 + 1] ?? 0];
}

/** The place of a node, or the middle of an edge; null if it is not drawn. */
export function middleOf(scene: Scene, { kind, id }: Selection): [number, number] | null {
  if (kind === 'node') {
    const at = scene.index.get(id);
    return at === undefined ? null : placeOf(scene, at);
  }
  const edge = scene.edges.find((one) => one.id === id);
  if (!edge) return null;
  const [[ax, ay], [bx, by]] = [placeOf(scene, edge.source), placeOf(scene, edge.target)];
  return [(ax + bx) / 2, (ay + by) / 2];
}

/** The camera that shows a box, beside what covers the left of the picture. */
export function fit(box: Box, width: number, height: number, covered = 0, mostZoom = 1.6): Camera {
  const margin = Math.min(56, width * 0.12);
  const free = width - covered;
  const zoom = Math.max(Math.min((free - 2 * margin) / Math.max(box.right - box.left, 1), (height - 2 * margin) / Math.max(box.bottom - box.top, 1), mostZoom), 1e-4);
  return { x: (box.left + box.right) / 2 - covered / 2 / zoom, y: (box.top + box.bottom) / 2, zoom };
}

/** The factor of the radii: nodes shrink with the graph, but stay visible from afar and calm up close. */
export function sizeFactor(scene: Scene, camera: Camera): number {
  const apart = scene.spacing * camera.zoom;
  return Math.min(Math.max(apart / 52, 0.22), 1.15);
}

export function radiusAt(scene: Scene, camera: Camera, at: number): number {
  return Math.max((scene.radii[at] ?? 5) * sizeFactor(scene, camera), 1.6);
}

/** The node at a point of the picture, in pixels from its middle. */
export function nodeAt(scene: Scene, camera: Camera, x: number, y: number, slack = 4): number | null {
  let best: number | null = null;
  let nearest = Infinity;
  for (let at = 0; at < scene.ids.length; at++) {
    const dx = ((scene.places[at * 2] ?? 0) - camera.x) * camera.zoom - x;
    const dy = ((scene.places[at * 2 + 1] ?? 0) - camera.y) * camera.zoom - y;
    const distance = Math.hypot(dx, dy) - radiusAt(scene, camera, at);
    if (distance < slack && distance < nearest) [best, nearest] = [at, distance];
  }
  return best;
}

/** The edge at a point of the picture. */
export function edgeAt(scene: Scene, camera: Camera, x: number, y: number, slack = 5): number | null {
  let best: number | null = null;
  let nearest = slack;
  const [px, py] = [x / camera.zoom + camera.x, y / camera.zoom + camera.y];
  scene.edges.forEach((edge, at) => {
    const [ax, ay] = placeOf(scene, edge.source);
    const [bx, by] = placeOf(scene, edge.target);
    const [dx, dy] = [bx - ax, by - ay];
    const along = Math.min(Math.max(((px - ax) * dx + (py - ay) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    const distance = Math.hypot(ax + along * dx - px, ay + along * dy - py) * camera.zoom;
    if (distance < nearest) [best, nearest] = [at, distance];
  });
  return best;
}

/** The nearest node in a direction, for the arrow keys. */
export function nodeTowards(scene: Scene, from: number, dx: number, dy: number): number | null {
  const [x, y] = placeOf(scene, from);
  let best: number | null = null;
  let least = Infinity;
  for (let at = 0; at < scene.ids.length; at++) {
    const [ox, oy] = [(scene.places[at * 2] ?? 0) - x, (scene.places[at * 2 + 1] ?? 0) - y];
    const ahead = ox * dx + oy * dy;
    const aside = Math.abs(ox * dy - oy * dx);
    if (at === from || ahead <= aside * 0.5) continue;
    const cost = ahead + 2 * aside;
    if (cost < least) [best, least] = [at, cost];
  }
  return best;
}

export function colourOf(scene: Scene, at: number, theme: Theme): Rgb {
  if (scene.isDangling[at]) return theme.bad;
  const rank = scene.ranks[at] ?? -1;
  return rank < 0 ? theme.quiet : colourAt(rank, theme);
}

/** What the person looks at, which everything else steps back for. */
export interface Emphasis {
  /** Nodes in the foreground; null if nothing steps back. */
  nodes: Set<number> | null;
  selected: number | null;
  selectedEdge: string | null;
  hovered: number | null;
  path: Set<number>;
  pathEdges: Set<string>;
  start: number | null;
}
