/** Named constants and inputs with defaults of a project, as the server lists them. */
import { untilAnswered } from '../api/asking';
import { api, type Schema } from '../api/client';

export interface Parameter {
  function_id: number;
  function: string;
  name: string;
  node_id: number;
  value: unknown;
  /** True for an input: the value is its default, the node its `Begin`. */
  input?: boolean;
  unit?: string;
  min?: number;
  max?: number;
}

/** All parameters, of one function or of the project, now or at a revision. */
export async function loadParameters(project: string, which: { function_id?: number; revision?: number }, signal?: AbortSignal): Promise<Parameter[]> {
  const all: Parameter[] = [];
  let cursor: string | undefined;
  do {
    const query = { ...which, limit: 200, ...(cursor ? { cursor } : {}) };
    const page: Schema['ParametersListed'] = await untilAnswered(() => api.get('/api/projects/{project}/parameters', { path: { project }, query, signal }), signal);
    all.push(...(page.parameters as unknown as Parameter[]));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return all;
}
