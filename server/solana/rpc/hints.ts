// Hints from the websocket of a node, which are looked up before they count.
import type { Sighting } from '../../engine/ports.ts';
import type { Log } from '../../log.ts';
import { tokenAccountAddress } from '../message.ts';
import type { Subscriptions } from './subscriptions.ts';

interface Watching {
  subscriptions: Subscriptions;
  lookUp(signature: string): Promise<Sighting | null>;
  log: Log;
}

/** Calls back once the chain shows the signature at `confirmed`. Returns the unsubscription. */
export const onConfirmed = (
  { subscriptions, lookUp, log }: Watching,
  signature: string,
  seen: (sighting: Sighting) => void,
): (() => void) =>
  subscriptions.subscribe(
    'signatureSubscribe',
    [signature, { commitment: 'confirmed' }],
    { once: true },
    () => {
      // The notification's slot is the node's at that moment, not the transaction's: look it up.
      lookUp(signature).then(
        (sighting) => sighting !== null && seen(sighting),
        (error: unknown) => log.debug({ err: error }, 'a notified transaction is looked up later'),
      );
    },
  );

/** Calls back when the wallet's USDC account changes at `confirmed`. Returns the unsubscription. */
export const onChange = (
  { subscriptions, mint }: { subscriptions: Subscriptions; mint: string },
  wallet: string,
  changed: () => void,
): (() => void) =>
  subscriptions.subscribe(
    'accountSubscribe',
    [tokenAccountAddress(wallet, mint), { commitment: 'confirmed', encoding: 'base64' }],
    { once: false },
    changed,
  );
