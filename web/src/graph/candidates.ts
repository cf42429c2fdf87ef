/** Where a wire that is being drawn could end, as the server says it. */
import { raw, url } from '../api/client';
import { get } from '../store/state';

interface End {
  node_id: number;
  name: string;
  conversion?: string | null;
  reason?: string | null;
}

interface NewEnd {
  node_type?: string;
  function_id?: number;
  name?: string | null;
  conversion?: string | null;
  reason?: string | null;
}

export interface Candidates {
  ends: End[];
  kinds: Map<string, NewEnd>;
  functions: Map<number, NewEnd>;
  /** Rules that grey the ports that do not fit, so that no card has to be drawn again. */
  style: string;
}

interface Answer {
  ends: End[];
  node_types: NewEnd[];
  functions: NewEnd[];
}

export async function candidates(nodeId: number, name: string, isSource: boolean): Promise<Candidates | null> {
  const { project, graph } = get();
  if (project === null || !graph) return null;
  const end = `${nodeId}.${name}`;
  const query = isSource ? { from: end } : { to: end };
  try {
    const address = url('/api/projects/{project}/functions/{function_id}/links/compatible', { project, function_id: graph.function_id }, query);
    const answer = (await (await raw('GET', address)).json()) as Answer;
    const side = isSource ? 'in' : 'out';
    const fits = answer.ends.filter((one) => !one.reason).map((one) => selector(one, side));
    const style = `.connecting .react-flow__handle:not(.connectingfrom){opacity:.25}${fits.length > 0 ? `${fits.join()}{opacity:1 !important}` : ''}`;
    return {
      ends: answer.ends,
      kinds: new Map(answer.node_types.map((one) => [one.node_type ?? '', one])),
      functions: new Map(answer.functions.map((one) => [one.function_id ?? -1, one])),
      style,
    };
  } catch {
    // The wire can be drawn all the same: the server checks it when it ends.
    return null;
  }
}

function selector(end: End, side: string): string {
  return `.connecting .react-flow__handle[data-nodeid="${end.node_id}"][data-handleid="${CSS.escape(`${side}:${end.name}`)}"]`;
}
