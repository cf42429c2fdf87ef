/** The canvas of the open function. */
import { Background, BackgroundVariant, getViewportForBounds, MiniMap, ReactFlow, ReactFlowProvider, SelectionMode, useReactFlow, useStore as useFlow, type Connection, type EdgeChange, type FinalConnectionState, type NodeChange, type ReactFlowInstance } from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { openFunction } from '../store/session';
import { get, set, useStore } from '../store/state';
import { Palette, type Wanted } from '../palette/Palette';
import { joinFrame, placeComment, removeNotes } from './annotate';
import { addNode, connect, connectAll, disconnect, insertIntoWire, moveNodes, paste, swapKind, tidy } from './commands';
import { Breadcrumbs } from './Breadcrumbs';
import { candidates, type Candidates } from './candidates';
import { elements, wireAt } from './elements';
import './graph.css';
import type { Place } from './model';
import { CommentCard, FrameCard } from './NoteCards';
import { commentNodes, DRAFT, frameBelow, frameNodes, noteId, type CanvasNode } from './noteElements';
import { useNotes, useNotesOf, type Comment } from './notes';
import { NodeCard } from './NodeCard';
import { Probe } from './Probe';
import { Toolbar } from './Toolbar';
import { calledFunction } from './types';
import { useCanvasKeys } from './useCanvasKeys';
import { useProbe } from './useProbe';
import { useScene } from './useScene';
import { Wire, type WireEdge } from './Wire';

const NODE_TYPES = { card: NodeCard, frame: FrameCard, comment: CommentCard };
const EDGE_TYPES = { wire: Wire };
/** Zoom below which rows of cards are 8 pixels high. */
const FAR = 0.35;
/** Time for the server's layout to be shown. */
const LAYOUT_MS = 200;
const FIT = { padding: 0.16, maxZoom: 1.1, minZoom: 0.2 };

export function GraphView() {
  return (
    <ReactFlowProvider>
      <Canvas />
    </ReactFlowProvider>
  );
}

