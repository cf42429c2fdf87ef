/**
 * The view of `render`: the picture with a camera and a section that move, the parameters as sliders, the part before and after an
 * edit, and a note about a point of it. Nothing is written before the person applies it.
 */
import { number, unitSign } from '../ui/numbers';
import { makeTurnable, orbitGiven, orbitOf, VIEW_NAMES, viewName, type Orbit } from './camera';
import { choice, element, latest, onlyFields } from './dom';
import { call, canCall, canSay, facts, picture, say, tell, type Json, type ToolResult } from './host';
import { isNumeric, parameterRow, type Numbers, type Parameter } from './parameters';

/** Facts of a picture. */
interface Facts {
  size?: [number, number];
  bounds?: [number[], number[]];
  unit?: string;
  revision?: number;
  warnings?: string[];
}

interface DecidingNode {
  function_id: number;
  node_id: number;
  node_type: string;
  display_name?: string;
}

interface Picked {
  point?: number[];
  /** From the output of the function down to the node that decides, which may be one of the library. */
  why?: DecidingNode[];
}

const AXES = ['x', 'y', 'z'] as const;
type Axis = (typeof AXES)[number];

/** Arguments of `render` that the view sets. */
const SET = ['view', 'orbit', 'section', 'size', 'edits', 'since', 'show', 'heights'];
/** Arguments that other tools have, too. */
const SUBJECT = ['project', 'function_id', 'object_id', 'output', 'arguments', 'bounds', 'revision'];

/** Height of a picture in pixels of CSS. */
const HEIGHT = 420;
const MOST_PARAMETERS = 12;
/** Pause after which a coarse picture is drawn finely. */
const REST_MS = 250;

const rounded = (value: number, digits: number) => number(Number(value.toPrecision(digits)));

export class PartView {
  /** Arguments of each picture. */
  private readonly base: Json;
  /** Edits that the agent proposes. */
  private proposed: Json[];
  private readonly drafts = new Map<string, { parameter: Parameter; value: Numbers }>();
  private facts: Facts;
  private orbit: Orbit;
  private section: { axis: Axis; at: number } | null;
  private shown: 'Part' | 'Graph';
  private compared: 'Before' | 'Both' | 'Now' = 'Now';
  private resting: ReturnType<typeof setTimeout> | undefined;

  private readonly after = element('img', { alt: 'The part', draggable: false, tabIndex: 0 });
  private readonly before = element('img', { alt: 'The part before', draggable: false });
  private readonly caption = element('figcaption', { hidden: true }, 'after');
  private readonly now = element('figure', {}, this.after, this.caption);
  private readonly earlier = element('figure', { hidden: true }, this.before, element('figcaption', {}, 'before'));
  private readonly stage = element('div', { className: 'stage' }, this.earlier, this.now);
  private readonly status = element('p', { className: 'status', role: 'status' });
  private readonly measures = element('span', { className: 'quiet' });
  private readonly sliders = element('div', { className: 'parameters' });
  private readonly actions = element('div', { className: 'actions' });
  private readonly picked = element('div', { className: 'picked', hidden: true });
  private readonly views: HTMLElement;

  constructor(root: HTMLElement, given: Json, first: ToolResult) {
    this.base = Object.fromEntries(Object.entries(given).filter(([name]) => !SET.includes(name)));
    this.proposed = (given.edits ?? []) as Json[];
    this.facts = facts(first) as Facts;
    this.orbit = orbitGiven(given);
    const [cut] = Object.entries((given.section ?? {}) as Record<Axis, number>);
    this.section = cut ? { axis: cut[0] as Axis, at: cut[1] } : null;
    this.shown = given.show === 'graph' ? 'Graph' : 'Part';
    this.after.src = picture(first) ?? '';
    this.views = choice('Camera', VIEW_NAMES, viewName(this.orbit), (name) => this.turn(orbitOf(name), false));
    // Pictures of marks and of slices have a camera of their own.
    const canMove = canCall() && given.mark === undefined && given.show !== 'slices' && given.show !== 'field';
    root.append(...(canMove ? this.controls(given) : []), this.stage, this.status, this.picked, this.sliders, this.actions);
    this.summarize();
    this.offerEdits();
    if (!canMove) return;
    makeTurnable(this.after, {
      orbit: () => (this.shown === 'Part' ? this.orbit : null),
      turn: (orbit) => this.turn(orbit, true),
      click: (event) => void this.pick(event),
    });
    // What was cannot be edited.
    if (given.revision === undefined) void this.load();
  }

