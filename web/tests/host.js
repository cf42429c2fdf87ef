// A host of MCP Apps in the browser: an MCP client of the server, and the official bridge to the frame of a view.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri, isToolVisibilityAppOnly, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** What hosts allow a view without domains of its own. */
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } } });

/** Everything that views have said. */
window.said = { messages: [], context: [], sizes: [], calls: [] };

window.start = async () => {
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));
  const { tools } = await client.listTools();
  return { listed: tools.filter((tool) => !isToolVisibilityAppOnly(tool)).map(({ name }) => name), called: tools.filter(isToolVisibilityAppOnly).map(({ name }) => name) };
};

/** Calls a tool as the model does, and shows its view. */
window.show = async (name, parameters, theme = 'light', replayed = null) => {
  const { tools } = await client.listTools();
  const tool = tools.find((one) => one.name === name);
  const uri = getToolUiResourceUri(tool);
  const { contents } = await client.readResource({ uri });
  const [page] = contents;
  if (page.mimeType !== 'text/html;profile=mcp-app') throw new Error(`${uri} is ${page.mimeType}`);
  document.querySelector('iframe')?.remove();
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts allow-forms';
  frame.style = 'width: 760px; height: 300px; border: 0';
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: 'host', version: '1' }, { serverTools: {}, message: {}, updateModelContext: {} }, { hostContext: { theme, toolInfo: { tool }, displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] } });
  bridge.oncalltool = async (params) => {
    const called = tools.find((one) => one.name === params.name);
    if (!called) throw new Error(`the server has no tool ${params.name}`);
    window.said.calls.push(params);
    return client.callTool(params);
  };
  bridge.onmessage = async (params) => (window.said.messages.push(params), {});
  bridge.onupdatemodelcontext = async (params) => (window.said.context.push(params), {});
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  bridge.onsizechange = ({ height }) => {
    window.said.sizes.push(height);
    if (height) frame.style.height = `${height}px`;
  };
  const ready = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = page.text.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await ready;
  await bridge.sendToolInput({ arguments: parameters });
  const result = replayed ?? (await client.callTool({ name, arguments: parameters }));
  await bridge.sendToolResult(result);
  return result;
};
