/** The field that the preview shows: its shader, numbers and bounds, as the server sends them. */
import { untilAnswered } from '../api/asking';
import { api, type Schema } from '../api/client';
import type { Box, Vec3 } from './camera';
import type { FieldProgram } from './renderer';

/** Answer of `.../functions/{function_id}/shader`; the schema cannot say that the bounds are two corners. */
export type FunctionShader = Omit<Schema['FunctionShader'], 'bounds'> & { bounds?: Box | null };

export interface FieldSubject {
  functionId: number;
  output?: string | undefined;
  port?: string | undefined;
}

interface ShaderQuery {
  revision?: number;
  bounds?: boolean;
  signal?: AbortSignal;
}

export async function loadShader(project: string, { functionId, output, port }: FieldSubject, { revision, bounds, signal }: ShaderQuery = {}): Promise<FunctionShader> {
  const query = { output: output ?? null, port: port ?? null, revision: revision ?? null, bounds: bounds ?? null } as never;
  const read = () => api.get('/api/projects/{project}/functions/{function_id}/shader', { path: { project, function_id: functionId }, query, signal });
  return (await untilAnswered(read, signal)) as FunctionShader;
}

/** Scalars of a value of any type, in the order of the shader. */
export function scalars(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(scalars);
  return [Number(value)];
}

/** The program of a shader; drafts replace values that the server has. */
export function programOf(shader: FunctionShader, drafts: ReadonlyMap<string, number[]>): FieldProgram {
  const blocks: FieldProgram['blocks'] = {};
  for (const [name, values] of Object.entries(shader.constants)) blocks[name] = Float32Array.from(values, Number);
  if (shader.parameter_block) {
    const numbers = new Float32Array(Math.max(4, shader.parameter_scalars));
    const taken = new Map<string, number>();
    for (const { offset, width, input, function_id, node_id, parameter_name, value } of shader.parameters) {
      const key = input ? `${shader.function_id}.${input}` : `${function_id}.${node_id}`;
      const first = taken.get(key) ?? 0;
      taken.set(key, first + width);
      const found = drafts.get(`${key}.${parameter_name}`) ?? drafts.get(key)?.slice(first) ?? scalars(value ?? 0);
      numbers.set(found.slice(0, width), offset);
    }
    blocks[shader.parameter_block] = numbers;
  }
  return { source: shader.source, name: shader.name, blocks };
}

/** The program with another prefix, so that it can stand beside one of the same prefix. */
export function renamed(program: FieldProgram, prefix: string): FieldProgram {
  const rename = (text: string) => text.replace(/\bfibula_/g, `${prefix}_`);
  const blocks = Object.fromEntries(Object.entries(program.blocks).map(([name, values]) => [rename(name), values]));
  return { source: rename(program.source), name: rename(program.name), blocks };
}

/** Box that a function without bounds is shown in, if no level set gives one. */
const UNBOUNDED: Box = [
  [-20, -20, -20],
  [20, 20, 20],
];

interface StructureItem {
  resource_id: number;
  field?: { function_id: number };
  mesh_id?: number;
  bounds?: Box;
}

/** The box of the level set that shows the function, or a moderate one. */
export async function domainOf(project: string, functionId: number, signal: AbortSignal): Promise<{ box: Box; isDomain: boolean }> {
  const structure = await untilAnswered(() => api.get('/api/projects/{project}/structure', { path: { project }, query: { limit: 200 }, signal }), signal);
  const items = structure.resources as unknown as StructureItem[];
  const level = items.find((item) => item.field?.function_id === functionId);
  const box = items.find((item) => item.resource_id === level?.mesh_id)?.bounds;
  return box ? { box, isDomain: true } : { box: UNBOUNDED, isDomain: false };
}

/** An estimate of the slope from samples on a cubic grid; marching steps are the value divided by it. */
export function steepest(values: ArrayLike<number>, extent: Vec3): number {
  const count = Math.round(Math.cbrt(values.length));
  const slopes: number[] = [];
  for (let index = 0; index < values.length; index++) {
    for (const axis of [0, 1, 2] as const) {
      const stride = count ** axis;
      const [here, there] = [values[index], values[index + stride]];
      if (Math.floor(index / stride) % count === count - 1) continue;
      if (typeof here !== 'number' || typeof there !== 'number') continue;
      const slope = (Math.abs(there - here) * (count - 1)) / extent[axis];
      if (Number.isFinite(slope)) slopes.push(slope);
    }
  }
  slopes.sort((a, b) => a - b);
  // A few jumps, as at the seam of an angle, do not count.
  const most = slopes[Math.floor(slopes.length * 0.97)] ?? 1;
  return most > 1e-9 ? most : 1;
}
