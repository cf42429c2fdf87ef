/** The marks of the open project, kept in step with the server, and the one that is being written. */
import { useEffect } from 'react';
import { create } from 'zustand';
import { untilAnswered } from '../api/asking';
import { api, ApiError, raw, url, type Schema } from '../api/client';
import { refresh, refused } from '../store/session';
import { isNarrow, usePrefs } from '../store/prefs';
import { get as page, notify, set as setPage, useStore } from '../store/state';
import { undoAction } from '../store/write';
import { markOf, sorted, type Mark } from './model';

/** A mark before it is sent. */
export interface Draft {
  /** Where its box opens on the screen. */
  screen: { x: number; y: number };
  /** What it is about, for people. */
  title: string;
  /** What it is about, for the server. */
  body: Omit<Partial<Schema['MakeMarkBody']>, 'text'>;
}

interface MarksState {
  marks: Mark[];
  /** Mark that is shown in the list. */
  selected: string | null;
  /** True while a click in the preview marks a place. */
  isPointing: boolean;
  draft: Draft | null;
}

export const useMarks = create<MarksState>()(() => ({ marks: [], selected: null, isPointing: false, draft: null }));
export const setMarks = useMarks.setState;

const PAGE = 200;

async function readAll(project: string, signal: AbortSignal): Promise<Mark[]> {
  const marks: Mark[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, ...(cursor ? { cursor } : {}) };
    const page: Schema['MarksListed'] = await untilAnswered(() => api.get('/api/projects/{project}/marks', { path: { project }, query, signal }), signal);
    marks.push(...page.marks.map(markOf));
    cursor = page.next_cursor ?? undefined;
  } while (cursor);
  return sorted(marks);
}

/** Follows the marks of a project. */
export function useFollowMarks(): void {
  const project = useStore((state) => state.project);
  const revision = useStore((state) => state.revision);
  const knowledge = useStore((state) => state.overview?.knowledge.nodes ?? 0);
  useEffect(() => setMarks({ marks: [], selected: null, draft: null, isPointing: false }), [project]);
  useEffect(() => {
    if (project === null) return;
    if (knowledge === 0) return setMarks({ marks: [] });
    const stop = new AbortController();
    readAll(project, stop.signal)
      .then((marks) => setMarks({ marks }))
      .catch((error: unknown) => {
        if (!stop.signal.aborted) refused(error);
      });
    return () => stop.abort();
  }, [project, revision, knowledge]);
}

/** Sends a request of the page; the person is told if it is refused. */
async function send(method: string, route: string, path: object, body?: object): Promise<Record<string, unknown> | null> {
  const { project } = page();
  if (project === null) return null;
  try {
    const answer = (await (await raw(method, url(route, { project, ...path }), body)).json()) as Record<string, unknown>;
    await refresh();
    return answer;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unreachable') notify({ tone: 'error', text: 'Not written: the server does not answer.', hint: 'Repeat it when the server is back.' });
    refused(error);
    return null;
  }
}

/** Makes a mark. Returns false if it was refused. */
export async function makeMark(draft: Draft, text: string): Promise<boolean> {
  const made = await send('POST', '/api/projects/{project}/marks', {}, { text, ...draft.body });
  if (!made) return false;
  setMarks({ draft: null, isPointing: false, selected: String(made.id) });
  notify({ tone: 'info', text: 'Marked. Agents that follow the project are told.' });
  return true;
}

export async function setStatus(mark: Mark, status: 'open' | 'done' | 'declined'): Promise<void> {
  const note = status === 'open' ? { add_observations: ['Reopened.'] } : {};
  await send('PATCH', '/api/graph/{project}/nodes/{id}', { id: mark.id }, { data: { status }, ...note });
}

export async function deleteMark(mark: Mark): Promise<void> {
  const gone = await send('DELETE', '/api/graph/{project}/nodes/{id}', { id: mark.id });
  if (gone) notify({ tone: 'info', text: 'The mark is deleted.', action: undoAction });
}

/** Starts a mark about a node of a function, or a port of it. */
export function markNode(functionId: number, nodeId: number, title: string, screen: Draft['screen'], port?: string): void {
  setMarks({ draft: { screen, title: port ? `${title} · ${port}` : title, body: { about: [`fn:${functionId}/${nodeId}`], ...(port ? { port } : {}) } } });
}

/** Starts a mark about a node of the knowledge graph. */
export function markKnowledge(id: string, title: string, screen: Draft['screen']): void {
  setMarks({ draft: { screen, title, body: { about: [id] } } });
}

/** Starts a mark about an edge of the knowledge graph. */
export function markEdge(edge: string, title: string, screen: Draft['screen']): void {
  setMarks({ draft: { screen, title, body: { edge } } });
}

/** Shows the list with a mark. */
export function showMark(id: string): void {
  setMarks({ selected: id });
  setPage({ bottom: 'marks' });
  // On a narrow screen the part lies over the list.
  if (isNarrow()) usePrefs.setState({ right: false });
}
