/** Views inside of hosts of MCP: one page, which shows what the tool that it belongs to has answered. */
import { element } from './dom';
import { canGrow, connect, on, resize, type Json, type ToolResult } from './host';
import { NeighborhoodView } from './neighborhood';
import { PartView } from './part';

const root = element('main', {}, element('p', { className: 'quiet' }, 'Waiting for the answer…'));
document.body.append(root);

let tool: string | undefined;
let input: Json | null = null;
let result: ToolResult | null = null;

function show(): void {
  if (!input || !result) return;
  root.replaceChildren();
  if (result.isError) root.append(element('p', { className: 'status bad' }, result.content[0]?.text ?? 'The call failed.'));
  else if (tool === 'get_neighbors' || (tool === undefined && 'node' in input)) new NeighborhoodView(root, input, result);
  else new PartView(root, input, result);
  if (canGrow()) root.append(element('button', { type: 'button', className: 'grow', textContent: 'Enlarge', onclick: (event) => void grow(event.currentTarget as HTMLButtonElement) }));
}

async function grow(button: HTMLButtonElement): Promise<void> {
  // A host that refuses leaves the view as it is.
  const mode = await resize().catch(() => undefined);
  if (mode) button.textContent = mode === 'fullscreen' ? 'Reduce' : 'Enlarge';
}

on<{ arguments?: Json }>('tool-input', (params) => {
  input = params.arguments ?? {};
  show();
});
on<ToolResult>('tool-result', (params) => {
  result = params;
  show();
});
on<{ reason?: string }>('tool-cancelled', ({ reason }) => root.replaceChildren(element('p', { className: 'quiet' }, `The call was cancelled${reason ? `: ${reason}` : ''}.`)));

connect().then(
  ({ toolInfo }) => {
    tool = toolInfo?.tool.name;
    show();
  },
  (error: unknown) => root.replaceChildren(element('p', { className: 'status bad' }, `The host does not answer as MCP Apps hosts do: ${String(error)}`)),
);
