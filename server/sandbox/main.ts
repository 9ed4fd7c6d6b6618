// `npm run sandbox`: the sandbox alone. One line of JSON on standard output reports that it is ready; the log goes to
// standard error.
import { parseArgs } from 'node:util';

import { AppError } from '../errors.ts';
import { endSignals } from '../lib/end-signals.ts';
import { createLog, type LogLevel } from '../log.ts';
import { runtimeNames } from './chain/load-runtime.ts';
import { createSandbox, type SandboxOptions } from './sandbox.ts';

const usage = `A local Solana with play money.

Usage: npm run sandbox -- --port N --data DIR [options]

  --port N            JSON-RPC over HTTP and websocket; websocket on N + 1 too (0: any free pair)
  --data DIR          where the chain is kept
  --slot-ms N         length of a slot (400)
  --confirm-ms N      from arrival to confirmed (400)
  --finalize-ms N     from arrival to finalized (13000)
  --runtime NAME      litesvm or script (litesvm where it is installed)
  --log-level LEVEL   debug, info, warn, error or silent (info)
  --help              this text
`;

const logLevels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
const text = { type: 'string' } as const;

class UsageError extends Error {}

const readOptions = (args: string[]): SandboxOptions | null => {
  const { values } = parseArguments(args);
  if (values.help) return null;
  const number = (name: string, value: string | undefined, least: number, most: number): number => {
    if (value !== undefined && /^\d{1,9}$/.test(value) && Number(value) >= least && Number(value) <= most) {
      return Number(value);
    }
    throw new UsageError(`--${name} must be a whole number from ${least} to ${most}.`);
  };
  if (values.port === undefined) throw new UsageError('--port is missing.');
  if (values.data === undefined || values.data === '') throw new UsageError('--data is missing.');
  const level = logLevels.find((name) => name === values['log-level']);
  if (!level) throw new UsageError(`--log-level must be one of ${logLevels.join(', ')}.`);
  const { runtime: wanted } = values;
  const runtime = runtimeNames.find((name) => name === wanted) ?? null;
  if (wanted !== undefined && runtime === null)
    throw new UsageError(`--runtime must be one of ${runtimeNames.join(', ')}.`);
  return {
    port: number('port', values.port, 0, 65_534),
    dataDir: values.data,
    slotMs: number('slot-ms', values['slot-ms'], 1, 3_600_000),
    confirmMs: number('confirm-ms', values['confirm-ms'], 0, 3_600_000),
    finalizeMs: number('finalize-ms', values['finalize-ms'], 0, 3_600_000),
    runtime,
    log: createLog(level),
  };
};

const parseArguments = (args: string[]) => {
  try {
    return parseArgs({
      args,
      options: {
        port: text,
        data: text,
        runtime: text,
        'slot-ms': { ...text, default: '400' },
        'confirm-ms': { ...text, default: '400' },
        'finalize-ms': { ...text, default: '13000' },
        'log-level': { ...text, default: 'info' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

const start = async (): Promise<void> => {
  const options = readOptions(process.argv.slice(2));
  if (options === null) return void process.stdout.write(usage);
  const sandbox = await createSandbox(options);
  const end = (): void => {
    for (const signal of endSignals()) process.off(signal, end);
    void sandbox.close();
  };
  for (const signal of endSignals()) process.on(signal, end);
  const { rpcUrl, wsUrl } = sandbox;
  process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid, rpcUrl, wsUrl })}\n`);
};

try {
  await start();
} catch (error) {
  if (!(error instanceof UsageError) && !(error instanceof AppError)) throw error;
  process.stderr.write(`${error.message}\n${error instanceof UsageError ? 'See --help.\n' : ''}`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
