/**
 * The host of a view, by the extension MCP Apps (2026-01-26): JSON-RPC over messages to the window that the view's frame is in.
 * The host passes calls of tools on to the server.
 */
const PROTOCOL = '2026-01-26';

export type Json = Record<string, unknown>;

interface Message {
  jsonrpc: '2.0';
  id?: number | string;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { message: string };
}

export interface Content {
  type: string;
  text?: string;
  data?: string;
  mimeType?: string;
}

export interface ToolResult {
  content: Content[];
  structuredContent?: Json;
  isError?: boolean;
}

export interface HostContext {
  theme?: 'light' | 'dark';
  styles?: { variables?: Record<string, string | undefined> };
  displayMode?: string;
  availableDisplayModes?: string[];
  toolInfo?: { tool: { name: string } };
}

interface Capabilities {
  serverTools?: object;
  message?: object;
  updateModelContext?: object;
}

/** Error of a call that the server refused, with its text. */
export class Refused extends Error {}

let capabilities: Capabilities = {};
let context: HostContext = {};
let last = 0;
const pending = new Map<number | string, { resolve: (result: never) => void; reject: (error: Error) => void }>();
const listeners = new Map<string, (params: never) => void>();

function send(message: Omit<Message, 'jsonrpc'>): void {
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}

function request<Result>(method: string, params: Json): Promise<Result> {
  const id = ++last;
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject });
    send({ id, method, params });
  });
}

function receive({ id, method, params, result, error }: Message): void {
  if (method === undefined) {
    const waiting = id === undefined ? undefined : pending.get(id);
    if (id !== undefined) pending.delete(id);
    if (error) waiting?.reject(new Error(error.message));
    else waiting?.resolve(result as never);
  } else if (id === undefined) {
    listeners.get(method)?.(params as never);
  } else if (method === 'ping' || method === 'ui/resource-teardown') {
    send({ id, result: {} });
  } else {
    const refusal = { code: -32601, message: `the view has no method ${method}` };
    send({ id, error: refusal });
  }
}

function adopt(changed: HostContext): void {
  context = { ...context, ...changed };
  const root = document.documentElement;
  if (changed.theme) root.dataset.theme = changed.theme;
  for (const [name, value] of Object.entries(changed.styles?.variables ?? {})) {
    if (value !== undefined) root.style.setProperty(name, value);
  }
}

/** Calls a listener with the parameters of a notification; to be called before `connect`. */
export function on<Params>(name: string, listener: (params: Params) => void): void {
  listeners.set(`ui/notifications/${name}`, listener);
}

/** Performs the handshake with the host, which then sends the call that the view belongs to. */
export async function connect(): Promise<HostContext> {
  window.addEventListener('message', (event: MessageEvent<Message>) => {
    if (event.source === window.parent && event.data?.jsonrpc === '2.0') receive(event.data);
  });
  on('host-context-changed', adopt);
  const hello = { appInfo: { name: 'fibula', title: 'Fibula', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] }, protocolVersion: PROTOCOL };
  const host = await request<{ hostCapabilities: Capabilities; hostContext: HostContext }>('ui/initialize', hello);
  capabilities = host.hostCapabilities;
  adopt(host.hostContext);
  send({ method: 'ui/notifications/initialized', params: {} });
  new ResizeObserver(() => {
    const { width, height } = document.body.getBoundingClientRect();
    send({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.body);
  return context;
}

/** Tools that the server offers, which it writes into the page. */
const offered = new Set(document.querySelector<HTMLMetaElement>('meta[name=tools]')?.content.split(' '));

/** True if the server offers a tool, and the host passes calls on to it. */
export const canCall = (tool: string): boolean => capabilities.serverTools !== undefined && offered.has(tool);
/** True if the host takes messages of the person. */
export const canSend = (): boolean => capabilities.message !== undefined;
export const canGrow = (): boolean => context.availableDisplayModes?.includes('fullscreen') === true;

/** Calls a tool of the server; a refusal is an error with its text. */
export async function call(name: string, parameters: Json): Promise<ToolResult> {
  const result = await request<ToolResult>('tools/call', { name, arguments: parameters });
  if (result.isError) throw new Refused(result.content[0]?.text ?? `${name} failed`);
  return result;
}

/** Sends a message into the conversation, as the person. It must not contain texts of a project, which anybody may have written. */
export const sendMessage = (text: string): Promise<unknown> => request('ui/message', { role: 'user', content: [{ type: 'text', text }] });

/** Notifies the model of what the person has done, with the next message; does nothing if the host does not offer it. */
export function notifyModel(text: string): void {
  if (capabilities.updateModelContext === undefined) return;
  // The edit itself is in the project's history, whatever becomes of the note.
  request('ui/update-model-context', { content: [{ type: 'text', text }] }).catch(() => {});
}

/** Switches between the size in the conversation and the whole window; returns the new mode. */
export async function resize(): Promise<string | undefined> {
  const mode = context.displayMode === 'fullscreen' ? 'inline' : 'fullscreen';
  const result = await request<{ mode: string }>('ui/request-display-mode', { mode });
  context.displayMode = result.mode;
  return context.displayMode;
}

/** The first JSON object among the blocks of text. */
export function facts(result: ToolResult): Json {
  const texts = result.content.filter(({ type }) => type === 'text');
  const found = texts.find(({ text }) => text?.startsWith('{'));
  return result.structuredContent ?? (found?.text ? (JSON.parse(found.text) as Json) : {});
}

/** The picture of an answer as an address that an image can have. */
export function picture({ content }: ToolResult): string | null {
  const image = content.find(({ type }) => type === 'image');
  if (image) return `data:${image.mimeType};base64,${image.data}`;
  const drawing = content.find(({ text }) => text?.startsWith('<svg'));
  return drawing?.text ? `data:image/svg+xml,${encodeURIComponent(drawing.text)}` : null;
}
