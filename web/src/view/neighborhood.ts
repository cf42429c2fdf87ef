/** The view of `get_neighbors`: the neighbourhood of a node of the knowledge graph as a drawing, in which one goes from node to node. */
import { choice, element, latest, onlyFields } from './dom';
import { call, canCall, facts, picture, type Json, type ToolResult } from './host';

interface Neighbor {
  id: string;
  label?: string;
  types?: string[];
}

interface Neighbors {
  node?: Neighbor;
  neighbors?: Neighbor[];
  total?: number;
}

/** Size of the drawing, for which there is room before it arrives. */
const SIZE = [880, 480] as const;

const DEPTHS = ['1', '2', '3'] as const;
/** Neighbours that are listed under the drawing. */
const MOST_LISTED = 24;

export class NeighborhoodView {
  private readonly base: Json;
  /** Filters of the call, which the drawing does not have. */
  private readonly filters: Json;
  private node: string;
  private depth: number;
  private readonly trail: string[] = [];
  private readonly drawing = element('img', { alt: 'The neighbourhood', width: SIZE[0], height: SIZE[1], draggable: false });
  private readonly stage = element('div', { className: 'stage' }, element('figure', {}, this.drawing));
  private readonly status = element('p', { className: 'status', role: 'status' });
  private readonly list = element('div', { className: 'bar' });
  private readonly back = element('button', { type: 'button', textContent: 'Back', disabled: true, onclick: () => this.goBack() });

  constructor(root: HTMLElement, given: Json, first: ToolResult) {
    this.base = onlyFields(given, ['project', 'revision']);
    this.filters = onlyFields(given, ['direction', 'edge_types', 'node_types', 'valid_at', 'cut']);
    this.node = String(given.node);
    this.depth = Number(given.depth ?? 1);
    const depths = choice('Edges', DEPTHS, DEPTHS.find((depth) => depth === String(this.depth)) ?? null, (depth) => {
      this.depth = Number(depth);
      this.visit({ isMoved: true });
    });
    root.append(element('div', { className: 'bar' }, this.back, element('span', { className: 'quiet' }, 'Edges'), depths), this.stage, this.status, this.list);
    this.show(facts(first) as Neighbors);
    if (canCall('render_graph')) this.visit({ isMoved: false });
  }

  private go(node: string): void {
    this.trail.push(this.node);
    this.node = node;
    this.visit({ isMoved: true });
  }

  private goBack(): void {
    this.node = this.trail.pop() ?? this.node;
    this.visit({ isMoved: true });
  }

  private readonly visit = latest(async ({ isMoved }: { isMoved: boolean }) => {
    this.back.disabled = this.trail.length === 0;
    this.stage.classList.add('busy');
    try {
      const place = { ...this.base, node: this.node, depth: this.depth };
      if (isMoved) this.show(facts(await call('get_neighbors', { ...place, ...this.filters, limit: MOST_LISTED })) as Neighbors);
      this.drawing.src = picture(await this.draw(place)) ?? '';
    } catch (error) {
      this.status.classList.add('bad');
      this.status.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.stage.classList.remove('busy');
    }
  });

  /** Draws lines, or pixels where there are too many lines. */
  private async draw(place: Json): Promise<ToolResult> {
    const theme = document.documentElement.dataset.theme;
    const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    const options = { ...place, dark, edge_labels: true, size: SIZE };
    try {
      return await call('render_graph', { ...options, format: 'svg' });
    } catch {
      return await call('render_graph', { ...options, format: 'png' });
    }
  }

  private show({ node, neighbors = [], total = neighbors.length }: Neighbors): void {
    const shown = neighbors.slice(0, MOST_LISTED);
    const left = total - shown.length;
    this.status.classList.remove('bad');
    const unfiltered = Object.keys(this.filters).length > 0 ? ', with the filters of the call, which the drawing does not have' : '';
    this.status.textContent = `${node?.label ?? this.node}: ${total} ${total === 1 ? 'neighbour' : 'neighbours'}${unfiltered}`;
    const button = ({ id, label, types }: Neighbor) => element('button', { type: 'button', textContent: label ?? id, title: [id, ...(types ?? [])].join(' · '), onclick: () => this.go(id) });
    this.list.replaceChildren(...(canCall('render_graph') ? shown.map(button) : []), left > 0 ? element('span', { className: 'quiet' }, `and ${left} more`) : '');
  }
}
