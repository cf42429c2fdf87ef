/** The picture of the knowledge graph: WebGL for nodes and edges, a canvas above for labels, pointer and keys. */
import { useEffect, useImperativeHandle, useRef, useState, type KeyboardEvent, type MouseEvent, type PointerEvent, type Ref } from 'react';
import { refused } from '../store/session';
import { markEdge, markKnowledge } from '../marks/store';
import { useStore } from '../store/state';
import { themeOf, type Theme } from './colours';
import { updateNode } from './commit';
import { drawEdgeLabels, drawLabels } from './labels';
import { functionEnd, partName } from './model';
import { painter, type Painter } from './paint';
import { boundsOf, edgeAt, fit, middleOf, nodeAt, nodeTowards, placeOf, sceneOf, type Camera, type Emphasis, type Scene } from './scene';
import { clearPath, expand, focusOn, GLOW_MS, isShown, pickPath, select, showAll, useKnowledge, type Selection } from './store';
import { ServerPicture } from './ServerPicture';
import { oneLine } from './text';

export interface Picture {
  flyTo: (selection: Selection) => void;
  fitAll: () => void;
  zoomBy: (factor: number) => void;
  /** The picture as it is seen. */
  png: () => Promise<Blob | null>;
}

const MOTION_MS = 140;
const isCalm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
const ease = (part: number) => 1 - (1 - part) ** 3;

export const emptyScene = (): Scene => ({
  ids: [],
  index: new Map(),
  labels: [],
  places: new Float32Array(),
  radii: new Float32Array(),
  ranks: new Int16Array(),
  isFunction: new Uint8Array(),
  isDangling: new Uint8Array(),
  edges: [],
  byDegree: new Uint32Array(),
  spacing: 70,
});

