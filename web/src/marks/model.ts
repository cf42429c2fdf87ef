/** Marks: what people point at and ask for, as nodes of the knowledge graph of the type `mark`. */
import type { Schema } from '../api/client';

export type MarkStatus = 'open' | 'answered' | 'done' | 'declined';
export type Point = [number, number, number];

export interface Mark {
  id: string;
  text: string;
  by: string;
  created: string;
  status: MarkStatus;
  point: Point | null;
  normal: Point | null;
  /** Revision that was marked. */
  revision: number | null;
  /** Revision with the answer. */
  answeredIn: number | null;
  functionId: number | null;
  objectId: number | null;
  port: string | null;
  /** Edge of the knowledge graph. */
  edge: string | null;
  answers: Schema['ObservationShown'][];
  /** What it is tied to: `fn:1/7`, or a node of the knowledge graph. */
  about: string[];
}

const numbered = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const named = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function pointed(value: unknown): Point | null {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === 'number' && Number.isFinite(part)) ? (value as Point) : null;
}

function statusOf(status: unknown, hasAnswers: boolean): MarkStatus {
  if (status === 'done' || status === 'declined') return status;
  return hasAnswers ? 'answered' : 'open';
}

/** The mark as the page shows it; foreign data is left out. */
export function markOf(node: Schema['MarkShown']): Mark {
  const data = (node.data ?? {}) as Record<string, unknown>;
  const answers = node.observations ?? [];
  return {
    id: node.id,
    text: node.label,
    by: node.creator,
    created: node.created,
    status: statusOf(data.status, answers.length > 0),
    point: pointed(data.point),
    normal: pointed(data.normal),
    revision: numbered(data.revision),
    answeredIn: numbered(data.answered_in),
    functionId: numbered(data.function_id),
    objectId: numbered(data.object_id),
    port: named(data.port),
    edge: named(data.edge),
    answers,
    about: node.about,
  };
}

const RANKS: Record<MarkStatus, number> = { answered: 0, open: 1, done: 2, declined: 3 };

/** What waits for the person first; the newest of each. */
export function sorted(marks: Mark[]): Mark[] {
  return [...marks].sort((a, b) => RANKS[a.status] - RANKS[b.status] || (a.created < b.created ? 1 : -1));
}

export const isOpen = (mark: Mark): boolean => mark.status === 'open' || mark.status === 'answered';