function Canvas() {
  const scene = useScene();
  useProbe(scene);
  const flow = useReactFlow<CanvasNode, WireEdge>();
  const project = useStore((state) => state.project);
  const notes = useNotes();
  useNotesOf(project, scene?.graph.function_id);
  const places = useStore((state) => state.places);
  const selection = useStore((state) => state.selection);
  const [drag, setDrag] = useState<Map<number, Place>>(new Map());
  const [wires, setWires] = useState<Set<string>>(new Set());
  const [picked, setPicked] = useState<Set<string>>(new Set());
  const [noteDrag, setNoteDrag] = useState<Map<string, Place>>(new Map());
  const [draft, setDraft] = useState<Comment | null>(null);
  const [hovered, setHovered] = useState<string | null>(null);
  // Texts that are too small to be read are not drawn.
  const isFar = useFlow((state) => state.transform[2] < FAR);
  const [palette, setPalette] = useState<Wanted | null>(null);
  const [fitting, setFitting] = useState<Candidates | null>(null);
  const pointer = useRef<Place>({ x: 0, y: 0 });
  const frame = useRef<HTMLDivElement>(null);

  const { nodes: cards, edges } = useMemo(
    () => elements(scene, places, drag, selection, wires, hovered, get().functions, notes.mutes),
    [scene, places, drag, selection, wires, hovered, notes.mutes],
  );
  const frames = useMemo(() => frameNodes(notes.frames, cards, picked), [notes.frames, cards, picked]);
  const nodes = useMemo((): CanvasNode[] => {
    const comments = draft ? [...notes.comments, draft] : notes.comments;
    return [...frames, ...cards, ...commentNodes(comments, cards, noteDrag, picked)];
  }, [frames, cards, notes.comments, draft, noteDrag, picked]);

  const functionId = scene?.graph.function_id;
  const isPlaced = cards.length > 0;
  // The view follows the graph while it grows, until the person works in it.
  const isMoved = useRef(false);
  useEffect(() => {
    isMoved.current = false;
  }, [functionId]);
  useEffect(() => {
    if (isPlaced && !isMoved.current) begin(flow, frame.current);
  }, [functionId, isPlaced, places, notes.comments, notes.frames, flow]);
  useEffect(() => {
    const watch = new ResizeObserver(() => !isMoved.current && begin(flow, frame.current));
    if (frame.current) watch.observe(frame.current);
    return () => watch.disconnect();
  }, [flow]);
  useEffect(() => {
    setWires(new Set());
    setPicked(new Set());
    setDraft(null);
  }, [functionId]);

  /** The pointer on the canvas, or the middle of what is seen. */
  function pointed(): Place {
    const box = frame.current?.getBoundingClientRect();
    const { x, y } = pointer.current;
    const isInside = box && x > box.left && x < box.right && y > box.top && y < box.bottom;
    return flow.screenToFlowPosition(isInside ? { x, y } : { x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: (box?.top ?? 0) + (box?.height ?? 0) / 2 });
  }

  const openPalette = useCallback((wanted: Partial<Wanted> = {}) => {
    const box = frame.current?.getBoundingClientRect();
    const at = wanted.screen ?? (pointer.current.x > 0 ? pointer.current : { x: (box?.left ?? 0) + (box?.width ?? 0) / 2, y: (box?.top ?? 0) + 120 });
    setPalette({ mode: 'add', ...wanted, screen: at });
  }, []);

  /** Begins a comment: below the node if one is selected, else at a place. */
  function comment(at: Place): void {
    const [only, ...others] = get().selection;
    setDraft({ id: DRAFT, text: '', nodeId: only !== undefined && others.length === 0 ? only : null, at });
  }

  async function tidyUp(): Promise<void> {
    await tidy();
    setTimeout(() => void flow.fitView(FIT), LAYOUT_MS);
  }

  useCanvasKeys({
    focus: () => frame.current?.focus(),
    wires,
    picked,
    clear: () => {
      setWires(new Set());
      setPicked(new Set());
    },
    removePicked: () => void removeNotes([...picked]),
    comment: () => comment(pointed()),
    paste: () => void paste(pointed()),
    openPalette: () => openPalette(),
    openSwap: (nodeId) => openPalette({ mode: 'swap', nodeId }),
    tidy: () => void tidyUp(),
    fit: () => void flow.fitView(FIT),
  });

  useEffect(() => {
    const onSwap = (event: Event) => openPalette({ mode: 'swap', nodeId: (event as CustomEvent<number>).detail });
    const onShow = (event: Event) => void flow.fitView({ nodes: [(event as CustomEvent<number | number[]>).detail].flat().map((id) => ({ id: String(id) })), maxZoom: 1.1, minZoom: 0.4, duration: 140 });
    const onComment = () => setDraft(null);
    window.addEventListener('fibula-comment', onComment);
    window.addEventListener('fibula-swap', onSwap);
    window.addEventListener('fibula-show', onShow);
    return () => {
      window.removeEventListener('fibula-comment', onComment);
      window.removeEventListener('fibula-swap', onSwap);
      window.removeEventListener('fibula-show', onShow);
    };
  }, [flow, openPalette]);

  function onNodesChange(changes: NodeChange<CanvasNode>[]): void {
    let selected: Set<number> | null = null;
    let notesPicked: Set<string> | null = null;
    const moved: [number, Place][] = [];
    for (const change of changes) {
      if (change.type !== 'select' && change.type !== 'position') continue;
      const note = noteId(change.id);
      if (change.type === 'select') {
        if (note === null) {
          selected ??= new Set(get().selection);
          if (change.selected) selected.add(Number(change.id));
          else selected.delete(Number(change.id));
        } else {
          notesPicked ??= new Set(picked);
          if (change.selected) notesPicked.add(note);
          else notesPicked.delete(note);
        }
      } else if (change.position) {
        if (note === null) moved.push([Number(change.id), change.position]);
        else if (frames.some((one) => one.id === change.id)) moved.push(...movedWith(change.id, change.position));
        else setNoteDrag((old) => new Map(old).set(note, change.position as Place));
      }
    }
    if (moved.length > 0) setDrag((old) => new Map([...old, ...moved]));
    const stepped = changes.some((change) => change.type === 'position' && change.dragging === false);
    if (stepped && moved.length > 0 && !isDragging.current) void moveNodes(new Map(moved)).then(() => setDrag(new Map()));
    if (selected) set({ selection: [...selected] });
    if (notesPicked) setPicked(notesPicked);
  }

  /** The nodes that move with a frame. */
  function movedWith(key: string, to: Place): [number, Place][] {
    const from = frames.find((one) => one.id === key);
    if (!from) return [];
    return cards.flatMap((card): [number, Place][] => {
      if (!from.data.frame.members.has(Number(card.id))) return [];
      return [[Number(card.id), { x: card.position.x + to.x - from.position.x, y: card.position.y + to.y - from.position.y }]];
    });
  }

  const isDragging = useRef(false);

  async function onDragStop(_: unknown, node: CanvasNode, all: CanvasNode[]): Promise<void> {
    isDragging.current = false;
    // The places are those of the event: what is drawn may be some moves behind.
    for (const { type, data, position } of all) {
      if (type !== 'comment') continue;
      const { id, at } = data.comment;
      if (at?.x !== position.x || at.y !== position.y) void placeComment(id, position).then(() => setNoteDrag(new Map()));
    }
    const moved = new Map(all.flatMap((one) => (one.type === 'frame' ? movedWith(one.id, one.position) : [])));
    for (const one of all) if (one.type === 'card') moved.set(Number(one.id), one.position);
    const wasMoved = [...moved].some(([id, at]) => {
      const before = places.get(id);
      return !before || Math.hypot(before.x - at.x, before.y - at.y) > 1;
    });
    if (!wasMoved) return setDrag(new Map());
    const single = all.length === 1 && node.type === 'card' ? node : null;
    const wire = single && scene && isLoose(Number(single.id)) ? wireAt(single, cards, edges) : null;
    const end = wire && targetOf(wire);
    const isInserted = end ? await insertIntoWire(Number(node.id), end, node.position) : false;
    if (!isInserted) await moveNodes(moved);
    const below = single && frameBelow(single, frames);
    if (below) await joinFrame(below, Number(node.id));
    setDrag(new Map());
  }

  /** True if no link starts or ends at a node. */
  function isLoose(id: number): boolean {
    return !edges.some((edge) => edge.source === String(id) || edge.target === String(id));
  }

  function targetOf(edge: WireEdge): { node_id: number; name: string } {
    return { node_id: Number(edge.target), name: (edge.targetHandle ?? '').slice(3) };
  }

  function ends(connection: Connection) {
    const source = { node_id: Number(connection.source), name: (connection.sourceHandle ?? '').slice(4) };
    const target = { node_id: Number(connection.target), name: (connection.targetHandle ?? '').slice(3) };
    return { source, target };
  }

  function onConnectEnd(event: MouseEvent | TouchEvent, state: FinalConnectionState): void {
    setFitting(null);
    if (state.isValid !== null || !state.fromHandle || state.toNode) return;
    const screen = 'clientX' in event ? { x: event.clientX, y: event.clientY } : pointer.current;
    const id = state.fromHandle.id ?? '';
    const end = { node_id: Number(state.fromNode?.id), name: id.slice(id.indexOf(':') + 1) };
    openPalette({ screen, wire: state.fromHandle.type === 'source' ? { from: end } : { to: end } });
  }

  function onEdgesChange(changes: EdgeChange<WireEdge>[]): void {
    const next = new Set(wires);
    for (const change of changes) {
      if (change.type !== 'select') continue;
      if (change.selected) next.add(change.id);
      else next.delete(change.id);
    }
    setWires(next);
  }

  return (
    <div
      className={`graph ${fitting ? 'connecting' : ''} ${isFar ? 'far' : ''}`}
      ref={frame}
      tabIndex={-1}
      onPointerDownCapture={() => {
        isMoved.current = true;
      }}
      onPointerMove={(event) => {
        pointer.current = { x: event.clientX, y: event.clientY };
      }}
      onDoubleClick={(event) => {
        if ((event.target as HTMLElement).classList.contains('react-flow__pane')) openPalette({ screen: { x: event.clientX, y: event.clientY } });
      }}
    >
      {fitting && <style>{fitting.style}</style>}
      <ReactFlow<CanvasNode, WireEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodesChange}
        onEdgesChange={onEdgesChange}
        onMoveStart={(event) => {
          if (event) isMoved.current = true;
        }}
        onNodeDragStart={() => {
          isDragging.current = true;
        }}
        onNodeDragStop={(event, node, all) => void onDragStop(event, node, all)}
        onConnectStart={(_, params) => {
          const id = params.handleId ?? '';
          void candidates(Number(params.nodeId), id.slice(id.indexOf(':') + 1), params.handleType === 'source').then(setFitting);
        }}
        onConnect={(connection) => {
          const { source, target } = ends(connection);
          void connect(source, target);
        }}
        onConnectEnd={onConnectEnd}
        onReconnect={(edge, connection) => {
          const { source, target } = ends(connection);
          const old = targetOf(edge);
          const isSameEnd = old.node_id === target.node_id && old.name === target.name;
          // The picked wires of the same source move together.
          const others = edges.filter((one) => wires.has(one.id) && one.source === edge.source && one.sourceHandle === edge.sourceHandle);
          if (isSameEnd && wires.has(edge.id) && others.length > 1) void connectAll(source, others.map(targetOf));
          else void connect(source, target, isSameEnd ? undefined : old);
        }}
        onReconnectEnd={(_, edge, __, state) => {
          if (!state.toNode && !state.toHandle) void disconnect([targetOf(edge)]);
        }}
        onEdgeMouseEnter={(_, edge) => setHovered(edge.id)}
        onEdgeMouseLeave={() => setHovered(null)}
        onNodeDoubleClick={(_, node) => {
          if (node.type !== 'card') return;
          const called = scene && calledFunction(node.data.node, new Map(scene.graph.nodes.map((one) => [one.node_id, one])));
          if (called !== null) void openFunction(called, true);
        }}
        connectionRadius={24}
        deleteKeyCode={null}
        selectionKeyCode="Shift"
        selectionMode={SelectionMode.Partial}
        panActivationKeyCode={null}
        multiSelectionKeyCode={['Shift', 'Control', 'Meta']}
        zoomOnDoubleClick={false}
        minZoom={0.1}
        maxZoom={2.5}
        onlyRenderVisibleElements={cards.length > 150}
        proOptions={{ hideAttribution: true }}
        aria-label="Function graph"
      >
        <Background variant={BackgroundVariant.Dots} gap={24} size={1.2} color="var(--grid)" />
        {cards.length > 14 && <MiniMap pannable zoomable ariaLabel="Overview of the graph" className="minimap" nodeBorderRadius={8} nodeColor={minimapColor} nodeStrokeColor={minimapColor} nodeStrokeWidth={1} maskColor="var(--mask)" style={{ width: 140, height: 88 }} />}
      </ReactFlow>
      <Breadcrumbs />
      <Toolbar wires={wires} onComment={() => comment(flow.screenToFlowPosition(belowToolbar(frame.current)))} onAdd={() => openPalette({ screen: belowToolbar(frame.current) })} onTidy={() => void tidyUp()} onFit={() => void flow.fitView(FIT)} />
      <Probe />
      {palette && (
        <Palette
          wanted={palette}
          onClose={() => {
            setPalette(null);
            frame.current?.focus();
          }}
          onPick={(pick) => {
            setPalette(null);
            if (palette.mode === 'swap' && palette.nodeId !== undefined) void swapKind(palette.nodeId, pick.kind.name);
            else {
              const at = flow.screenToFlowPosition(palette.screen);
              void addNode({ name: pick.kind.name, ...(pick.calls === undefined ? {} : { calls: pick.calls }) }, at, palette.wire ? { ...palette.wire, end: pick.end, convert: pick.convert } : undefined);
            }
          }}
        />
      )}
    </div>
  );
}

