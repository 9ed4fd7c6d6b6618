// Runs the proxy between an MCP host, on standard input and output, and the server that it wraps.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';
import { createAgentClient } from '../../client/agent-client.ts';
import { readIdentity } from '../../client/identity.ts';
import { mcpServiceId } from '../../contract/catalog/mcp-names.schemas.ts';
import { createPayments } from './payments.ts';
import { createStdioPeer, type Peer } from './peer.ts';
import { openPipe, type Pipe } from './pipe.ts';
import { createRemoteServer } from './remote-server.ts';
import { startServer } from './wrapped-server.ts';

/** A program on this machine under its registered name, or a URL. */
export type Wrapped =
  | { name: string; command: readonly string[] }
  | { url: URL; headers: Readonly<Record<string, string>> };

/** MCP hosts wait for a minute; some that show no progress wait for less. */
const patienceMs = 45_000;
/** For the treasury to hear which answers have reached the host. */
const settlesWithinMs = 2_000;

/** Returns the exit code: that of the server. @throws AppError when the server cannot be started */
export const runProxy = async (wrapped: Wrapped, env: NodeJS.ProcessEnv): Promise<number> => {
  const gone = new AbortController();
  const hostClosed = (): void => gone.abort();
  const hostGone = once(gone.signal, 'abort').then(() => null);
  const client = createAgentClient({ env, identify: () => readIdentity(env) });
  // Its query is for the server alone.
  const resource = 'url' in wrapped ? wrapped.url.origin + wrapped.url.pathname : mcpServiceId(wrapped.name);
  const pay = createPayments({ client, resource, newKey: randomUUID });
  const host = createStdioPeer(process.stdin, process.stdout);
  const open: Open = (server, serverClosed = () => {}) =>
    openPipe({ host, server, pay, patienceMs, hostClosed, serverClosed });
  process.stdout.on('error', hostClosed);
  return 'url' in wrapped ? runRemote(wrapped, open, hostGone) : runCommand(wrapped, env, open, hostGone);
};

type Open = (server: Peer, serverClosed?: () => void) => Promise<Pipe>;

const runCommand = async (
  { command }: Extract<Wrapped, { name: string }>,
  env: NodeJS.ProcessEnv,
  open: Open,
  hostGone: Promise<null>,
): Promise<number> => {
  const server = await startServer(command, { env, errors: process.stderr }).catch((error: unknown) => {
    // A host that is still listened to would keep this process alive.
    process.stdin.destroy();
    throw error;
  });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => server.signal(name));
  const pipe = await open(server.peer, () => void server.end());
  const ended = await Promise.race([server.ended, hostGone]);
  if (ended === null) {
    await Promise.all([server.end(), inTime(pipe.settled())]);
    return 0;
  }
  await inTime(pipe.serverEnded(ended.how));
  return ended.exitCode;
};

const runRemote = async (
  { url, headers }: Extract<Wrapped, { url: URL }>,
  open: Open,
  hostGone: Promise<null>,
): Promise<number> => {
  const server = createRemoteServer(url, headers);
  const pipe = await open(server);
  await hostGone;
  await inTime(Promise.all([server.end(), pipe.settled()]));
  return 0;
};

const inTime = async (done: Promise<unknown>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, settlesWithinMs)));
  await Promise.race([done.catch(() => {}), late]);
  clearTimeout(timer);
};
