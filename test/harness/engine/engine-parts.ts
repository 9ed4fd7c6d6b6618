// Parts of an engine that has no host around it.
import type { GatewayDeps } from '../../../server/engine/models/gateway.ts';
import type { Settings } from '../../../server/engine/payment/context.ts';
import type { ImageProviders, Pictures } from '../../../server/engine/ports.ts';
import type { NetworkGate } from '../../../server/lib/net/network-gate.ts';

/** Those of a sandbox, without limits of fees. */
export const settingsOf = (owner: string): Settings => ({
  network: 'sandbox',
  owner,
  feeLimit: null,
  rentLimit: null,
  reservationMs: 60_000,
  pollMs: 500,
  resendMs: 2_000,
  answers: { withinMs: 10_000, mostBytes: 1_048_576, streamBytes: 1_048_576 },
  proxyHoldMs: 60_000,
  ownOrigins: () => ['http://127.0.0.1:1'],
  bridge: () => ({ command: '', args: [], env: {} }),
});

const never = (): never => {
  throw new Error('neither pictures nor models are asked here');
};

export const noImages: { providers: ImageProviders; pictures: Pictures } = {
  providers: { models: () => [], usable: never, atOnce: never, repeatable: never, draw: never },
  pictures: { keep: never, find: never, read: never, small: never },
};

export const noModels: GatewayDeps = {
  languageModels: {
    ready: () => Promise.resolve(),
    suppliers: () => [],
    ofApi: () => [],
    seller: () => null,
    find: never,
    model: never,
    models: never,
    listed: () => null,
    keyOf: never,
  },
  askSupplier: never,
};

/** As no start precedes it. */
export const openGate: NetworkGate = { wait: () => null, isChecked: () => true };
