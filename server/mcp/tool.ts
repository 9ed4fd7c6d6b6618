// How a tool is defined, and registered with an MCP server.
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AgentClient } from '../client/agent-client.ts';
import { parse } from '../contract/field-errors.ts';
import { AppError } from '../errors.ts';
import type { Buyer } from './buy.ts';
import { refusal, refused, refuseTooLarge, succeeded, type Shown } from './results.ts';

export interface BridgeDeps {
  client: AgentClient;
  buyer: Buyer;
  newKey(): string;
  agentId(): string;
  /** The command of this bridge, to be given to another agent's host. */
  self: { command: string; args: readonly string[] };
  env: NodeJS.ProcessEnv;
}

export type Said = Shown;

export interface Tool {
  name: string;
  register(server: McpServer, deps: BridgeDeps): void;
}

interface Definition<I extends z.ZodType, O extends z.ZodObject> {
  title: string;
  description: string;
  annotations: ToolAnnotations;
  input: I;
  /** The possible results, each with a schema of its own; a refusal is added. */
  output: readonly [O, ...z.ZodObject[]];
  run(args: z.output<I>, deps: BridgeDeps, signal: AbortSignal): Promise<Said>;
}

/** Results are cut to the fields of their schema: a newer treasury may send more than this version promises. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(
  name: string,
  { title, description, annotations, input, output, run }: Definition<I, O>,
): Tool => ({
  name,
  register(server, deps) {
    const outputSchema = z.union([...output, refusal]);
    const strict = input.strict();
    const config = { title, description, annotations, inputSchema: listed(strict), outputSchema };
    const unknown = `is no argument of ${name}, which takes ${Object.keys(input.shape).join(', ') || 'none'}`;
    server.registerTool(name, config, async (args, { mcpReq }): Promise<CallToolResult> => {
      const boundary = deps.newKey();
      let received: string | undefined;
      try {
        const wanted = parse(strict, args, unknown) as z.output<I>;
        const said = await run(wanted, deps, mcpReq.signal);
        const result = succeeded({ ...said, content: z.union(output).parse(said.content) }, boundary);
        refuseTooLarge(result, said.received);
        received = said.received;
        return result;
      } catch (error) {
        return refused(name, error instanceof AppError ? error : unexpected(error), boundary);
      } finally {
        deps.buyer.over(mcpReq.signal, received);
      }
    });
  },
});

/** The schema is listed, but arguments are parsed by us: errors are then in our words, with a next step. */
const listed = (schema: z.ZodObject) => ({
  '~standard': {
    version: 1 as const,
    vendor: 'agent-treasury',
    validate: (value: unknown) => ({ value }),
    jsonSchema: schema['~standard'].jsonSchema,
  },
});

const unexpected = (error: unknown): AppError => {
  process.stderr.write(`treasury-mcp: ${error instanceof Error ? error.message : 'failed'}\n`);
  return new AppError(
    'internal',
    'The bridge could not make sense of the answer. Its version may not fit the treasury’s.',
  );
};

/** Reads only. */
export const reading: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** Changes something of ours, and takes nothing away. */
export const changing: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  openWorldHint: false,
};
