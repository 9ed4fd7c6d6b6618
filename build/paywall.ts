// Packs the paywall for sellers of paid APIs.
import { packedFolder, packNpm, packWhenStarted } from './npm-package.ts';

export const packPaywall = (folder = packedFolder('paywall')): Promise<string> =>
  packNpm(
    {
      name: 'agent-treasury-paywall',
      description:
        'Answer 402, check the payment on Solana, serve: a paywall in USDC that sells in receipts, x402 and MPP.',
      node: 22,
      entry: 'server/paywall/module.ts',
      page: 'build/docs/paywall.md',
      types: {},
      commands: { 'agent-treasury-paywall': { file: 'customer.js', entry: 'server/customer/main.ts' } },
      // A native module cannot be bundled.
      dependencies: ['better-sqlite3'],
    },
    folder,
  );

await packWhenStarted(import.meta.url, packPaywall);
