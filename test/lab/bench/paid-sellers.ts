// Sellers behind our paywall, for the parts that buy from them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { rpcCall } from '../../harness/treasury.ts';
import { newWallet } from './floor.ts';
import type { Stage } from './stage.ts';

/** A seller behind our paywall, in a process of its own; with a facilitator it sells in x402 too. */
export const startReceiptSeller = async (
  stage: Stage,
  rpcUrl: string,
  x402?: { facilitatorUrl: string; kind: 'express' | 'plain' },
): Promise<string> => {
  const recipient = newWallet().address;
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [recipient, '0']);
  const script = fileURLToPath(new URL('receipt-seller.ts', import.meta.url));
  const more = x402 === undefined ? [] : [x402.facilitatorUrl, x402.kind];
  const args = [script, rpcUrl, recipient, stage.folder(), ...more];
  const seller = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = once(createInterface(seller.stdout), 'line');
  await stage.keep(Promise.resolve(seller), (it) => it.kill('SIGTERM'));
  const [url] = (await Promise.race([ready, once(seller, 'exit')])) as [unknown];
  if (typeof url !== 'string') throw new Error('the seller behind our paywall did not start');
  return url;
};