/** The drawing itself, outside of React: one frame per change, none at rest. */
class Drawing {
  scene = emptyScene();
  camera: Camera = { x: 0, y: 0, zoom: 1 };
  hovered: number | null = null;
  theme: Theme;
  width = 1;
  height = 1;
  /** Places of nodes on their way to a new layout. */
  private journey: { from: Float32Array; to: Float32Array; began: number } | null = null;
  private flight: { from: Camera; to: Camera; began: number } | null = null;
  private frame = 0;
  private isStale = true;
  private readonly font: string;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly overlay: HTMLCanvasElement,
    readonly paint: Painter,
  ) {
    this.theme = themeOf(overlay.parentElement ?? document.body);
    this.font = getComputedStyle(overlay).fontFamily;
  }

  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    const isFirst = this.width === 1;
    [this.width, this.height] = [width, height];
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    if (isFirst) this.fitAll(false);
    this.draw();
  }

  setScene(scene: Scene, isNewLayout: boolean): void {
    const old = this.scene;
    this.scene = scene;
    this.hovered = null;
    if (isNewLayout && !isCalm() && old.ids.length > 0) {
      const to = scene.places.slice();
      scene.ids.forEach((id, at) => {
        const before = old.index.get(id);
        if (before !== undefined) scene.places.set(placeOf(old, before), at * 2);
      });
      this.journey = { from: scene.places.slice(), to, began: performance.now() };
    } else {
      this.journey = null;
    }
    this.invalidate();
  }

  invalidate(): void {
    this.isStale = true;
    this.request();
  }

  request(): void {
    this.frame ||= requestAnimationFrame((now) => {
      this.frame = 0;
      this.step(now);
    });
  }

  end(): void {
    cancelAnimationFrame(this.frame);
  }

  moveTo(camera: Camera, isSmooth: boolean): void {
    if (isSmooth && !isCalm()) this.flight = { from: this.camera, to: camera, began: performance.now() };
    else {
      this.flight = null;
      this.camera = camera;
    }
    this.request();
  }

  fitAll(isSmooth: boolean, only?: Iterable<number>): void {
    const goal = this.journey ? { ...this.scene, places: this.journey.to } : this.scene;
    const box = boundsOf(goal, only);
    if (box) this.moveTo(fit(box, this.width, this.height, this.legendWidth()), isSmooth);
  }

  /** The legend covers the left; everything else is fitted beside it. */
  private legendWidth(): number {
    return this.width > 640 ? 196 : 0;
  }

  private step(now: number): void {
    if (this.journey) {
      const { from, to, began } = this.journey;
      const part = Math.min((now - began) / MOTION_MS, 1);
      for (let at = 0; at < to.length; at++) this.scene.places[at] = (from[at] ?? 0) + ((to[at] ?? 0) - (from[at] ?? 0)) * ease(Math.max(part, 0));
      if (part >= 1) this.journey = null;
      this.isStale = true;
    }
    if (this.flight) {
      const { from, to, began } = this.flight;
      const part = Math.min(Math.max((now - began) / MOTION_MS, 0), 1);
      const mix = (a: number, b: number) => a + (b - a) * ease(part);
      this.camera = { x: mix(from.x, to.x), y: mix(from.y, to.y), zoom: Math.exp(mix(Math.log(from.zoom), Math.log(to.zoom))) };
      if (part >= 1) this.flight = null;
    }
    const glows = this.glows();
    if (this.isStale || glows.size > 0) {
      this.paint.load(this.scene, this.emphasis(), this.theme, glows);
      // Once more when the last glow is out.
      this.isStale = glows.size > 0;
    }
    this.draw();
    if (this.journey || this.flight || this.isStale) this.request();
  }

  private glows(): Map<number, number> {
    const now = performance.now();
    const found = new Map<number, number>();
    for (const [id, at] of useKnowledge.getState().glows) {
      const age = (now - at) / GLOW_MS;
      const index = this.scene.index.get(id);
      if (age < 1 && index !== undefined) found.set(index, isCalm() ? 0.8 : (1 - age) ** 0.7);
    }
    return found;
  }

  emphasis(): Emphasis {
    const { selection, path, start, knowledge } = useKnowledge.getState();
    const at = (id: string | null | undefined) => (id == null ? null : (this.scene.index.get(id) ?? null));
    const known = (ids: string[]) => new Set(ids.flatMap((id) => this.scene.index.get(id) ?? []));
    const selected = selection?.kind === 'node' ? at(selection.id) : null;
    const selectedEdge = selection?.kind === 'edge' ? selection.id : null;
    const edge = selectedEdge === null ? undefined : knowledge.edges.get(selectedEdge);
    const onPath = known(path?.nodes ?? []);
    let nodes: Set<number> | null = null;
    if (path) nodes = onPath;
    else if (edge) nodes = known([edge.source, edge.target]);
    else if (selected !== null && selection) {
      const near = knowledge.edgesAt(selection.id).map(({ source, target }) => (source === selection.id ? target : source));
      nodes = known([selection.id, ...near]);
    }
    return { nodes, selected, selectedEdge, hovered: this.hovered, path: onPath, pathEdges: new Set(path?.edges), start: at(start) };
  }

  draw(): void {
    const ratio = window.devicePixelRatio || 1;
    const { scene, camera, theme, width, height } = this;
    this.paint.draw(scene, camera, theme, width, height, ratio);
    const context = this.overlay.getContext('2d');
    if (!context) return;
    const emphasis = this.emphasis();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const taken = drawLabels(context, scene, camera, emphasis, theme, width, height, this.font);
    const isNear = (source: number, target: number) => source === emphasis.selected || target === emphasis.selected;
    const shown = scene.edges.filter((edge) => emphasis.pathEdges.has(edge.id) || edge.id === emphasis.selectedEdge || (!emphasis.path.size && isNear(edge.source, edge.target)));
    const { edges } = useKnowledge.getState().knowledge;
    if (shown.length > 0 && shown.length <= 40) {
      const named = shown.map(({ id, source, target }) => ({ source, target, text: oneLine(edges.get(id)?.type ?? '', 24) }));
      drawEdgeLabels(context, scene, camera, named, theme, width, height, this.font, taken);
    }
  }
}

function buildScene(): Scene {
  const state = useKnowledge.getState();
  const { knowledge, places, communities, typeRanks } = state;
  const rank = (id: string) => {
    if (communities) return communities.member.get(id) ?? -1;
    const type = knowledge.nodes.get(id)?.types.find((own) => !state.hiddenTypes.has(own));
    return type === undefined ? -1 : (typeRanks.get(type) ?? -1);
  };
  const { functions } = useStore.getState();
  const label = (id: string) => {
    const end = knowledge.nodes.has(id) ? null : functionEnd(id);
    const known = end && functions.find((one) => one.function_id === end.functionId);
    const part = end && known && partName(end, known);
    return !known ? knowledge.label(id) : part === null ? known.name : `${known.name} · ${part}`;
  };
  return sceneOf({ knowledge, places, rank, isShown: (id) => isShown(state, id), label });
}

