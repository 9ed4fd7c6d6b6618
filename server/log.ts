// JSON lines on standard error. Callers never log secrets; `redact` is a second safety net.
import { pino, stdSerializers } from 'pino';
import { AppError } from './errors.ts';

export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'> & {
  child(bindings: Record<string, unknown>): Log;
};

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

const secretFields = [
  'authorization',
  'apiKey',
  'token',
  'passphrase',
  'phrase',
  'secret',
  'pollSecret',
  'body',
];

/** The log of a process. It keeps its last lines for diagnosis. */
export interface RootLog extends Log {
  recent(): readonly string[];
}

const recentLines = 200;
/** pino's number of it: `debug` leaves nothing out. */
const infoLevel = 30;
const repeatedAfterMs = 60_000;
const mostRemembered = 256;

/** A chain out of reach fails every timer that reads it: the RPC has its own line in the log, and a stack shows nothing. */
const isOutOfReach = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'chain_unreachable';

const describeError = (error: unknown): unknown =>
  isOutOfReach(error) ? { code: error.code, message: error.message } : stdSerializers.err(error as Error);

/** Whether a line about a chain out of reach repeats one of the last minute. */
const watchRepetitions = (): ((line: readonly unknown[]) => boolean) => {
  const shownAt = new Map<string, number>();
  return ([facts, text]) => {
    const error = (facts as { err?: unknown } | null | undefined)?.err;
    if (!isOutOfReach(error)) return false;
    const key = `${String(text)} ${error.message}`;
    const now = performance.now();
    if (now - (shownAt.get(key) ?? -Infinity) < repeatedAfterMs) return true;
    if (shownAt.size >= mostRemembered) shownAt.clear();
    shownAt.set(key, now);
    return false;
  };
};

/** A logger that writes synchronously, so that a crash does not lose the last line. */
export const createLog = (level: LogLevel, destination: number | string = 2): RootLog => {
  const file = pino.destination({ dest: destination, sync: true });
  // A full disk costs lines of the log. It must not end the process.
  file.on('error', () => {});
  let recent: string[] = [];
  const write = (line: string): void => {
    recent.push(line.trimEnd());
    if (recent.length > 2 * recentLines) recent = recent.slice(-recentLines);
    file.write(line);
  };
  const isRepetition = watchRepetitions();
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
      hooks: {
        logMethod(line, method, severity) {
          if (severity < infoLevel || !isRepetition(line)) method.apply(this, line);
        },
      },
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...secretFields, ...secretFields.map((field) => `*.${field}`)],
        censor: '[redacted]',
      },
    },
    { write },
  );
  return Object.assign(log, { recent: () => recent.slice(-recentLines) });
};
