// This host: whether it is there, its interface, its diagnostics, its copies.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { hex, pageId, timestamp } from '../fields.ts';
import { mcpConfig } from '../agents/keys.schemas.ts';
import { endings } from './proof-text.ts';

export const aboutReply = z.object({
  version: z.string(),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  rpcHost: z.string(),
  secondRpcHost: z.string().nullable(),
  dataFolder: z.string(),
  protection: z.enum(['keychain', 'keychain+seal', 'passphrase-file', 'key-file']),
  startedAt: timestamp,
  node: z.string(),
  platform: z.string(),
  bridge: mcpConfig.describe('what an MCP host starts, the same for every agent'),
  terminal: z.array(z.string()).describe('the words that start the command `treasury`, from any folder'),
  exportPhrase: z.array(z.string()).describe('the words that print the recovery phrase, from any folder'),
  restored: z
    .object({ at: timestamp, searchedWallets: z.number() })
    .nullable()
    .describe(
      'when the records were read back from the chain, and how many wallets were searched for agents',
    ),
});
export const diagnosticsReply = z.object({
  about: aboutReply.omit({ bridge: true, terminal: true, exportPhrase: true }),
  collectedAt: timestamp,
  publicUrl: z.string().nullable().describe('where a tunnel of the owner’s leads here'),
  memoryMb: z.number(),
  counts: z.record(z.string(), z.number()),
  open: z.array(
    z.object({
      id: z.string(),
      kind: z.string(),
      state: z.string(),
      since: timestamp,
      evidence: z.string().nullable(),
    }),
  ),
  freeze: z.object({ since: timestamp, reason: z.string() }).nullable(),
  halted: z.string().nullable(),
  runtime: z
    .object({ name: z.enum(['litesvm', 'script']), why: z.enum(['asked', 'usual', 'litesvm_missing']) })
    .nullable()
    .describe('what runs the programs of the sandbox; null on another chain'),
  root: z
    .enum(['there', 'missing', 'damaged', 'out_of_reach'])
    .describe('what was found now where the root key is kept'),
  rpcs: z
    .array(
      z.object({
        host: z.string().describe('name and port'),
        role: z.enum(['first', 'second']),
        down: z
          .object({ since: timestamp.nullable(), why: z.string() })
          .nullable()
          .describe('null: it answers'),
        faults: z
          .array(
            z.object({
              what: z.string().describe('a method, or `websocket`'),
              answer: z.string(),
              without: z.string().describe('what does not work without it'),
              isNeeded: z.boolean().describe('false: the treasury does without it, less well'),
            }),
          )
          .describe('what a treasury needs of an RPC, and this one does not answer'),
      }),
    )
    .describe('each RPC as it was probed now; none where the chain is inside this program'),
  chain: z.object({ reachable: z.boolean(), blockTimeBehindMs: z.number().nullable() }),
  log: z.array(z.string()),
});
export const backupReply = z.object({
  file: z.string().describe('where it is, on the treasury’s machine'),
  bytes: z.number(),
  takenAt: timestamp,
  note: z.string().describe('what is not in it'),
});

export const hostExchanges = {
  health: get(
    nothing,
    z.strictObject({ nonce: hex(32).optional(), key: hex(64).optional(), page: pageId.optional() }),
    z.object({
      ok: z.boolean(),
      proof: z
        .string()
        .optional()
        .describe(
          'proof that this host knows the API key or session, or sent the page; given when `nonce` and `key` or `page` are sent',
        ),
      ended: z.enum(endings).optional().describe('why the session is over; the proof covers it'),
    }),
  ),
  openapi: get(nothing, nothing, z.unknown()),
  about: get(nothing, nothing, aboutReply),
  diagnostics: get(nothing, nothing, diagnosticsReply),
  backup: post(nothing, nothing, backupReply),
  events: get(nothing, nothing, z.unknown()),
};
