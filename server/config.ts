// Configuration in one step: arguments and environment in, a checked value out.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { AppError } from './errors.ts';
import { dataFolderIn, fromHome } from './lib/files/folders.ts';
import { publicUrlOf, publicUrlRule } from './lib/net/public-url.ts';

export const defaultPort = 4402;
export const defaultDataDir = dataFolderIn({});

/** The option that names this data folder to a program of ours; none for the default one. */
export const dataOption = (dataDir: string): string[] =>
  dataDir === defaultDataDir ? [] : ['--data', dataDir];

const portNumber = (name: string) =>
  z
    .string()
    .regex(/^\d{1,5}$/, `--${name} must be a port number`)
    .transform(Number)
    .refine((port) => port <= 65_535, `--${name} must be a port number`);
const milliseconds = (name: string) =>
  z
    .string()
    .regex(/^\d{1,7}$/, `--${name} must be a number of milliseconds`)
    .transform(Number);
const countUpTo = (name: string, most: number) => {
  const rule = `--${name} must be a whole number from 1 to ${most}`;
  return z
    .string()
    .regex(/^\d{1,13}$/, rule)
    .transform(Number)
    .refine((count) => count >= 1 && count <= most, rule);
};
const descriptor = (name: string) =>
  z
    .string()
    .regex(
      /^\d{1,3}$/,
      `--${name} must be a file descriptor: a number such as 3, and never the secret itself`,
    )
    .transform(Number);
const url = (name: string, schemes: RegExp, example: string) =>
  z
    .string()
    .refine((text) => URL.canParse(text) && schemes.test(text), `--${name} must be a URL such as ${example}`);

const options = z.object({
  data: z.string().min(1, '--data must be the path of a folder').optional(),
  port: portNumber('port').optional(),
  network: z
    .enum(['sandbox', 'devnet', 'mainnet'], { error: '--network must be sandbox, devnet or mainnet' })
    .optional(),
  rpc: url('rpc', /^https?:/, 'http://127.0.0.1:8899').optional(),
  'second-rpc': url('second-rpc', /^https?:/, 'https://rpc.example.com').optional(),
  ws: url('ws', /^wss?:/, 'ws://127.0.0.1:8900').optional(),
  'allow-origin': z
    .array(
      z
        .string()
        .regex(
          /^http:\/\/127\.0\.0\.1:\d{1,5}$/,
          '--allow-origin must be an origin of this machine such as http://127.0.0.1:8080',
        ),
    )
    .default([]),
  'public-url': z
    .string()
    .transform((text) => publicUrlOf(text))
    .refine((origin) => origin !== null, `--public-url ${publicUrlRule}`)
    .optional(),
  'owner-cookie': z.boolean().default(false),
  'export-phrase': z.boolean().default(false),
  restore: z.string().min(1, '--restore must be the path of a backup').optional(),
  'passphrase-fd': descriptor('passphrase-fd').optional(),
  'import-phrase': z.boolean().default(false),
  'import-phrase-fd': descriptor('import-phrase-fd').optional(),
  'slot-ms': milliseconds('slot-ms').default(400),
  'confirm-ms': milliseconds('confirm-ms').default(400),
  'finalize-ms': milliseconds('finalize-ms').default(13_000),
  runtime: z.enum(['litesvm', 'script'], { error: '--runtime must be litesvm or script' }).optional(),
  'answer-seconds': countUpTo('answer-seconds', 3_600).default(300),
  'answer-bytes': countUpTo('answer-bytes', 64 * 1024 * 1024).default(32 * 1024 * 1024),
  'stream-bytes': countUpTo('stream-bytes', 1024 ** 4).default(1024 ** 3),
  'log-level': z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], {
      error: '--log-level must be debug, info, warn, error or silent',
    })
    .default('info'),
  help: z.boolean().default(false),
});

export interface Config {
  dataDir: string;
  /** 0 picks a free one. */
  port: number;
  network: 'sandbox' | 'devnet' | 'mainnet';
  /** False: the network is the default. */
  isNetworkNamed: boolean;
  /** Null: the sandbox in this process. */
  rpcUrl: string | null;
  wsUrl: string | null;
  secondRpcUrl: string | null;
  /** Sandbox only: origins of sellers on this machine that may be fetched over plain HTTP. */
  allowOrigins: readonly string[];
  /** The origin at which the owner's own tunnel leads here; it wins over the setting. */
  publicUrl: string | null;
  ownerCookie: boolean;
  /** Print the recovery phrase and exit. */
  exportPhrase: boolean;
  /** Path of a backup that replaces the database; the process then exits. */
  restore: string | null;
  passphraseFd: number | null;
  /** Ask in the terminal for the recovery phrase of a treasury that existed elsewhere. */
  importPhrase: boolean;
  /** File descriptor with it. */
  importPhraseFd: number | null;
  sandbox: {
    slotMs: number;
    confirmMs: number;
    finalizeMs: number;
    /** Null: LiteSVM where it is installed. */
    runtime: 'litesvm' | 'script' | null;
  };
  /** Upper limits on the answer of a paid API; `streamBytes` for one through the proxy. */
  answers: { withinMs: number; mostBytes: number; streamBytes: number };
  logLevel: z.output<typeof options>['log-level'];
  help: boolean;
}

