import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { expect } from 'vitest';

/** The parsed text of a tool's result. */
export type ToolResult = Record<string, unknown> & {
  link: string;
  notes: string[];
  notSupported: string[];
  warning: string;
  next?: string;
};

/** A client of the official SDK, connected to the service. */
export interface McpClient {
  client: Client;
  /** Calls a tool, and returns the text of its result; fails unless the call succeeds. */
  read: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** Calls a tool, and returns its parsed result. */
  call: (name: string, args?: Record<string, unknown>) => Promise<ToolResult>;
  /** Calls a tool that fails, and returns the text of the problem document. */
  readFailure: (name: string, args?: Record<string, unknown>) => Promise<string>;
  /** Calls a tool that fails, and returns the parsed problem document. */
  fail: (name: string, args?: Record<string, unknown>) => Promise<Record<string, unknown>>;
  /** Calls a tool until its last part, and returns all parts. */
  readAll: (name: string, args?: Record<string, unknown>) => Promise<ToolResult[]>;
}

/** Connects the official client over HTTP. */
export function connectByHttp(
  url: string,
  headers: Record<string, string> = {},
): Promise<McpClient> {
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), {
    requestInit: { headers },
  });
  return connectClient(transport);
}

/** Connects the official client over a transport. */
export async function connectClient(transport: Transport): Promise<McpClient> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const callRaw = async (name: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = await client.callTool({ name, arguments: args });
    const [firstContent] = content as { type: string; text: string }[];
    expect(content).toHaveLength(1);
    return { text: firstContent!.text, isError };
  };
  const read: McpClient['read'] = async (name, args) => {
    const { text, isError } = await callRaw(name, args);
    if (isError) throw new Error(text);
    return text;
  };
  const call: McpClient['call'] = async (name, args) =>
    JSON.parse(await read(name, args)) as ToolResult;
  const readFailure: McpClient['readFailure'] = async (name, args) => {
    const { text, isError } = await callRaw(name, args);
    expect(isError, text).toBe(true);
    return text;
  };
  return {
    client,
    read,
    call,
    readFailure,
    fail: async (name, args) =>
      JSON.parse(await readFailure(name, args)) as Record<string, unknown>,
    readAll: async (name, args = {}) => {
      const parts = [await call(name, args)];
      for (let next = parts[0]!.next; next !== undefined; next = parts.at(-1)!.next)
        parts.push(await call(name, { ...args, cursor: next }));
      return parts;
    },
  };
}
