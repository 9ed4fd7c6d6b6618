// The host that the campaign kills: the same as `npm run headless` starts, with a channel to the parent that reports
// its store. It ends with its parent.
import '../../../../build/preload.mjs';
import type { Host } from '../../../../server/host/options.ts';
import { runHost } from '../../../../server/host/run.ts';
import { audit, clean } from '../../../harness/engine/audit.ts';
import type { Look, Question } from './host-process.ts';

const isQuiet = ({ engine }: Host): boolean => {
  const { store } = engine.context;
  return store.transfers.open().length === 0 && store.tasks.unsettled().length === 0;
};

const look = async (host: Host, changes = new Map<string, bigint>()): Promise<Look> => {
  const { store } = host.engine.context;
  const rows = [...store.transfers.iterate({})].map(({ id, kind, state, signed }) => ({
    id,
    kind,
    state,
    wire: signed === null ? null : Buffer.from(signed.wire).toString('base64'),
    signedAt: signed?.at ?? null,
  }));
  const { ledgerSum, ...rest } = clean(await audit(host, changes));
  return { rows, audit: JSON.stringify({ ...rest, ledgerSum: String(ledgerSum) }), changes };
};

const quiet = async (host: Host): Promise<null> => {
  while (!isQuiet(host)) await new Promise((resolve) => setTimeout(resolve, 10));
  return null;
};

const send = (message: unknown): void => {
  if (process.connected) process.send?.(message, () => {});
};

await runHost({
  args: process.argv.slice(2),
  announce(host) {
    const { url, owner, rpcUrl, cookieFile } = host;
    process.on('message', ({ number, ask, changes }: Question) => {
      (ask === 'look' ? look(host, changes) : quiet(host)).then(
        (result) => send({ number, result }),
        (error: unknown) => send({ number, error: String(error) }),
      );
    });
    process.on('disconnect', () => process.exit(1));
    send({ ready: { pid: process.pid, url, owner, rpcUrl, cookieFile } });
  },
});