function minimapColor(node: CanvasNode): string {
  return node.type === 'card' ? 'var(--line-strong)' : 'transparent';
}

/** Zoom at which texts are read with ease, and the least one for the whole of a graph. */
const READABLE = 0.62;
const WHOLE = 0.5;

/** Shows the whole graph, or if it could not be read, its beginning. */
function begin(flow: ReactFlowInstance<CanvasNode, WireEdge>, frame: HTMLElement | null): void {
  const box = flow.getNodesBounds(flow.getNodes());
  const { width, height } = frame?.getBoundingClientRect() ?? { width: 0, height: 0 };
  if (box.width === 0) return;
  const zoom = Math.min((width * 0.86) / box.width, (height * 0.86) / box.height);
  if (zoom >= WHOLE || width === 0) void flow.setViewport(getViewportForBounds(box, width, height, FIT.minZoom, FIT.maxZoom, FIT.padding));
  else {
    const y = box.height * READABLE < height - 120 ? (height - box.height * READABLE) / 2 : 72;
    void flow.setViewport({ x: 32 - box.x * READABLE, y: y - box.y * READABLE, zoom: READABLE });
  }
}

function belowToolbar(frame: HTMLElement | null): Place {
  const box = frame?.getBoundingClientRect();
  return { x: (box?.left ?? 0) + 16, y: (box?.top ?? 0) + 56 };
}