  private controls(given: Json): HTMLElement[] {
    const section = this.sectionControls();
    const compared = choice('Compare', ['Before', 'Both', 'Now'] as const, this.compared, (which) => {
      this.compared = which;
      this.repaint();
    });
    const spatial = element('div', { className: 'bar', hidden: this.shown === 'Graph' }, this.views, ...section, compared);
    const kinds = choice('Show', ['Part', 'Graph'] as const, this.shown, (kind) => {
      this.shown = kind;
      spatial.hidden = kind === 'Graph';
      this.repaint();
    });
    const measure = element('button', { type: 'button', textContent: 'Measure', onclick: () => void this.measure() });
    const hasGraph = given.function_id !== undefined;
    return [element('div', { className: 'bar' }, hasGraph && kinds, measure, this.measures), spatial];
  }

  private sectionControls(): HTMLElement[] {
    const place = element('input', { type: 'range', min: '0', max: '1', step: 'any', value: '0.5', label: 'Place of the section' });
    const reading = element('output');
    const show = () => {
      place.hidden = reading.hidden = this.section === null;
      reading.textContent = this.section && `${this.section.axis} = ${rounded(this.section.at, 3)}`;
    };
    const range = (axis: Axis) => (this.facts.bounds ?? []).map((corner) => corner[AXES.indexOf(axis)] ?? 0) as [low?: number, high?: number];
    const move = (axis: Axis | null, isMoving: boolean) => {
      const [low = 0, high = 0] = axis ? range(axis) : [];
      this.section = axis && { axis, at: low + Number(place.value) * (high - low) };
      show();
      this.repaint(isMoving);
    };
    if (this.section) {
      const [low = 0, high = 1] = range(this.section.axis);
      place.value = String((this.section.at - low) / (high - low));
    }
    show();
    place.oninput = () => move(this.section?.axis ?? null, true);
    const axes = choice('Section', ['Whole', ...AXES] as const, this.section?.axis ?? 'Whole', (axis) => move(axis === 'Whole' ? null : axis, false));
    return [axes, place, reading];
  }

  private turn(orbit: Orbit, isMoving: boolean): void {
    this.orbit = orbit;
    const name = viewName(orbit);
    for (const button of this.views.querySelectorAll('button')) button.setAttribute('aria-pressed', String(button.textContent === name));
    this.repaint(isMoving);
  }

  /** All edits that are tried: those of the agent, and the person's. */
  private edits(): Json[] {
    const own = [...this.drafts.values()].map(({ parameter, value }) => ({
      set_parameter_value: { function_id: parameter.function_id, parameter_name: parameter.name, value },
    }));
    return [...this.proposed, ...own];
  }

  private tried(): Json {
    const edits = this.edits();
    return edits.length > 0 ? { edits } : {};
  }

  private cut(): Json {
    return this.section ? { section: { [this.section.axis]: this.section.at } } : {};
  }

  /** The part before the edits that are tried, or before the last revision. */
  private earlierState(): Json {
    const revision = this.facts.revision ?? 1;
    return this.edits().length > 0 || revision <= 1 ? {} : { revision: revision - 1 };
  }

