// JSON lines on standard error. Callers never log secrets; `redact` is a second safety net.
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

/** The log of a process. It keeps its last lines for diagnosis. */
export interface RootLog extends Log {
  recent(): readonly string[];
}

const recentLines = 200;

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
  const log = pino(
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
    { write },
  );
  return Object.assign(log, { recent: () => recent.slice(-recentLines) });
};
