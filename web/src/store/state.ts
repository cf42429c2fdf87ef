/** The state of the page: what the server last said, and what the person looks at. */
import { create } from 'zustand';
import type { Refusal, Schema } from '../api/client';
import type { FunctionGraph, Place } from '../graph/model';

export interface Notice {
  id: number;
  tone: 'info' | 'error';
  text: string;
  hint?: string | undefined;
  /** One click that solves it. */
  action?: { label: string; run: () => void } | undefined;
  /** True if it stays when another project is opened; its action is not of the open project. */
  isPersistent?: boolean | undefined;
}

/** A change by somebody else, shown for a moment where it happened. */
export interface Glow {
  who: string;
  kind: 'agent' | 'person' | 'program';
  at: number;
}

export type Link = 'connecting' | 'live' | 'offline' | 'unauthorized';
export type View = 'graph' | 'knowledge';
export type BottomTab = 'activity' | 'problems' | 'marks' | 'history' | 'variants' | 'table';

/** What the preview shows: the build, an object, or an output or a port of a function. */
export type Subject =
  | { kind: 'build' }
  | { kind: 'object'; objectId: number }
  | { kind: 'function'; functionId: number; output?: string | undefined }
  /** A port, shown as if it were the shape. */
  | { kind: 'port'; functionId: number; nodeId: number; port: string };

export interface Problem {
  functionId: number | null;
  nodeId: number | null;
  port: string | null;
  tone: 'error' | 'warning';
  text: string;
}

export interface State {
  link: Link;
  projects: Schema['ProjectInfo'][] | null;
  project: string | null;
  /** The revision of the project that everything below was read at, or a later one. */
  revision: number;
  /** The newest revision that the page was told of that changed more than knowledge: what is made of functions follows it. */
  functionsRevision: number;
  functions: Schema['FunctionInfo'][];
  overview: Schema['Overview'] | null;
  history: Schema['HistoryItem'][];
  /** Catalogue of node types. */
  kinds: Map<string, Schema['NodeTypeInfo']>;

  view: View;
  /** The open function, and the calls that lead to it: the last one is shown. */
  trail: number[];
  graph: FunctionGraph | null;
  places: Map<number, Place>;
  problems: Problem[];
  selection: number[];
  /** Glowing nodes of the open function, by id. */
  glows: Map<number, Glow>;
  subject: Subject;
  /** The inputs for which the values of ports are shown, by name; inputs that are not here are 0. */
  probe: Record<string, unknown>;
  /** Values at ports for the probe: `NODE:PORT`. */
  values: Map<string, unknown>;

  bottom: BottomTab | null;
  /** True if the canvas goes where others change something. */
  follows: boolean;
  notices: Notice[];
}

export const useStore = create<State>()(() => ({
  link: 'connecting',
  projects: null,
  project: null,
  revision: 0,
  functionsRevision: 0,
  functions: [],
  overview: null,
  history: [],
  kinds: new Map(),
  view: 'graph',
  trail: [],
  graph: null,
  places: new Map(),
  problems: [],
  selection: [],
  glows: new Map(),
  subject: { kind: 'build' },
  probe: {},
  values: new Map(),
  bottom: null,
  follows: false,
  notices: [],
}));

export const get = useStore.getState;
export const set = useStore.setState;

let nextNotice = 1;

/** Shows a message until it is dismissed; one with the same text replaces the old one. */
export function notify(notice: Omit<Notice, 'id'>): number {
  const id = nextNotice++;
  const others = get().notices.filter((old) => old.text !== notice.text);
  set({ notices: [...others, { ...notice, id }].slice(-3) });
  if (notice.tone === 'info' && !notice.action) setTimeout(() => dismiss(id), 4000);
  return id;
}

export function dismiss(id: number): void {
  set({ notices: get().notices.filter((notice) => notice.id !== id) });
}

/** Hints that name tools, arguments or their values are for programs. */
const FOR_PROGRAMS = /\w_\w|\w: (true|false|[A-Z]\b)/;

export function notifyRefusal(refusal: Refusal, action?: Notice['action']): void {
  const details = refusal.details as { edit?: string; index?: number } | null;
  const hint = refusal.hint && !FOR_PROGRAMS.test(refusal.hint) ? refusal.hint : undefined;
  if (details?.edit === undefined) return void notify({ tone: 'error', text: refusal.message, hint, action });
  // Which of the edits of a call was refused, and how to send them again, is for programs.
  const text = refusal.message.replace(`edit ${details.index} (${details.edit}): `, '').replace(/ \(insert_conversion: true [^()]*\)/, '');
  notify({ tone: 'error', text, action });
}
