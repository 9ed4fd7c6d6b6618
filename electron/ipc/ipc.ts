// The IPC contract of page and main process: a schema for each of the desktop's commands, beside the contract of the
// owner's routes; and the type of the object that the preload script gives to the page.
import { z } from 'zod';
import type { Input, Reply } from '../../server/contract/schemas.ts';
import type { OwnerEvent, OwnerRoute } from '../../server/contract/owner-api.ts';
import { bookFormatNames } from '../../server/contract/books/book-formats.ts';
import { moment } from '../../server/contract/fields.ts';
import { filter } from '../../server/contract/payments/transfers.schemas.ts';
import type { ErrorCode } from '../../server/errors.ts';
import type { DesktopCommand } from './channels.ts';

const network = z.enum(['sandbox', 'devnet', 'mainnet']);
const url = z
  .string()
  .max(2_048)
  .refine((text) => URL.canParse(text) && /^https?:/.test(text), 'must be an http or https URL');
const passphrase = z.string().max(1_024);
const nothing = z.strictObject({});
const exportId = z.uuid();
const desktopState = z.object({
  /** `setup`: there is no treasury yet, or another network was chosen; `failed`: it could not be started. */
  phase: z.enum(['setup', 'starting', 'running', 'failed']),
  failure: z
    .object({
      /** An error code, or `port_in_use`. */
      code: z.string(),
      message: z.string(),
      /** With `port_in_use`: a free port for `retry`. */
      freePort: z.number().optional(),
    })
    .nullable(),
  network: network.nullable(),
  rpcUrl: z.string().nullable(),
  secondRpcUrl: z.string().nullable(),
  port: z.number(),
  /** Networks whose vault exists on this machine. */
  known: z.array(network),
  /** The owner has written down the recovery phrase; always true on the sandbox. */
  phraseConfirmed: z.boolean(),
  tray: z.object({ shown: z.boolean(), reason: z.string().nullable() }),
  shortcut: z.object({
    accelerator: z.string(),
    registered: z.boolean(),
    /** Why it is not registered, such as refused by the desktop environment. */
    reason: z.string().nullable(),
  }),
  startAtLogin: z.object({ supported: z.boolean(), enabled: z.boolean() }),
  notifications: z.boolean(),
  /** `off` without a release feed. */
  updates: z.enum(['off', 'idle', 'available', 'ready']),
  platform: z.string(),
  version: z.string(),
});
export type DesktopState = z.output<typeof desktopState>;

const done = z.object({ done: z.boolean() });
/** `path` is null when the owner cancels the dialog. */
const saved = z.object({ path: z.string().nullable() });

export const desktopExchanges = {
  state: { input: nothing, reply: desktopState },
  /** Starts a network's treasury: creates or imports its vault the first time, unlocks it later. */
  setUp: {
    input: z.strictObject({
      network,
      rpcUrl: url.optional(),
      secondRpcUrl: url.optional(),
      passphrase: passphrase.optional(),
      /** The 24 words of an existing treasury; never on the sandbox. */
      phrase: z.string().max(1_024).optional(),
    }),
    reply: desktopState,
  },
  /** Starts a failed treasury again, on another port if one is given. */
  retry: {
    input: z.strictObject({ port: z.number().int().min(0).max(65_535).optional() }),
    reply: desktopState,
  },
  revealPhrase: {
    input: z.strictObject({ passphrase: passphrase.optional() }),
    reply: z.object({ phrase: z.string() }),
  },
  /** Some words of the phrase by position (1 to 24), as proof that it was written down. */
  confirmPhrase: {
    input: z.strictObject({
      passphrase: passphrase.optional(),
      words: z
        .array(z.strictObject({ place: z.number().int().min(1).max(24), word: z.string().max(32) }))
        .min(3)
        .max(24),
    }),
    reply: z.object({ confirmed: z.boolean() }),
  },
  changeSettings: {
    input: z.strictObject({
      shortcut: z.string().max(64).optional(),
      startAtLogin: z.boolean().optional(),
      notifications: z.boolean().optional(),
    }),
    reply: desktopState,
  },
  /** Writes an agent's entry, with a key of its own, into the configuration of an MCP host. */
  installMcp: {
    input: z.strictObject({ host: z.string().max(32), agentId: z.string().min(1).max(64) }),
    /** `backup` holds what was there before. */
    reply: z.object({ file: z.string(), backup: z.string().nullable() }),
  },
  /** Copies to the clipboard; a secret is removed after 30 s. */
  copy: {
    input: z.strictObject({ text: z.string().max(16_384), secret: z.boolean().default(false) }),
    reply: done,
  },
  /** Opens the transaction in a block explorer, in the system's browser. */
  openExplorer: {
    input: z.strictObject({ signature: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/) }),
    reply: done,
  },
  openDataFolder: { input: nothing, reply: done },
  saveStatement: { input: z.strictObject({ format: z.enum(['csv', 'json']), ...filter }), reply: saved },
  /** Writes a file of the books. Meanwhile `bookProgress` reports how far it is, by the id that the page chose. */
  saveBooks: {
    input: z.strictObject({
      format: z.enum(bookFormatNames),
      from: moment.optional(),
      to: moment.optional(),
      exportId,
    }),
    /** `to`: the first moment after it, in ISO 8601. */
    reply: z.object({ path: z.string().nullable(), to: z.string().nullable() }),
  },
  /** Ends the writing and removes the incomplete file. False: no such file is being written. */
  cancelBooks: { input: z.strictObject({ exportId }), reply: done },
  savePicture: { input: z.strictObject({ taskId: z.string().max(64) }), reply: saved },
  saveDiagnostics: { input: nothing, reply: saved },
  quit: { input: nothing, reply: done },
} as const satisfies Record<DesktopCommand, { input: z.ZodType; reply: z.ZodType }>;

export type DesktopInput<C extends DesktopCommand> = z.input<(typeof desktopExchanges)[C]['input']>;
export type DesktopReply<C extends DesktopCommand> = z.output<(typeof desktopExchanges)[C]['reply']>;

/** The reply on the wire: of a thrown error, Electron would keep only the message. */
export type IpcAnswer<T> =
  | { ok: true; body: T }
  | { ok: false; error: { message: string; code: ErrorCode; details?: Record<string, unknown> } };

/** The screen to show, sent by the tray or a notification. */
interface OpenMessage {
  /** A path of the page's own router, such as `/approvals`. */
  path: string;
}

/** The page's `window.treasury`. */
export interface DesktopBridge {
  owner: {
    [N in OwnerRoute]: (input: Input<N> & { key?: string }) => Promise<IpcAnswer<Reply<N>>>;
  };
  desktop: { [C in DesktopCommand]: (input: DesktopInput<C>) => Promise<IpcAnswer<DesktopReply<C>>> };
  onEvent(listen: (event: OwnerEvent) => void): () => void;
  onState(listen: (state: DesktopState) => void): () => void;
  onOpen(listen: (message: OpenMessage) => void): () => void;
}
