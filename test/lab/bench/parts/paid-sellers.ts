// Sellers behind our paywall, for the parts that buy from them.
import { rpcCall } from '../../../harness/treasury.ts';
import { newWallet } from '../floors/floor.ts';
import type { Stage } from '../stage.ts';

/** A seller behind our paywall, in a process of its own; with a facilitator it sells in x402 too. */
export const startReceiptSeller = async (
  stage: Stage,
  rpcUrl: string,
  x402?: { facilitatorUrl: string; kind: 'express' | 'plain' },
): Promise<string> => {
  const recipient = newWallet().address;
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [recipient, '0']);
  const more = x402 === undefined ? [] : [x402.facilitatorUrl, x402.kind];
  return stage.program('parts/receipt-seller.ts', [rpcUrl, recipient, stage.folder(), ...more]);
};
