/** Keys of the canvas. They do nothing while a person types. */
import { useEffect, useRef } from 'react';
import { openFunction } from '../store/session';
import { get, set } from '../store/state';
import { markNode } from '../marks/store';
import { toggleMute } from './annotate';
import { copy, disconnect, duplicate, removeNodes } from './commands';
import { nodeTitle } from './model';
import { viewNode } from './show';
import { isBoundary } from './edits';
import { calledFunction } from './types';

interface Verbs {
  /** Puts the focus on the canvas, before what has it goes. */
  focus: () => void;
  wires: Set<string>;
  /** Picked frames and comments. */
  picked: Set<string>;
  removePicked: () => void;
  clear: () => void;
  comment: () => void;
  paste: () => void;
  openPalette: () => void;
  openSwap: (nodeId: number) => void;
  tidy: () => void;
  fit: () => void;
}

export function useCanvasKeys(verbs: Verbs): void {
  const latest = useRef(verbs);
  latest.current = verbs;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.defaultPrevented || get().graph === null) return;
      if (handle(event, latest.current)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

export function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest('input, textarea, select, [contenteditable], [role="dialog"]');
}

/** True if a key would do something else where the focus is, such as Space on a button. */
function isOnControl(event: KeyboardEvent): boolean {
  return !!(event.target as HTMLElement | null)?.closest('button, a, summary, [role="tab"], [role="slider"], [role="separator"]');
}

function handle(event: KeyboardEvent, verbs: Verbs): boolean {
  const { selection, graph } = get();
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (command) {
    switch (key) {
      case 'c':
        if (selection.length === 0 || getSelection()?.toString()) return false;
        copy(selection);
        return true;
      case 'v':
        verbs.paste();
        return true;
      case 'x':
        if (selection.length === 0 || getSelection()?.toString()) return false;
        copy(selection);
        verbs.focus();
        void removeNodes(selection);
        return true;
      case 'd':
        void duplicate(selection);
        return true;
      case 'a':
        set({ selection: graph?.nodes.map((node) => node.node_id) ?? [] });
        return true;
      default:
        return false;
    }
  }
  if (isOnControl(event)) return false;
  const [first] = selection;
  switch (key) {
    case ' ':
      verbs.openPalette();
      return true;
    case 'Delete':
    case 'Backspace':
      if (selection.length + verbs.wires.size + verbs.picked.size === 0) return false;
      verbs.focus();
      if (verbs.wires.size > 0 && selection.length === 0) {
        void disconnect([...verbs.wires].map(wireEnd));
      } else void removeNodes(selection, event.shiftKey);
      if (verbs.picked.size > 0) verbs.removePicked();
      verbs.clear();
      return true;
    case 'm':
      if (!event.shiftKey) void toggleMute(selection);
      else if (first === undefined) return false;
      else markSelected(first);
      return true;
    case 'g':
      if (selection.length > 0) window.dispatchEvent(new CustomEvent('fibula-name', { detail: 'frame' }));
      return true;
    case 'c':
      verbs.comment();
      return true;
    case 's':
      if (first !== undefined && !isBoundary(graph?.nodes.find((node) => node.node_id === first))) verbs.openSwap(first);
      return true;
    case 'v':
      if (first !== undefined) viewNode(first);
      return true;
    case 'f':
      verbs.fit();
      return true;
    case 'l':
      verbs.tidy();
      return true;
    case 'Escape':
      set({ selection: [] });
      verbs.clear();
      return true;
    case 'o': {
      const node = graph?.nodes.find((one) => one.node_id === first);
      const called = node && graph ? calledFunction(node, new Map(graph.nodes.map((one) => [one.node_id, one]))) : null;
      if (called !== null && called !== undefined) void openFunction(called, true);
      return true;
    }
    case 'u': {
      const above = get().trail.at(-2);
      if (above !== undefined) void openFunction(above);
      return true;
    }
    default:
      return false;
  }
}

/** Opens the box of a mark at a node. */
function markSelected(nodeId: number): void {
  const { graph } = get();
  const node = graph?.nodes.find((one) => one.node_id === nodeId);
  const card = document.querySelector(`.react-flow__node[data-id="${nodeId}"]`)?.getBoundingClientRect();
  if (graph && node) markNode(graph.function_id, nodeId, nodeTitle(node), { x: card?.right ?? innerWidth / 2, y: card?.top ?? innerHeight / 2 });
}

function wireEnd(id: string): { node_id: number; name: string } {
  const colon = id.indexOf(':');
  return { node_id: Number(id.slice(0, colon)), name: id.slice(colon + 1) };
}
