/**
 * The view of `render`: the picture with a camera and a section that move, the parameters as sliders, the part before and after an
 * edit, and a note about a point of it. Nothing is written before the person applies it.
 */
import { number, unitSign } from '../ui/numbers';
import { makeTurnable, orbitGiven, orbitOf, VIEW_NAMES, viewName, type Orbit } from './camera';
import { choice, element, latest, onlyFields } from './dom';
import { call, canCall, canSend, facts, notifyModel, picture, sendMessage, type Json, type ToolResult } from './host';
import { isNumeric, parameterRow, type Draft, type Numbers, type Parameter } from './parameters';

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

type Section = Partial<Record<Axis, number>>;

/** What a picture shows. */
interface Painted {
  orbit: Orbit;
  section: Section;
  hasEdits: boolean;
  facts: Facts;
}

/** Arguments of `render` that the view sets. */
const SET = ['view', 'orbit', 'section', 'size', 'edits', 'since', 'show', 'heights'];
/** Arguments that other tools have, too. */
const SUBJECT = ['project', 'function_id', 'object_id', 'output', 'arguments', 'bounds', 'revision'];

/** Height of a picture in pixels of CSS. */
const HEIGHT = 420;
const MOST_PARAMETERS = 12;
/** Pause after which a coarse picture is drawn finely. */
const REST_MS = 250;

const sectionOf = (section: Section): Json => (Object.keys(section).length > 0 ? { section } : {});
const keyOf = ({ function_id, name }: Parameter) => `${function_id}.${name}`;
const rounded = (value: number, digits: number) => number(Number(value.toPrecision(digits)));

