/** Pictures of parts, drawn by the server. */
import { untilAnswered } from './asking';
import { raw, url } from './client';

/** Returns the address of a picture, which the caller revokes. */
export async function drawPart(project: string, body: object, signal?: AbortSignal): Promise<string> {
  const draw = () => raw('POST', url('/api/projects/{project}/render', { project }), body, { signal });
  return URL.createObjectURL(await (await untilAnswered(draw, signal)).blob());
}
