// A small MCP client over streamable HTTP, as an agent beside the page.

export class Agent {
  constructor(url, name = 'test-agent') {
    this.url = `${url}/mcp`;
    this.name = name;
    this.id = 0;
  }
  async send(message) {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'user-agent': `${this.name}/1` };
    if (this.session) headers['mcp-session-id'] = this.session;
    if (this.version) headers['mcp-protocol-version'] = this.version;
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    this.session ??= response.headers.get('mcp-session-id');
    const text = await response.text();
    if (message.id === undefined) return null;
    const isStream = (response.headers.get('content-type') ?? '').includes('event-stream');
    const answers = isStream
      ? text.split('\n').filter((line) => line.startsWith('data:') && line.length > 6).map((line) => JSON.parse(line.slice(5)))
      : [JSON.parse(text)];
    const answer = answers.find((one) => one.id === message.id);
    if (!answer) throw new Error(`no answer to ${message.method}: ${text}`);
    if (answer.error) throw new Error(`${message.method}: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }
  async connect() {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: this.name, version: '1' } };
    const result = await this.send({ id: ++this.id, method: 'initialize', params });
    this.version = result.protocolVersion;
    await this.send({ method: 'notifications/initialized' });
    return this;
  }
  /** Calls a tool; returns whether it was refused, its text, and its structured content. */
  async call(name, args) {
    const result = await this.send({ id: ++this.id, method: 'tools/call', params: { name, arguments: args } });
    const text = (result.content ?? []).map((part) => part.text ?? '').join('\n');
    return { refused: result.isError === true, text, data: result.structuredContent ?? {} };
  }
  /** Calls a tool that must not be refused. */
  async must(name, args) {
    const result = await this.call(name, args);
    if (result.refused) throw new Error(`${name} was refused: ${result.text}`);
    return result.data;
  }
}