export const usage = `Usage: npm run headless -- [options]

  --data DIR           where everything is kept (default: ${join('~', '.agent-treasury')})
  --port N             port of the API on 127.0.0.1; 0 picks a free one (default ${defaultPort})
  --network NAME       sandbox, devnet or mainnet (default sandbox)
  --rpc URL            use this Solana RPC; needed on devnet and mainnet
  --ws URL             its websocket (default: the RPC's port + 1)
  --second-rpc URL     a second, independent RPC: payments go on through it while the first does not answer, and it has to
                       agree before reserved money is released
  --allow-origin URL   sandbox only, repeatable: a seller on this machine that may be asked, as http://127.0.0.1:PORT
  --public-url URL     the address at which a tunnel of yours leads here, as https://treasury.example.ts.net; it wins over
                       the one in Settings
  --owner-cookie       also on a real network write owner.cookie, with which this user is the owner
  --passphrase-fd N    read the vault's passphrase from this file descriptor
  --import-phrase      only at the first start on devnet or mainnet: ask in the terminal for the 24 words of an existing
                       treasury, and restore its agents from the chain
  --import-phrase-fd N the same, with the words from this file descriptor; npm hands on 0, 1 and 2 alone
  --slot-ms, --confirm-ms, --finalize-ms N
                       the clock of the sandbox (default 400, 400, 13000)
  --runtime NAME       the sandbox's runtime, litesvm or script (default: litesvm where it is installed)
  --export-phrase      print the 24 words of this network's recovery phrase on standard output, the network and the
                       treasury's address on standard error, and end
  --restore FILE       put this backup in the place of the records, which are kept beside it, and end; the next start reads
                       from the chain what the backup lacks, and stays frozen until its owner lifts that
  --answer-seconds N, --answer-bytes N
                       how long and how large the answer of a paid API may be (default 300 and 33554432; at most 3600 and
                       67108864)
  --stream-bytes N     how large an answer may be that the proxy sends on while it arrives (default 1073741824)
  --log-level LEVEL    debug, info, warn, error or silent (default info)
  --help               this text

Environment: TREASURY_PASSPHRASE (for containers), TREASURY_DATA (instead of --data).`;

/** @throws AppError `bad_request` that names the option */
export const readConfig = (args: readonly string[], env: NodeJS.ProcessEnv): Config => {
  const parsed = options.safeParse(readArguments(args));
  if (!parsed.success) {
    throw new AppError('bad_request', parsed.error.issues.map(({ message }) => message).join('; '));
  }
  const given = { ...parsed.data, network: parsed.data.network ?? ('sandbox' as const) };
  const needsChain = given.restore === undefined && !given['export-phrase'];
  if (given.network !== 'sandbox' && given.rpc === undefined && needsChain) {
    throw new AppError(
      'bad_request',
      `--rpc is needed on ${given.network}: the URL of a Solana RPC for that network.`,
    );
  }
  if (given['import-phrase'] && given['import-phrase-fd'] !== undefined)
    throw new AppError('bad_request', 'Give --import-phrase or --import-phrase-fd, not both.');
  if (given['passphrase-fd'] !== undefined && given['passphrase-fd'] === given['import-phrase-fd']) {
    throw new AppError(
      'bad_request',
      '--passphrase-fd and --import-phrase-fd must be different descriptors.',
    );
  }
  if (given.network !== 'sandbox' && given['allow-origin'].length > 0)
    throw new AppError('bad_request', '--allow-origin is for the sandbox network alone.');
  return {
    dataDir: resolve(given.data === undefined ? dataFolderIn(env) : fromHome(given.data)),
    port: given.port ?? defaultPort,
    network: given.network,
    isNetworkNamed: parsed.data.network !== undefined,
    rpcUrl: given.rpc ?? null,
    wsUrl: given.ws ?? (given.rpc === undefined ? null : webSocketOf(given.rpc)),
    secondRpcUrl: given['second-rpc'] ?? null,
    exportPhrase: given['export-phrase'],
    restore: given.restore === undefined ? null : fromHome(given.restore),
    allowOrigins: given['allow-origin'],
    publicUrl: given['public-url'] ?? null,
    ownerCookie: given.network === 'sandbox' || given['owner-cookie'],
    passphraseFd: given['passphrase-fd'] ?? null,
    importPhrase: given['import-phrase'],
    importPhraseFd: given['import-phrase-fd'] ?? null,
    sandbox: {
      slotMs: given['slot-ms'],
      confirmMs: given['confirm-ms'],
      finalizeMs: given['finalize-ms'],
      runtime: given.runtime ?? null,
    },
    answers: {
      withinMs: given['answer-seconds'] * 1_000,
      mostBytes: given['answer-bytes'],
      streamBytes: given['stream-bytes'],
    },
    logLevel: given['log-level'],
    help: given.help,
  };
};

const flags = ['help', 'owner-cookie', 'export-phrase', 'import-phrase'];

const readArguments = (args: readonly string[]): unknown => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const list = { type: 'string', multiple: true } as const;
  const kindOf = (name: string) => (flags.includes(name) ? flag : name === 'allow-origin' ? list : text);
  const known = Object.keys(options.shape).map((name) => [name, kindOf(name)]);
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(known), allowPositionals: false }).values;
  } catch (error) {
    throw new AppError('bad_request', error instanceof Error ? error.message : String(error));
  }
};

/** The same guess as web3.js: the RPC's port + 1 if the URL names a port, otherwise the same host and port. */
const webSocketOf = (rpc: string): string => {
  const target = new URL(rpc);
  target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
  if (target.port !== '') target.port = String(Number(target.port) + 1);
  return target.href;
};