export class PartView {
  /** Arguments of each picture. */
  private readonly base: Json;
  /** Edits that the agent proposes, at a revision. */
  private proposed: { edits: Json[]; revision: number | undefined };
  private readonly drafts = new Map<string, Draft>();
  /** Revision that changes are coloured since, until there are edits. */
  private readonly since: unknown;
  private facts: Facts;
  /** The picture that is shown, which is not yet what is asked for while one is drawn. */
  private painted: Painted;
  private orbit: Orbit;
  private section: Section;
  private isApplying = false;
  /** Grows with what makes answers stale. */
  private generation = 0;
  /** Text of the last failure, until the person does something else. */
  private failure: string | null = null;
  /** Revision of the sliders. */
  private loaded: number | undefined;
  private readonly canEdit: boolean;
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
    this.facts = facts(first) as Facts;
    this.proposed = { edits: (given.edits ?? []) as Json[], revision: this.facts.revision };
    this.since = given.since;
    this.orbit = orbitGiven(given);
    this.section = (given.section ?? {}) as Section;
    this.painted = { orbit: this.orbit, section: this.section, hasEdits: this.proposed.edits.length > 0, facts: this.facts };
    this.shown = given.show === 'graph' ? 'Graph' : 'Part';
    this.after.src = picture(first) ?? '';
    this.views = choice('Camera', VIEW_NAMES, viewName(this.orbit), (name) => this.look(orbitOf(name), false));
    // Pictures of marks and of slices have a camera of their own.
    const canMove = canCall('render') && given.mark === undefined && given.show !== 'slices' && given.show !== 'field';
    // An earlier revision cannot be edited.
    this.canEdit = canMove && canCall('apply_edits') && given.revision === undefined;
    root.append(...(canMove ? this.controls(given) : []), this.stage, this.status, this.picked, this.sliders, this.actions);
    this.summarize();
    this.offerEdits();
    if (!canMove) return;
    makeTurnable(this.after, {
      orbit: () => (this.shown === 'Part' ? this.orbit : null),
      turn: (orbit) => this.look(orbit, true),
      click: (event) => void this.pick(event),
    });
    if (this.canEdit) void this.load();
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
    return [element('div', { className: 'bar' }, hasGraph && kinds, canCall('measure') && measure, this.measures), spatial];
  }

  private sectionControls(): HTMLElement[] {
    const place = element('input', { type: 'range', min: '0', max: '1', step: 'any', value: '0.5', label: 'Place of the section' });
    const reading = element('output');
    const show = () => {
      const cuts = Object.entries(this.section);
      place.hidden = cuts.length !== 1;
      reading.hidden = cuts.length === 0;
      reading.textContent = cuts.map(([axis, at]) => `${axis} = ${rounded(at, 3)}`).join(', ');
    };
    const range = (axis: Axis) => (this.facts.bounds ?? []).map((corner) => corner[AXES.indexOf(axis)] ?? 0) as [low?: number, high?: number];
    const move = (axis: Axis | undefined, isMoving: boolean) => {
      const [low = 0, high = 0] = axis ? range(axis) : [];
      this.section = axis ? { [axis]: low + Number(place.value) * (high - low) } : {};
      show();
      this.repaint(isMoving);
    };
    const [given] = Object.entries(this.section) as [Axis, number][];
    if (given) {
      const [low = 0, high = 1] = range(given[0]);
      place.value = String((given[1] - low) / (high - low));
    }
    show();
    place.oninput = () => move(Object.keys(this.section)[0] as Axis | undefined, true);
    const axes = choice('Section', ['Whole', ...AXES] as const, given?.[0] ?? 'Whole', (axis) => move(axis === 'Whole' ? undefined : axis, false));
    return [axes, place, reading];
  }

  private look(orbit: Orbit, isMoving: boolean): void {
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
    return [...this.proposed.edits, ...own];
  }

  private tried(): Json {
    const edits = this.edits();
    return edits.length > 0 ? { edits } : {};
  }

  /** The part before the edits that are tried, or before the last revision. */
  private earlierState(): Json {
    const revision = this.facts.revision ?? 1;
    return this.edits().length > 0 || revision <= 1 ? {} : { revision: revision - 1 };
  }

  private request(isBefore: boolean, scale: number): Json {
    const state = isBefore ? this.earlierState() : this.tried();
    const changes = isBefore || this.since === undefined || 'edits' in state ? {} : { since: this.since };
    if (this.shown === 'Graph') return { ...onlyFields(this.base, ['project', 'function_id', 'revision']), show: 'graph', ...state };
    const width = this.stage.clientWidth / (this.compared === 'Both' ? 2 : 1);
    const size = [width, Math.min(width, HEIGHT)].map((side) => Math.max(64, Math.min(1024, Math.round(side * scale))));
    const camera = this.orbit ? { orbit: this.orbit } : { view: 'sheet' };
    return { ...this.base, ...sectionOf(this.section), ...camera, size, ...changes, ...state };
  }

  /** Draws coarsely while something moves, and finely when it rests. */
  private repaint(isMoving = false): void {
    clearTimeout(this.resting);
    this.generation++;
    this.failure = null;
    this.unpick();
    this.paint(isMoving ? 0.5 : 1);
    if (isMoving) this.resting = setTimeout(() => this.paint(1), REST_MS);
  }

  private readonly paint = latest(async (share: number) => {
    const scale = Math.min(2, window.devicePixelRatio) * share;
    this.stage.classList.add('busy');
    try {
      if (this.compared !== 'Before') {
        const { orbit, section } = this;
        const hasEdits = this.edits().length > 0;
        const drawn = await this.draw(this.after, this.request(false, scale), scale);
        this.facts = { ...this.facts, ...drawn, warnings: drawn.warnings ?? [] };
        this.painted = { orbit: this.shown === 'Part' ? orbit : null, section, hasEdits, facts: this.facts };
        if (this.canEdit && this.facts.revision !== this.loaded) void this.load();
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
    const drawn = facts(result) as Facts;
    image.src = picture(result) ?? '';
    image.style.width = this.shown === 'Part' && drawn.size ? `${drawn.size[0] / scale}px` : '';
    return drawn;
  }

  private summarize(): void {
    const { bounds, unit = '', revision, warnings = [] } = this.facts;
    const extent = bounds?.[1].map((high, axis) => rounded(high - (bounds[0][axis] ?? 0), 4)).join(' × ');
    // The bounds of a picture are up to a hundredth too wide.
    const parts = [extent && `≈ ${extent} ${unitSign(unit)}`, revision !== undefined && `revision ${revision}`];
    if (this.failure) return this.fail(this.failure);
    this.status.classList.remove('bad');
    this.status.replaceChildren(parts.filter(Boolean).join(' · '), ...warnings.map((text) => element('span', { className: 'warning' }, text)));
  }

  private fail(error: unknown): void {
    this.status.classList.add('bad');
    this.failure = error instanceof Error ? error.message : String(error);
    this.status.textContent = this.failure;
  }

  private async load(): Promise<void> {
    if (!canCall('list_parameters')) return;
    try {
      const request = { ...onlyFields(this.base, ['project', 'function_id']), limit: MOST_PARAMETERS };
      const { parameters, total, revision } = facts(await call('list_parameters', request)) as unknown as { parameters: Parameter[]; total: number; revision: number };
      this.loaded = revision;
      const rows = parameters.filter(isNumeric).map((parameter) => parameterRow(parameter, this.drafts.get(keyOf(parameter))?.value ?? parameter.value, this.draft));
      const left = total - parameters.length;
      this.sliders.replaceChildren(...rows, left > 0 ? element('p', { className: 'quiet' }, `${left} more parameters are not shown`) : '');
    } catch (error) {
      this.fail(error);
    }
  }

  private readonly draft = (parameter: Parameter, value: Numbers, isMoving: boolean): void => {
    const key = keyOf(parameter);
    if (JSON.stringify(value) === JSON.stringify(parameter.value)) this.drafts.delete(key);
    else this.drafts.set(key, { parameter, value });
    this.offerEdits();
    this.repaint(isMoving);
  };

  private offerEdits(): void {
    this.measures.textContent = '';
    const count = this.proposed.edits.length;
    this.actions.hidden = this.edits().length === 0;
    const note = count > 0 ? `The agent proposes ${count === 1 ? 'an edit' : `${count} edits`}.` : '';
    const button = (textContent: string, className: string, onclick: () => void) => element('button', { type: 'button', textContent, className, disabled: this.isApplying, onclick });
    const buttons = [button('Apply', 'primary', () => void this.apply()), button('Reset', '', () => this.discardDrafts())];
    this.actions.replaceChildren(...(this.canEdit ? buttons : []), element('span', { className: 'quiet' }, note));
  }

  private async apply(): Promise<void> {
    const sent = new Map(this.drafts);
    const values = [...sent.values()].map(({ parameter, value }) => `${parameter.name} to ${[value].flat().map((part) => number(part)).join(', ')}`);
    const { edits, revision: proposedAt } = this.proposed;
    const label = [edits.length > 0 && 'apply the proposal', values.length > 0 && `set ${values.join('; ')}`].filter(Boolean).join('; ');
    // A proposal is for the project as the agent saw it: it may have been applied since.
    const expected_revision = edits.length > 0 ? proposedAt : this.painted.facts.revision;
    const request = { ...onlyFields(this.base, ['project']), edits: this.edits(), label, expected_revision };
    this.isApplying = true;
    this.offerEdits();
    try {
      const { revision } = facts(await call('apply_edits', request));
      const done = [edits.length > 0 && 'applied the proposed edits', sent.size > 0 && `set ${sent.size} ${sent.size === 1 ? 'parameter' : 'parameters'}`];
      notifyModel(`In the view of the part, the person ${done.filter(Boolean).join(' and ')}. The project is at revision ${String(revision)}; get_history has the change.`);
      this.proposed = { edits: [], revision: undefined };
      for (const [key, draft] of sent) if (this.drafts.get(key) === draft) this.drafts.delete(key);
      this.repaint();
    } catch (error) {
      // The project may have changed: it is shown as it is now, below the reason.
      this.repaint();
      this.fail(error);
      void this.load();
    } finally {
      this.isApplying = false;
      this.offerEdits();
    }
  }

  /** Ends all drafts and proposals, and shows what is true. */
  private discardDrafts(): void {
    this.proposed = { edits: [], revision: undefined };
    this.drafts.clear();
    this.offerEdits();
    this.repaint();
    void this.load();
  }

  private async measure(): Promise<void> {
    this.measures.textContent = '…';
    const tried = JSON.stringify(this.tried());
    try {
      const request = { ...onlyFields(this.base, SUBJECT), figures: ['volume', 'area'], ...this.tried() };
      const { figures } = facts(await call('measure', request)) as { figures: Record<string, { value: number; unit: string }> };
      // Of what is no longer tried nobody wants to know.
      if (JSON.stringify(this.tried()) !== tried) return;
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
    const { orbit, section, hasEdits } = this.painted;
    const { size, revision } = this.painted.facts;
    if (this.shown === 'Graph' || !orbit || !size || !canCall('pick')) return;
    if (hasEdits) return this.fail('Apply or reset the changes first, then point at the part.');
    const generation = ++this.generation;
    const pixel = [(event.offsetX * size[0]) / this.after.clientWidth, (event.offsetY * size[1]) / this.after.clientHeight];
    const spot = element('span', { className: 'spot' });
    spot.style.left = `${this.after.offsetLeft + event.offsetX}px`;
    spot.style.top = `${this.after.offsetTop + event.offsetY}px`;
    this.now.append(spot);
    try {
      const camera = onlyFields(this.base, ['perspective', 'zoom']);
      const request = { ...onlyFields(this.base, SUBJECT), ...camera, ...sectionOf(section), orbit, size, pixel, revision };
      const found = facts(await call('pick', request)) as unknown as Picked;
      if (generation !== this.generation) return;
      const [first] = found.why ?? [];
      if (found.point) this.showPicked(found.point, found.why?.findLast(({ function_id }) => function_id === first?.function_id));
      else this.unpick();
    } catch (error) {
      if (generation !== this.generation) return;
      this.unpick();
      this.fail(error);
    }
  }

  private showPicked(point: number[], node: DecidingNode | undefined): void {
    const place = `(${point.map((part) => rounded(part, 4)).join(', ')})`;
    const decides = node ? `, where node ${node.node_id} of function ${node.function_id} (${node.node_type}) decides` : '';
    const name = node?.display_name ? `: ${node.display_name}` : '';
    this.picked.replaceChildren(element('p', {}, element('b', {}, place), decides + name));
    if (canSend()) this.picked.append(this.note(`About the point ${place}${decides}, at revision ${this.painted.facts.revision ?? 'unknown'}: `));
    this.picked.hidden = false;
  }

  /** A field for a note, which is sent into the conversation. */
  private note(start: string): HTMLElement {
    const field = element('input', { type: 'text', label: 'What is wrong or wanted here', placeholder: 'What is wrong or wanted here?' });
    const submit = (event: Event) => {
      event.preventDefault();
      const text = field.value.trim();
      if (text === '') return;
      sendMessage(start + text).then(
        () => this.unpick(),
        (error: unknown) => this.fail(error),
      );
    };
    return element('form', { onsubmit: submit }, field, element('button', { type: 'submit', textContent: 'Send' }));
  }
}
