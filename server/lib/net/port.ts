// A port of 127.0.0.1 that somebody else holds. It is found before a start builds or makes anything, and named with its
// holder and with what to do.
import { createServer, type AddressInfo } from 'node:net';
import { AppError } from '../../errors.ts';

export interface TakenPort {
  port: number;
  /** Another treasury, by its own word, or any other program. */
  holder: 'treasury' | 'program';
  /** The data folder of that treasury, as far as this user may know it. */
  folder: string | null;
  freePort: number;
}

interface Start {
  port: number;
  /** The data folder of what is to start. */
  dataDir: string;
  /** The data folder of the treasury that serves this port; null when this user knows of none. */
  folderServing(port: number): string | null;
}

/** @throws AppError `conflict` when the port is taken, or cannot be had by this user */
export const refuseTakenPort = async ({ port, dataDir, folderServing }: Start): Promise<void> => {
  const tried = port === 0 ? port : await tryPort(port);
  if (tried === 'forbidden') throw forbiddenPort(port);
  if (tried !== 'taken') return;
  const isTreasury = await answersAsTreasury(port);
  const taken: TakenPort = {
    port,
    holder: isTreasury ? 'treasury' : 'program',
    folder: isTreasury ? folderServing(port) : null,
    freePort: await freePortAfter(port),
  };
  throw new AppError('conflict', `${whoHolds(taken, dataDir)} ${whatToType(taken, dataDir)}`, { ...taken });
};

export const forbiddenPort = (port: number): AppError =>
  new AppError('conflict', `This user may not use port ${port}. Choose one above 1023 with --port.`);

/** The port that a start was refused for; null when it failed for another reason. */
export const takenPortOf = (error: unknown): TakenPort | null =>
  error instanceof AppError && error.details?.['holder'] !== undefined
    ? (error.details as unknown as TakenPort)
    : null;

export const whoHolds = ({ port, holder, folder }: TakenPort, dataDir: string): string => {
  if (holder === 'program') return `Port ${port} on 127.0.0.1 is taken by another program.`;
  if (folder === dataDir) return `The treasury of ${folder} is running already, on port ${port}.`;
  const whose = folder === null ? '' : `, that of ${folder}`;
  return `Port ${port} on 127.0.0.1 is taken by another treasury${whose}.`;
};

/** The script of npm that was typed; `npm start` for another start. */
const npmCommand = (): string => {
  const script = process.env['npm_lifecycle_event'];
  return script === undefined || !['headless', 'dev'].includes(script) ? 'npm start' : `npm run ${script}`;
};

/** What to type instead. */
export const whatToType = ({ folder, freePort }: TakenPort, dataDir: string): string =>
  folder === dataDir
    ? `Use that one, or stop it first. A second treasury needs a folder and a port of its own: --data FOLDER --port ${freePort}`
    : `Start this one on another port: --port ${freePort} (with npm: ${npmCommand()} -- --port ${freePort})`;

/** The port; 0 picks a free one. */
const tryPort = (port: number): Promise<number | 'taken' | 'forbidden'> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EACCES' ? 'forbidden' : 'taken'),
    );
    server.listen(port, '127.0.0.1', () => {
      const { port: bound } = server.address() as AddressInfo;
      server.close(() => resolve(bound));
    });
  });

/** Near enough to be remembered. */
const near = 20;

const freePortAfter = async (port: number): Promise<number> => {
  for (let next = port + 1; next <= Math.min(port + near, 65_535); next += 1)
    if ((await tryPort(next)) === next) return next;
  const any = await tryPort(0);
  return typeof any === 'number' ? any : 0;
};

const answersWithinMs = 1_500;

const answersAsTreasury = async (port: number): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(answersWithinMs);
    const response = await fetch(`http://127.0.0.1:${port}/v1/health`, { signal, redirect: 'error' });
    const text = await shortText(response);
    return text === '{"ok":true}' || (response.status === 503 && starting.test(text));
  } catch {
    return false;
  }
};

/** A treasury that is still starting refuses everything. */
const starting = /^\{"error":"[^"]{0,200}","code":"halted"\}$/;

const mostCharacters = 300;

/** Empty for more than a treasury would say: it may be any program. */
const shortText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > mostCharacters) return '';
  }
  return text;
};
