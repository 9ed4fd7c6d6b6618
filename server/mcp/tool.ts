// How a tool is defined, and registered with an MCP server.
import type { CallToolResult, McpServer, ToolAnnotations } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { AgentClient } from '../client/agent-client.ts';
import type { News } from '../client/agent-news.ts';
import { parse } from '../contract/field-errors.ts';
import { AppError } from '../errors.ts';
import type { Buyer } from './buy.ts';
import { noting, refused, refuseTooLarge, succeeded, type Shown } from './results.ts';

export interface BridgeDeps {
  client: AgentClient;
  buyer: Buyer;
  /** News of this agent from the treasury, as it happens. */
  news: News;
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
  /** The possible results. They are not listed: hosts would hand all schemas to the model in every conversation. */
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
    const strict = input.strict();
    const config = { title, description, annotations, inputSchema: listed(strict) };
    const unknown = `is no argument of ${name}, which takes ${Object.keys(input.shape).join(', ') || 'none'}`;
    server.registerTool(name, config, async (args, { mcpReq }): Promise<CallToolResult> => {
      const boundary = deps.newKey();
      let received: string | undefined;
      let notes: readonly string[] = [];
      try {
        const wanted = parse(strict, args, unknown) as z.output<I>;
        notes = readings({ ...(args as object) }, { ...wanted });
        const said = await run(wanted, deps, mcpReq.signal);
        const result = succeeded({ ...said, content: z.union(output).parse(said.content) }, boundary);
        refuseTooLarge(result, said.received);
        received = said.received;
        return noting(notes, result);
      } catch (error) {
        const why = error instanceof AppError ? error : unexpected(error);
        return noting(notes, refused(name, why, boundary));
      } finally {
        deps.buyer.over(mcpReq.signal, received);
      }
    });
  },
});

/** Models also write amounts as numbers: the answer says how each was read. */
const readings = (given: object, wanted: object): string[] => {
  const read = new Map<string, unknown>(Object.entries(wanted));
  return Object.entries(given).flatMap(([name, value]) =>
    typeof value === 'number' && typeof read.get(name) === 'string'
      ? [`${name} came as the number ${value} and was read as ${String(read.get(name))} USDC.`]
      : [],
  );
};

/** The schema is listed, but arguments are parsed by us: errors are then in our words, with a next step. */
const listed = (schema: z.ZodObject) => {
  const { jsonSchema } = schema['~standard'];
  return {
    '~standard': {
      version: 1 as const,
      vendor: 'agent-treasury',
      validate: (value: unknown) => ({ value }),
      jsonSchema: {
        input: (options: Parameters<typeof jsonSchema.input>[0]) => brief(jsonSchema.input(options)),
        output: (options: Parameters<typeof jsonSchema.output>[0]) => brief(jsonSchema.output(options)),
      },
    },
  };
};

/**
 * The schema as every model host takes it: one type a field, and none of the keywords that some refuse (`const`,
 * `propertyNames`, `anyOf`). An amount is listed as text, and a field that may be null as what else it may be: numbers and null
 * are taken too. Left out is also what says nothing: the dialect, which is MCP’s usual one, and the largest number that
 * JavaScript counts to.
 */
const brief = (schema: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      name === '$schema' ||
      name === 'propertyNames' ||
      (name === 'maximum' && value === Number.MAX_SAFE_INTEGER)
        ? undefined
        : ofOneType(value),
    ),
  ) as Record<string, unknown>;

interface Schema {
  type?: string | string[];
  anyOf?: Schema[];
  const?: unknown;
}

const ofOneType = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { type, anyOf, const: only, ...rest } = value as Schema;
  const [first] = anyOf ?? [];
  return {
    ...rest,
    ...(first === undefined ? {} : (ofOneType(first) as object)),
    ...(type === undefined ? {} : { type: Array.isArray(type) ? type[0] : type }),
    ...(only === undefined ? {} : { enum: [only] }),
  };
};

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
