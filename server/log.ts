// Lines of JSON on standard error. Secrets are never handed to it; `redact` is the second net.
import { pino } from 'pino';

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

/** A logger that writes synchronously, so that the last line before a crash is there. */
export const createLog = (level: LogLevel, destination: number | string = 2): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: [...secretFields, ...secretFields.map((field) => `*.${field}`)],
        censor: '[redacted]',
      },
    },
    pino.destination({ dest: destination, sync: true }),
  );