  private request(isBefore: boolean, scale: number): Json {
    const state = isBefore ? this.earlierState() : this.tried();
    if (this.shown === 'Graph') return { ...onlyFields(this.base, ['project', 'function_id', 'revision']), show: 'graph', ...state };
    const width = this.stage.clientWidth / (this.compared === 'Both' ? 2 : 1);
    const size = [width, Math.min(width, HEIGHT)].map((side) => Math.max(64, Math.min(1024, Math.round(side * scale))));
    const camera = this.orbit ? { orbit: this.orbit } : { view: 'sheet' };
    return { ...this.base, ...this.cut(), ...camera, size, ...state };
  }

  /** Draws coarsely while something moves, and finely when it rests. */
  private repaint(isMoving = false): void {
    clearTimeout(this.resting);
    this.unpick();
    this.paint(isMoving ? 0.5 : 1);
    if (isMoving) this.resting = setTimeout(() => this.paint(1), REST_MS);
  }

  private readonly paint = latest(async (share: number) => {
    const scale = Math.min(2, window.devicePixelRatio) * share;
    this.stage.classList.add('busy');
    try {
      if (this.compared !== 'Before') {
        const said = await this.draw(this.after, this.request(false, scale), scale);
        this.facts = { ...this.facts, ...said, warnings: said.warnings ?? [] };
      }
      if (this.compared !== 'Now') await this.draw(this.before, this.request(true, scale), scale);
      this.earlier.hidden = this.compared === 'Now';
      this.now.hidden = this.compared === 'Before';
      this.caption.hidden = this.compared !== 'Both';
      this.summarize();
    } catch (error) {
      this.fail(error);
    } finally {
      this.stage.classList.remove('busy');
    }
  });

  private async draw(image: HTMLImageElement, request: Json, scale: number): Promise<Facts> {
    const result = await call('render', request);
    const said = facts(result) as Facts;
    image.src = picture(result) ?? '';
    image.style.width = this.shown === 'Part' && said.size ? `${said.size[0] / scale}px` : '';
    return said;
  }

  private summarize(): void {
    const { bounds, unit = '', revision, warnings = [] } = this.facts;
    const extent = bounds?.[1].map((high, axis) => rounded(high - (bounds[0][axis] ?? 0), 4)).join(' × ');
    const parts = [extent && `${extent} ${unitSign(unit)}`, revision !== undefined && `revision ${revision}`];
    this.status.classList.remove('bad');
    this.status.replaceChildren(parts.filter(Boolean).join(' · '), ...warnings.map((text) => element('span', { className: 'warning' }, text)));
  }

  private fail(error: unknown): void {
    this.status.classList.add('bad');
    this.status.textContent = error instanceof Error ? error.message : String(error);
  }

  private async load(): Promise<void> {
    try {
      const asked = { ...onlyFields(this.base, ['project', 'function_id', 'revision']), limit: MOST_PARAMETERS };
      const { parameters, total } = facts(await call('list_parameters', asked)) as unknown as { parameters: Parameter[]; total: number };
      const rows = parameters.filter(isNumeric).map((parameter) => parameterRow(parameter, this.draft));
      const left = total - parameters.length;
      this.sliders.replaceChildren(...rows, left > 0 ? element('p', { className: 'quiet' }, `${left} more parameters are not shown`) : '');
    } catch (error) {
      this.fail(error);
    }
  }

  private readonly draft = (parameter: Parameter, value: Numbers, isMoving: boolean): void => {
    const key = `${parameter.function_id}.${parameter.name}`;
    if (JSON.stringify(value) === JSON.stringify(parameter.value)) this.drafts.delete(key);
    else this.drafts.set(key, { parameter, value });
    this.offerEdits();
    this.repaint(isMoving);
  };

  private offerEdits(): void {
    this.measures.textContent = '';
    this.actions.hidden = this.edits().length === 0 || !canCall();
    const note = this.proposed.length > 0 ? `The agent proposes ${this.proposed.length === 1 ? 'an edit' : `${this.proposed.length} edits`}, which nobody has applied yet.` : '';
    this.actions.replaceChildren(
      element('button', { type: 'button', className: 'primary', textContent: 'Apply', onclick: () => void this.apply() }),
      element('button', { type: 'button', textContent: 'Reset', onclick: () => this.settle() }),
      element('span', { className: 'quiet' }, note),
    );
  }