export function Canvas({ project, ref, onSearch }: { project: string; ref: Ref<Picture>; onSearch: () => void }) {
  const glCanvas = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<Drawing>(null);
  const drag = useRef<{ x: number; y: number; node: number | null; isMoved: boolean } | null>(null);
  const pointers = useRef(new Map<number, [number, number]>());
  const [isMissing, setMissing] = useState(false);
  const [spoken, setSpoken] = useState('');
  const isHeld = useKnowledge((state) => state.isHeld);

  useEffect(() => {
    if (!glCanvas.current || !overlay.current) return;
    const paint = painter(glCanvas.current);
    if (!paint) {
      setMissing(true);
      return;
    }
    const made = new Drawing(glCanvas.current, overlay.current, paint);
    drawing.current = made;
    made.setScene(buildScene(), false);
    const sizes = new ResizeObserver(([entry]) => entry && made.resize(entry.contentRect.width, entry.contentRect.height));
    sizes.observe(overlay.current);
    const onTheme = () => {
      made.theme = themeOf(overlay.current?.parentElement ?? document.body);
      made.invalidate();
    };
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', onTheme);
    const attributes = new MutationObserver(onTheme);
    attributes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const onRestored = () => location.reload();
    glCanvas.current.addEventListener('webglcontextrestored', onRestored);
    let places = useKnowledge.getState().places;
    const end = useKnowledge.subscribe((state, before) => {
      const isSame = state.version === before.version && state.focus === before.focus && state.hiddenTypes === before.hiddenTypes && state.communities === before.communities && state.typeRanks === before.typeRanks;
      const isNewLayout = state.places !== places;
      const wasEmpty = made.scene.ids.length === 0;
      if (!isSame) {
        made.setScene(buildScene(), isNewLayout && !state.isHeld);
        if (state.version !== before.version) places = state.places;
      }
      if ((isNewLayout && !isSame) || (wasEmpty && made.scene.ids.length > 0) || state.focus !== before.focus) made.fitAll(!before.isHeld && !wasEmpty);
      made.invalidate();
    });
    const endNames = useStore.subscribe((state, before) => state.functions !== before.functions && made.setScene(buildScene(), false));
    return () => {
      end();
      endNames();
      made.end();
      sizes.disconnect();
      attributes.disconnect();
      dark.removeEventListener('change', onTheme);
      drawing.current = null;
    };
  }, []);

  const flyTo = (selection: Selection) => {
    const made = drawing.current;
    const place = made && middleOf(made.scene, selection);
    if (!place) return;
    const [x, y] = place;
    made.moveTo({ x, y, zoom: Math.max(made.camera.zoom, Math.min(60 / made.scene.spacing, 1.6)) }, true);
  };
  const zoomBy = (factor: number, x = 0, y = 0) => {
    const made = drawing.current;
    if (!made) return;
    const { camera } = made;
    const zoom = Math.min(Math.max(camera.zoom * factor, 1e-4), 8);
    const keep = 1 / camera.zoom - 1 / zoom;
    made.moveTo({ x: camera.x + x * keep, y: camera.y + y * keep, zoom }, false);
  };
  const png = () =>
    new Promise<Blob | null>((resolve) => {
      const made = drawing.current;
      if (!made) return resolve(null);
      made.draw();
      const whole = document.createElement('canvas');
      whole.width = made.canvas.width;
      whole.height = made.canvas.height;
      const context = whole.getContext('2d');
      context?.drawImage(made.canvas, 0, 0);
      context?.drawImage(made.overlay, 0, 0);
      whole.toBlob(resolve);
    });
  useImperativeHandle(ref, () => ({ flyTo, fitAll: () => drawing.current?.fitAll(true), zoomBy, png }));

  // React listens to wheels passively, where preventDefault has no effect.
  useEffect(() => {
    const element = overlay.current;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element?.getBoundingClientRect();
      if (!box) return;
      const amount = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      zoomBy(Math.exp(-amount * (event.ctrlKey ? 0.01 : 0.0018)), event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2);
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  }, []);

  const pointOf = (event: { clientX: number; clientY: number }): [number, number] => {
    const box = overlay.current?.getBoundingClientRect();
    return box ? [event.clientX - box.left - box.width / 2, event.clientY - box.top - box.height / 2] : [0, 0];
  };
  const onDown = (event: PointerEvent<HTMLCanvasElement>) => {
    const made = drawing.current;
    if (!made || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const [x, y] = pointOf(event);
    pointers.current.set(event.pointerId, [x, y]);
    drag.current = pointers.current.size > 1 ? null : { x, y, node: nodeAt(made.scene, made.camera, x, y), isMoved: false };
  };
  const onMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const made = drawing.current;
    if (!made) return;
    const [x, y] = pointOf(event);
    const before = pointers.current.get(event.pointerId);
    if (before && pointers.current.size === 2) {
      const [other = [0, 0]] = [...pointers.current].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
      const apart = (point: [number, number]) => Math.hypot(point[0] - (other[0] ?? 0), point[1] - (other[1] ?? 0));
      zoomBy(apart([x, y]) / Math.max(apart(before), 1), ((other[0] ?? 0) + x) / 2, ((other[1] ?? 0) + y) / 2);
    }
    if (before) pointers.current.set(event.pointerId, [x, y]);
    const held = drag.current;
    if (held) {
      if (!held.isMoved && Math.hypot(x - held.x, y - held.y) < 4) return;
      held.isMoved = true;
      const [dx, dy] = [(x - held.x) / made.camera.zoom, (y - held.y) / made.camera.zoom];
      [held.x, held.y] = [x, y];
      if (held.node === null) {
        made.moveTo({ ...made.camera, x: made.camera.x - dx, y: made.camera.y - dy }, false);
      } else {
        const [px, py] = placeOf(made.scene, held.node);
        made.scene.places.set([px + dx, py + dy], held.node * 2);
        made.invalidate();
      }
      return;
    }
    const hovered = nodeAt(made.scene, made.camera, x, y);
    event.currentTarget.style.cursor = hovered === null ? '' : 'pointer';
    if (hovered !== made.hovered) {
      made.hovered = hovered;
      made.invalidate();
    }
  };
  const onUp = (event: PointerEvent<HTMLCanvasElement>) => {
    pointers.current.delete(event.pointerId);
    const made = drawing.current;
    const held = drag.current;
    drag.current = null;
    if (!made || !held) return;
    const id = held.node === null ? null : (made.scene.ids[held.node] ?? null);
    if (held.isMoved) {
      if (held.node === null || id === null) return;
      const place = placeOf(made.scene, held.node);
      useKnowledge.getState().places.set(id, place);
      // A place is stored with its node only where the places of all are.
      if (useKnowledge.getState().arrangement === 'stored' && useKnowledge.getState().knowledge.nodes.has(id)) void updateNode(project, id, { position: place });
      return;
    }
    if (id !== null) choose(id, event.shiftKey);
    else {
      const edge = edgeAt(made.scene, made.camera, held.x, held.y);
      const edgeId = edge === null ? undefined : made.scene.edges[edge]?.id;
      if (edgeId === undefined && useKnowledge.getState().path) clearPath();
      select(edgeId === undefined ? null : { kind: 'edge', id: edgeId });
    }
  };
  const mark = (selection: Selection, screen: { x: number; y: number }) => {
    const { knowledge } = useKnowledge.getState();
    if (selection.kind === 'edge') markEdge(selection.id, `edge ${oneLine(knowledge.edges.get(selection.id)?.type ?? '', 40)}`, screen);
    else markKnowledge(selection.id, oneLine(knowledge.label(selection.id), 60), screen);
  };
  const onMenu = (event: MouseEvent) => {
    const made = drawing.current;
    event.preventDefault();
    if (!made) return;
    const [x, y] = pointOf(event);
    const node = nodeAt(made.scene, made.camera, x, y);
    const edge = node === null ? edgeAt(made.scene, made.camera, x, y) : null;
    const id = node === null ? (edge === null ? undefined : made.scene.edges[edge]?.id) : made.scene.ids[node];
    if (id === undefined) return;
    const selection: Selection = { kind: node === null ? 'edge' : 'node', id };
    select(selection);
    mark(selection, { x: event.clientX, y: event.clientY });
  };
  const choose = (id: string, isPath: boolean) => {
    const { start, selection } = useKnowledge.getState();
    if (start !== null) void pickPath(id).catch(refused);
    else if (isPath && selection?.kind === 'node' && selection.id !== id) void pickPath(selection.id).then(() => pickPath(id)).catch(refused);
    select({ kind: 'node', id });
    const { knowledge } = useKnowledge.getState();
    setSpoken(`${oneLine(knowledge.label(id), 80)}, ${knowledge.nodes.get(id)?.types.join(', ') ?? 'function'}, ${knowledge.degree(id)} edges`);
  };

  const onKey = (event: KeyboardEvent) => {
    const made = drawing.current;
    if (!made || event.ctrlKey || event.metaKey || event.altKey) return;
    const { selection } = useKnowledge.getState();
    const node = selection?.kind === 'node' ? selection.id : null;
    const at = node === null ? undefined : made.scene.index.get(node);
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) {
      made.moveTo({ ...made.camera, x: made.camera.x + (arrow[0] * 80) / made.camera.zoom, y: made.camera.y + (arrow[1] * 80) / made.camera.zoom }, false);
    } else if (arrow) {
      const next = at === undefined ? made.scene.byDegree[0] : nodeTowards(made.scene, at, ...arrow);
      const id = next === null || next === undefined ? undefined : made.scene.ids[next];
      if (id === undefined) return;
      choose(id, false);
      const [x, y] = placeOf(made.scene, next ?? 0);
      const isOut = Math.abs(x - made.camera.x) * made.camera.zoom > made.width / 2 - 60 || Math.abs(y - made.camera.y) * made.camera.zoom > made.height / 2 - 60;
      if (isOut) made.moveTo({ ...made.camera, x, y }, true);
    } else if (event.key === '+' || event.key === '=') zoomBy(1.3);
    else if (event.key === '-') zoomBy(1 / 1.3);
    else if (event.key === '0') made.fitAll(true);
    else if (event.key === '/') onSearch();
    else if (event.key === 'Escape') {
      const { path, start } = useKnowledge.getState();
      if (path || start) clearPath();
      else if (selection) select(null);
      else showAll();
    } else if (event.key === 'M') {
      const box = overlay.current?.getBoundingClientRect();
      const place = selection && middleOf(made.scene, selection);
      if (!box || !place) return;
      const { camera } = made;
      mark(selection, { x: box.left + box.width / 2 + (place[0] - camera.x) * camera.zoom, y: box.top + box.height / 2 + (place[1] - camera.y) * camera.zoom });
    } else if (node !== null && event.key === 'p') void pickPath(node).catch(refused);
    else if (node !== null && event.key === 'f') void focusOn(node).catch(refused);
    else if (node !== null && event.key === 'e') void expand(node).catch(refused);
    else if (node !== null && event.key === 'Enter') document.querySelector<HTMLElement>('.kg-details input, .kg-details button')?.focus();
    else return;
    event.preventDefault();
  };

  if (isMissing) return <ServerPicture />;
  return (
    <div className="kg-canvas" data-held={isHeld}>
      <canvas ref={glCanvas} />
      <canvas
        ref={overlay}
        tabIndex={0}
        role="application"
        aria-label="Knowledge graph. Arrow keys go from node to node, Enter opens the details, F focuses, E expands, P picks the ends of a path, Shift M marks, slash searches."
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onUp}
        onContextMenu={onMenu}
        onPointerLeave={() => {
          const made = drawing.current;
          if (made && made.hovered !== null) {
            made.hovered = null;
            made.invalidate();
          }
        }}
        onDoubleClick={(event) => {
          const made = drawing.current;
          const at = made && nodeAt(made.scene, made.camera, ...pointOf(event));
          const id = at === null || at === undefined ? undefined : made?.scene.ids[at];
          if (id !== undefined) void focusOn(id).catch(refused);
        }}
        onKeyDown={onKey}
      />
      <p className="visually-hidden" role="status">
        {spoken}
      </p>
    </div>
  );
}
