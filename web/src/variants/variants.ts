/**
 * Variants: states of a project that a person named to compare them. They are its checkpoints, so agents see, make and restore
 * them too.
 */
import { untilAnswered } from '../api/asking';
import { api } from '../api/client';
import type { Parameter } from '../measures/named';
import { scalars } from '../preview/source';
import { subjectBody } from '../preview/state';
import type { Subject } from '../store/state';
import type { Edit } from '../graph/edits';

export interface Variant {
  name: string;
  revision: number;
}

const MOST = 100;

export async function loadVariants(project: string, signal: AbortSignal): Promise<Variant[]> {
  const query = { checkpoints: true, limit: MOST };
  const shown = await untilAnswered(() => api.get('/api/projects/{project}/history', { path: { project }, query, signal }), signal);
  return shown.entries.map((entry) => ({ name: entry.checkpoint ?? entry.label, revision: entry.revision }));
}

const keyOf = ({ function_id, name }: Parameter) => `${function_id}/${name}`;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export interface Row {
  key: string;
  name: string;
  function: string;
  /** One value per column; undefined where it does not exist. */
  values: unknown[];
}

/** The parameters of several states that are not the same in all of them. */
export function differences(columns: Parameter[][]): Row[] {
  const maps = columns.map((parameters) => new Map(parameters.map((one) => [keyOf(one), one])));
  const all = new Map(columns.flat().map((one) => [keyOf(one), one]));
  return [...all]
    .map(([key, one]) => ({ key, name: one.name, function: one.function, values: maps.map((map) => map.get(key)?.value) }))
    .filter(({ values }) => values.some((value) => !same(value, values[0])));
}

/** The edits that give the present parameters the values of a variant. Parameters that only one of them has stay as they are. */
export function takeOver(present: Parameter[], variant: Parameter[]): Edit[] {
  const wanted = new Map(variant.map((one) => [keyOf(one), one.value]));
  return present
    .filter((one) => wanted.has(keyOf(one)) && !same(wanted.get(keyOf(one)), one.value))
    .map((one) => ({ set_parameter_value: { function_id: one.function_id, parameter_name: one.name, value: wanted.get(keyOf(one)) } }));
}

interface Figure {
  value: number;
  error: number;
  unit?: string;
}

export interface Measured {
  volume: Figure | null;
  area: Figure | null;
  wall: Figure | null;
  unit: string;
}

/** Measures a state coarsely: enough to compare. */
export async function measure(project: string, subject: Subject, revision: number, cell: number | null): Promise<Measured> {
  const body = { ...subjectBody(subject), revision, figures: ['volume', 'area', 'wall'], digits: 'full', ...(cell === null ? {} : { cell }) } as never;
  const { figures, unit } = await untilAnswered(() => api.post('/api/projects/{project}/measure', { path: { project }, body }));
  const { volume = null, area = null, wall = null } = figures as unknown as Partial<Record<'volume' | 'area' | 'wall', Figure | null>>;
  return { volume, area, wall, unit };
}

/** A difference in percent, if it is worth a word. */
export function change(value: number, present: number): string | null {
  if (present === 0 || !Number.isFinite(present)) return null;
  const percent = ((value - present) / Math.abs(present)) * 100;
  if (Math.abs(percent) < 0.1) return null;
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent))} %`;
}

export const shownValue = (value: unknown, write: (number: number) => string): string => (value === undefined ? '–' : scalars(value).map(write).join(', '));
