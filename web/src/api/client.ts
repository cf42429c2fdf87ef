/** Typed requests to the server's REST routes. Types come from docs/openapi.json (`npm run types`). */
import type { components, paths } from './schema';

export type Schema = components['schemas'];
export type Refusal = Schema['Refusal'];

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
type RoutesWith<M extends Method> = { [P in keyof paths]: paths[P] extends Record<M, object> ? P : never }[keyof paths];
type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;
type Parameters<O> = O extends { parameters: infer A } ? A : never;
type PathArguments<O> = Parameters<O> extends { path: infer A } ? { [K in keyof A]: string | number } : undefined;
type QueryArguments<O> = Parameters<O> extends { query?: infer A } ? A : undefined;
type JsonBody<O> = O extends { requestBody?: infer B } ? (NonNullable<B> extends { content: { 'application/json': infer J } } ? J : undefined) : undefined;
type Answer<O> = O extends { responses: { 200: { content: { 'application/json': infer J } } } } ? J : unknown;

export interface Options<O> {
  path?: PathArguments<O>;
  query?: QueryArguments<O>;
  body?: JsonBody<O>;
  signal?: AbortSignal | undefined;
  /** Name under which the progress of the request can be followed. */
  request?: string;
}

/** A request that the server refused, or that did not reach it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly refusal: Refusal,
  ) {
    super(refusal.message);
  }
  get code(): string {
    return this.refusal.code;
  }
  get isConflict(): boolean {
    return this.code === 'revision_conflict';
  }
}

const TOKEN = 'fibula-token';

export function token(): string | null {
  return sessionStorage.getItem(TOKEN);
}

export function setToken(value: string): void {
  sessionStorage.setItem(TOKEN, value);
}

/** Headers of every request: the history tells people at the page by the client's name. */
export function headers(more: Record<string, string> = {}): Headers {
  const all = new Headers({ 'X-Fibula-Client': 'page', Accept: 'application/json', ...more });
  const secret = token();
  if (secret) all.set('Authorization', `Bearer ${secret}`);
  return all;
}

export function url(route: string, path: object = {}, query: object = {}): string {
  const values = path as Record<string, unknown>;
  const filled = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

function unreachable(): ApiError {
  const message = 'the server does not answer';
  const hint = 'the page keeps what you see and continues as soon as the server is back';
  return new ApiError(0, { success: false, code: 'unreachable', message, hint, details: null });
}

async function refusal(response: Response): Promise<ApiError> {
  try {
    return new ApiError(response.status, (await response.json()) as Refusal);
  } catch {
    const message = `the server answered with status ${response.status}`;
    return new ApiError(response.status, { success: false, code: 'bad_answer', message, hint: null, details: null });
  }
}

async function send(method: string, address: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(address, { ...init, method, cache: 'no-store' });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** What a request may have beside its body. */
export interface Sending {
  signal?: AbortSignal | undefined;
  request?: string | undefined;
}

function named(request: string | undefined): Record<string, string> {
  return request === undefined ? {} : { 'X-Fibula-Request': request };
}

/** Sends a request with a JSON body, and returns the response as it is. */
export function raw(method: string, address: string, body?: unknown, { signal, request }: Sending = {}): Promise<Response> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  return send(method, address, { headers: headers({ ...type, ...named(request), Accept: '*/*' }), signal: signal ?? null, ...json });
}

/** Sends the bytes of a file. */
export async function upload<T>(address: string, file: Blob, type: string, { signal, request }: Sending = {}): Promise<T> {
  const response = await send('POST', address, { headers: headers({ 'Content-Type': type, ...named(request) }), body: file, signal: signal ?? null });
  return (await response.json()) as T;
}

async function call<P extends keyof paths, M extends Method>(method: M, route: P, options: Options<Operation<P, M>>): Promise<Answer<Operation<P, M>>> {
  const address = url(route, options.path ?? {}, options.query ?? {});
  const response = await raw(method.toUpperCase(), address, options.body, options);
  return (await response.json()) as Answer<Operation<P, M>>;
}

export const api = {
  get: <P extends RoutesWith<'get'>>(route: P, options: Options<Operation<P, 'get'>> = {}) => call<P, 'get'>('get', route, options),
  post: <P extends RoutesWith<'post'>>(route: P, options: Options<Operation<P, 'post'>> = {}) => call<P, 'post'>('post', route, options),
  put: <P extends RoutesWith<'put'>>(route: P, options: Options<Operation<P, 'put'>> = {}) => call<P, 'put'>('put', route, options),
  patch: <P extends RoutesWith<'patch'>>(route: P, options: Options<Operation<P, 'patch'>> = {}) => call<P, 'patch'>('patch', route, options),
  delete: <P extends RoutesWith<'delete'>>(route: P, options: Options<Operation<P, 'delete'>> = {}) => call<P, 'delete'>('delete', route, options),
};
