// The official TypeScript SDKs by one interface, and servers to try them with, for adder.mjs and tour.mjs.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import * as v2 from '@modelcontextprotocol/client';
import * as v2Stdio from '@modelcontextprotocol/client/stdio';
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import * as v1Stdio from '@modelcontextprotocol/sdk/client/stdio.js';
import * as v1Http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v1Types from '@modelcontextprotocol/sdk/types.js';

import { bin, withServer } from './server.mjs';

// Tools that answer with an image carry no structuredContent, and SDK v1 refuses an answer without
// it from a tool that has an outputSchema. They are the only ones that may go without.
export const IMAGE_TOOLS = new Set(['create_function_from_expression', 'render', 'render_graph', 'slice']);

/** Statuses of HTTP that refuse what a client sends; GET asks for a stream that servers need not have. */
const refusals = [];

async function checkedFetch(address, init) {
  const response = await fetch(address, init);
  if (response.status >= 400 && init?.method === 'POST') refusals.push(`${response.status} of ${init.body}`);
  return response;
}

const SDKS = [
  {
    name: 'TypeScript SDK v1',
    protocol: '2025-11-25',
    // Before 2026-07-28 a server without sessions has nowhere to send notifications and questions over HTTP.
    hearsOverHttp: false,
    client: (info, capabilities) => new v1.Client(info, { capabilities }),
    stdio: (server) => new v1Stdio.StdioClientTransport(server),
    http: (url) => new v1Http.StreamableHTTPClientTransport(url, { fetch: checkedFetch }),
    call: (client, request, options) => client.callTool(request, undefined, options),
    onQuestion: (client, handler) => client.setRequestHandler(v1Types.ElicitRequestSchema, handler),
    environment: v1Stdio.getDefaultEnvironment,
    onUpdate: (client, handler) =>
      client.setNotificationHandler(v1Types.ResourceUpdatedNotificationSchema, handler),
    subscribe: async (client, uri) => {
      await client.subscribeResource({ uri });
      return () => client.unsubscribeResource({ uri });
    },
  },
  {
    name: 'TypeScript SDK v2',
    protocol: '2026-07-28',
    hearsOverHttp: true,
    client: (info, capabilities) => new v2.Client(info, { capabilities, versionNegotiation: { mode: 'auto' } }),
    stdio: (server) => new v2Stdio.StdioClientTransport(server),
    http: (url) => new v2.StreamableHTTPClientTransport(url, { fetch: checkedFetch }),
    call: (client, request, options) => client.callTool(request, options),
    onQuestion: (client, handler) => client.setRequestHandler('elicitation/create', handler),
    environment: v2Stdio.getDefaultEnvironment,
    onUpdate: (client, handler) =>
      client.setNotificationHandler('notifications/resources/updated', handler),
    subscribe: async (client, uri) => {
      const subscription = await client.listen({ resourceSubscriptions: [uri] });
      assert.deepEqual(subscription.honoredFilter.resourceSubscriptions, [uri]);
      return () => subscription.close();
    },
  },
];

/**
 * Runs a conversation with each SDK over each transport, in an empty folder that is the server's working directory, and reports how each
 * one went. `converse` takes three arguments: the SDK; whether the server can send notifications and questions that belong to no call;
 * and a function that starts a server with some options, connects a client to it, calls its last argument with the client, and ends both.
 */
export async function withEach(converse) {
  for (const sdk of SDKS) {
    await report(`${sdk.name} over stdio`, (scratch) =>
      converse(sdk, true, (options, capabilities, use) => {
        const args = ['mcp', '--data', ':memory:', ...options];
        const server = { command: bin, args, env: sdk.environment(), cwd: scratch };
        return withClient(sdk, sdk.stdio(server), capabilities, use);
      }),
    );
    await report(`${sdk.name} over HTTP`, (scratch) =>
      converse(sdk, sdk.hearsOverHttp, (options, capabilities, use) =>
        withServer(scratch, options, (url) => withClient(sdk, sdk.http(url), capabilities, use)),
      ),
    );
  }
}

/** Calls `use` with a client of the first SDK that is connected to a server with some options over stdio. */
export function withOne(options, use) {
  const server = { command: bin, args: ['mcp', '--data', ':memory:', ...options], cwd: os.tmpdir() };
  return withClient(SDKS[0], SDKS[0].stdio(server), {}, use);
}

async function report(where, run) {
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'fibula-ci-'));
  try {
    console.log(`ok: ${where}, ${await run(scratch)}`);
  } catch (error) {
    console.error(`FAILED: ${where}: ${error.stack}`);
    process.exitCode = 1;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function withClient(sdk, transport, capabilities, use) {
  const client = sdk.client({ name: 'fibula-ci', version: '1.0.0' }, capabilities);
  try {
    await client.connect(transport);
    // SDK v1 does not tell over stdio; there it knows no later protocol.
    const protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
    assert.equal(protocol ?? sdk.protocol, sdk.protocol, 'protocol version');
    return await use(client);
  } finally {
    await client.close();
    assert.deepEqual(refusals.splice(0), [], 'refused messages');
  }
}

export async function listTools(client) {
  const tools = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return tools;
}

export function textOf(result) {
  return result.content.filter((block) => block.type === 'text').map((block) => block.text).join('\n');
}
