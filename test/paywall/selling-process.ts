// A seller in a process of its own, which settles by itself and dies at the step that a request's header names.
// Argument: JSON {rpcUrl, recipient, path, seed}. First line: its address.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGrantStore } from '../../server/paywall/store/grant-store.ts';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { paywall } from '../../server/paywall/paywall.ts';

export interface SellingSettings {
  rpcUrl: string;
  recipient: string;
  /** The store's file. */
  path: string;
  /** Of the fee payer, in hex. */
  seed: string;
}
export const steps = [
  'before sign',
  'before row',
  'after row',
  'before end',
  'after end',
  'before grant',
] as const;
export type Step = (typeof steps)[number];

if (process.argv[1] === import.meta.filename) {
  const settings = JSON.parse(process.argv[2] ?? '') as SellingSettings;
  let dieAt: unknown = null;
  const dieIf = (step: Step): void => {
    if (dieAt === step) process.kill(process.pid, 'SIGKILL');
  };
  const kept = createGrantStore(settings.path);
  const key = keySignerOf(Buffer.from(settings.seed, 'hex'));
  const paid = paywall({
    price: '0.01',
    recipient: settings.recipient,
    rpcUrl: settings.rpcUrl,
    network: 'sandbox',
    rpcTimeoutMs: 60_000,
    settle: {
      feePayer: {
        address: key.address,
        sign(message) {
          dieIf('before sign');
          return key.sign(message);
        },
      },
    },
    store: {
      ...kept,
      async beginSettling(...given) {
        dieIf('before row');
        const outcome = await kept.beginSettling(...given);
        dieIf('after row');
        return outcome;
      },
      async endSettling(...given) {
        dieIf('before end');
        await kept.endSettling(...given);
        dieIf('after end');
      },
      grant(grant) {
        dieIf('before grant');
        return kept.grant(grant);
      },
    },
  });
  const server = createServer((request, response) => {
    dieAt = request.headers['die-at'];
    void paid(request, response, (error) => {
      response.statusCode = error === undefined ? 200 : 500;
      response.end(JSON.stringify({ error: String(error) }));
    });
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
  );
}
