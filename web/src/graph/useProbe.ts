/** Values at ports for the probe point: one traced evaluation after each change. */
import { useEffect } from 'react';
import { untilAnswered } from '../api/asking';
import { api, ApiError, type Schema } from '../api/client';
import { useNewest } from '../api/useNewest';
import { useTrial } from '../preview/state';
import { get, set, useStore, type Problem } from '../store/state';
import type { Edit } from './edits';
import type { FunctionGraph, Port } from './model';
import { needed, unset } from './types';
import type { Scene } from './useScene';

interface Traced {
  node_id: number;
  outputs: Record<string, unknown>;
}

const ZERO: Record<string, unknown> = {
  float: 0,
  float3: [0, 0, 0],
  integer: 0,
  matrix4x4: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  string: '',
};

export function probeValue(port: Port, probe: Record<string, unknown>): unknown {
  const given = probe[port.name];
  const isVector = port.type === 'float3';
  if (given === undefined && port.default !== undefined) return port.default;
  return given !== undefined && Array.isArray(given) === (isVector || port.type === 'matrix4x4') ? given : ZERO[port.type];
}

export function useProbe(scene: Scene | null): void {
  const probe = useStore((state) => state.probe);
  const read = useStore((state) => state.revision);
  // Facts of a change are in the graph before everything is read at its revision.
  const revision = Math.max(read, scene?.graph.revision ?? 0);
  const trial = useTrial();
  const isChanging = trial.length > 0;
  useEffect(() => {
    const { project } = get();
    if (!scene || project === null) return;
    const { graph } = scene;
    const problems = missingInputs(scene);
    if (problems.length > 0 || graph.outputs.length === 0 || graph.inputs.some((port) => port.type === 'resource_id')) {
      set({ values: new Map(), problems });
      return;
    }
    if (isChanging) return;
    const cancel = new AbortController();
    untilAnswered(() => trace(project, graph, probe, [], cancel.signal), cancel.signal)
      .then((evaluated) => {
        const values = valuesOf(evaluated);
        const warnings = evaluated.warnings.map((text): Problem => ({ functionId: graph.function_id, nodeId: null, port: null, tone: 'warning', text }));
        set({ values, problems: warnings });
      })
      .catch((error: unknown) => {
        if (cancel.signal.aborted || !(error instanceof ApiError)) return;
        const details = error.refusal.details as { node_id?: number } | null;
        const problem: Problem = { functionId: graph.function_id, nodeId: details?.node_id ?? null, port: null, tone: 'error', text: error.message };
        set({ values: new Map(), problems: [problem] });
      });
    return () => cancel.abort();
  }, [scene, probe, revision, isChanging]);
  const { project } = get();
  const isShown = isChanging && scene !== null && project !== null && missingInputs(scene).length === 0;
  useNewest(isShown ? JSON.stringify([project, scene.graph.function_id, revision, probe, trial]) : null, async (signal) => {
    if (!scene || project === null) return;
    try {
      const evaluated = await trace(project, scene.graph, probe, trial, signal);
      if (!signal.aborted) set({ values: valuesOf(evaluated) });
    } catch (error) {
      // The write says what is wrong with these numbers.
      if (!(error instanceof ApiError)) throw error;
    }
  });
}

/** Evaluates all nodes at the probe point, with edits that are tried. */
function trace(project: string, graph: FunctionGraph, probe: Record<string, unknown>, edits: Edit[], signal: AbortSignal): Promise<Schema['Evaluated']> {
  const asked = graph.inputs.filter((port) => probe[port.name] !== undefined || port.default === undefined);
  const inputs = Object.fromEntries(asked.map((port) => [port.name, probeValue(port, probe)]));
  const body = { arguments: inputs, trace: true, ...(edits.length > 0 ? { edits } : {}) } as never;
  return api.post('/api/projects/{project}/functions/{function_id}/evaluate', { path: { project, function_id: graph.function_id }, body, signal });
}

function valuesOf(evaluated: Schema['Evaluated']): Map<string, unknown> {
  const traced = (evaluated.trace ?? []) as unknown as Traced[];
  return new Map(traced.flatMap((node) => Object.entries(node.outputs).map(([name, value]) => [`${node.node_id}:${name}`, value] as const)));
}

/** What the outputs need and do not have. */
function missingInputs({ graph, signatures }: Scene): Problem[] {
  const isNeeded = needed(graph);
  return graph.nodes.flatMap((node) => {
    const signature = signatures.get(node.node_id);
    if (!signature || !isNeeded.has(node.node_id)) return [];
    return unset(node, signature).map((parameter): Problem => {
      const name = node.node_type === 'End' ? `output ${parameter.name}` : `${parameter.name} of ${node.display_name ?? node.node_type} (node ${node.node_id})`;
      return { functionId: graph.function_id, nodeId: node.node_id, port: parameter.name, tone: 'error', text: `${name} has neither a value nor a link` };
    });
  });
}
