// How a tool is written down, and how it is put into a server of the protocol.
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AgentClient } from '../client/agent-client.ts';
import { AppError } from '../errors.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Wishes } from './pay-once.ts';
import { refusal, refused, succeeded } from './results.ts';

export interface BridgeDeps {
  client: AgentClient;
  payments: OpenCalls<null>;
  generations: OpenCalls<null>;
  purchases: OpenCalls<Wishes>;
  newKey(): string;
  agentId(): string;
  /** How this bridge was started, for another agent. */
  self: { command: string; args: readonly string[] };
  env: NodeJS.ProcessEnv;
}

export interface Said<C = Record<string, unknown>> {
  /** A sentence for the model. */
  text: string;
  content: C;
  /** A picture to look at. */
  image?: { data: string; mimeType: string };
}

export interface Tool {
  name: string;
  register(server: McpServer, deps: BridgeDeps): void;
}

interface Definition<I extends z.ZodType, O extends z.ZodObject> {
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: I;
  /** What it may answer, each a shape of its own; a refusal is added. */
  output: readonly [O, ...z.ZodObject[]];
  run(args: z.output<I>, deps: BridgeDeps, signal: AbortSignal): Promise<Said>;
}

/** Field by field what the schema names: a newer treasury may say more than this version promises. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(
  name: string,
  { title, description, annotations, input, output, run }: Definition<I, O>,
): Tool => ({
  name,
  register(server, deps) {
    const outputSchema = z.union([...output, refusal]);
    const config = { title, description, annotations, inputSchema: input as z.ZodObject, outputSchema };
    server.registerTool(name, config, async (args, { mcpReq }): Promise<CallToolResult> => {
      try {
        const { text, content, image } = await run(args as z.output<I>, deps, mcpReq.signal);
        return succeeded(text, z.union(output).parse(content), image);
      } catch (error) {
        return refused(error instanceof AppError ? error : unexpected(error));
      }
    });
  },
});

const unexpected = (error: unknown): AppError => {
  process.stderr.write(`treasury-mcp: ${error instanceof Error ? error.message : 'failed'}\n`);
  return new AppError(
    'internal',
    'The bridge could not make sense of the answer. Its version may not fit the treasury’s.',
  );
};

/** Reads and changes nothing. */
export const reading: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