  private async apply(): Promise<void> {
    const values = [...this.drafts.values()].map(({ parameter, value }) => `${parameter.name} to ${[value].flat().map((part) => number(part)).join(', ')}`);
    const label = [this.proposed.length > 0 && 'apply the proposal', values.length > 0 && `set ${values.join('; ')}`].filter(Boolean).join('; ');
    const request = { ...onlyFields(this.base, ['project']), edits: this.edits(), label, expected_revision: this.facts.revision };
    try {
      const { revision } = facts(await call('apply_edits', request));
      tell(`In the view of the part, the person applied: ${label}. The project is at revision ${String(revision)}.`);
      this.settle();
    } catch (error) {
      this.fail(error);
    }
  }

  /** Ends all drafts, and reads again what is true. */
  private settle(): void {
    this.proposed = [];
    this.drafts.clear();
    this.offerEdits();
    this.repaint();
    void this.load();
  }

  private async measure(): Promise<void> {
    this.measures.textContent = '…';
    try {
      const request = { ...onlyFields(this.base, SUBJECT), figures: ['volume', 'area'], ...this.tried() };
      const { figures } = facts(await call('measure', request)) as { figures: Record<string, { value: number; unit: string }> };
      this.measures.textContent = Object.entries(figures)
        .map(([name, { value, unit }]) => `${name} ${number(value)} ${unitSign(unit)}`)
        .join(' · ');
    } catch (error) {
      this.measures.textContent = '';
      this.fail(error);
    }
  }

  private unpick(): void {
    this.picked.hidden = true;
    this.stage.querySelector('.spot')?.remove();
  }

  private async pick(event: PointerEvent): Promise<void> {
    this.unpick();
    const { size } = this.facts;
    if (this.shown === 'Graph' || !this.orbit || !size) return;
    if (this.edits().length > 0) return this.fail('Apply or reset the changes first, then point at the part.');
    const pixel = [(event.offsetX * size[0]) / this.after.clientWidth, (event.offsetY * size[1]) / this.after.clientHeight];
    const spot = element('span', { className: 'spot' });
    spot.style.left = `${this.after.offsetLeft + event.offsetX}px`;
    spot.style.top = `${this.after.offsetTop + event.offsetY}px`;
    this.now.append(spot);
    try {
      const camera = onlyFields(this.base, ['perspective', 'zoom']);
      const found = facts(await call('pick', { ...onlyFields(this.base, SUBJECT), ...camera, ...this.cut(), orbit: this.orbit, size, pixel })) as unknown as Picked;
      const [first] = found.why ?? [];
      if (found.point) this.showPicked(found.point, found.why?.findLast(({ function_id }) => function_id === first?.function_id));
      else this.unpick();
    } catch (error) {
      this.unpick();
      this.fail(error);
    }
  }

  private showPicked(point: number[], node: DecidingNode | undefined): void {
    const place = `(${point.map((part) => rounded(part, 4)).join(', ')})`;
    const decides = node ? `, where node ${node.node_id} of function ${node.function_id} (${node.display_name ?? node.node_type}) decides` : '';
    this.picked.replaceChildren(element('p', {}, element('b', {}, place), decides));
    if (canSay()) this.picked.append(this.note(`About the point ${place}${decides}, at revision ${this.facts.revision ?? 'unknown'}: `));
    this.picked.hidden = false;
  }

  /** A field for a note, which the person says in the conversation. */
  private note(start: string): HTMLElement {
    const field = element('input', { type: 'text', label: 'What is wrong or wanted here', placeholder: 'What is wrong or wanted here?' });
    const submit = (event: Event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text === '') return;
      say(start + text).then(
        () => this.unpick(),
        (error: unknown) => this.fail(error),
      );
    };
    return element('form', { onsubmit: submit }, field, element('button', { type: 'submit', textContent: 'Say it' }));
  }
}
