/** What the canvas shows of the open function: signatures, sizes, places. */
import { useEffect, useMemo, useRef } from 'react';
import { refused } from '../store/session';
import { get, set, useStore } from '../store/state';
import { cardSize, type CardSize } from './card';
import { layout, placed } from './layout';
import { isSource, type FunctionGraph } from './model';
import { signatures, type Signature } from './types';

export interface Scene {
  graph: FunctionGraph;
  signatures: Map<number, Signature>;
  sizes: Map<number, CardSize>;
}

export function sceneOf(graph: FunctionGraph): Scene {
  const { kinds, functions } = get();
  const found = signatures(graph, kinds, functions);
  const sizes = new Map(graph.nodes.map((node) => [node.node_id, cardSize(node, found.get(node.node_id) ?? { parameters: [], ports: [] })]));
  return { graph, signatures: found, sizes };
}

export function useScene(): Scene | null {
  const graph = useStore((state) => state.graph);
  const kinds = useStore((state) => state.kinds);
  const functions = useStore((state) => state.functions);
  const project = useStore((state) => state.project);
  const scene = useMemo(() => (graph && kinds.size > 0 ? sceneOf(graph) : null), [graph, kinds, functions]);
  const laid = useRef<{ key: string; positions: Map<number, { x: number; y: number }> } | null>(null);

  useEffect(() => {
    if (!scene || project === null) return;
    const key = layoutKey(project, scene);
    if (laid.current?.key === key) {
      set({ places: placed(scene.graph, laid.current.positions) });
      return;
    }
    let isCurrent = true;
    const known = scene.graph.nodes.every((node) => node.position);
    if (known) {
      set({ places: placed(scene.graph, new Map()) });
      return;
    }
    layout(project, scene.graph, scene.sizes).then((positions) => {
      if (!isCurrent || get().graph?.function_id !== scene.graph.function_id) return;
      laid.current = { key, positions };
      set({ places: placed(scene.graph, positions) });
    }, refused);
    return () => {
      isCurrent = false;
    };
  }, [scene, project]);
  return scene;
}

/** The layout depends on the nodes, their sizes and links, not on values. */
function layoutKey(project: string, { graph, sizes }: Scene): string {
  const nodes = graph.nodes.map((node) => {
    const size = sizes.get(node.node_id);
    const links = Object.entries(node.parameters ?? {}).map(([name, setting]) => (isSource(setting) ? `${name}<${setting.source.node_id}.${setting.source.port}` : ''));
    return `${node.node_id}:${size?.width}x${size?.height}:${links.join()}`;
  });
  return `${project}/${graph.function_id}/${nodes.join(';')}`;
}
