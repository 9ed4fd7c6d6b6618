// `agent-treasury-paywall rotate FILE`: another secret for the invoices of a store.
import { createGrantStore } from '../paywall/grant-store.ts';
import { rotateSecret } from '../paywall/invoice-records.ts';
import type { Command } from './command.ts';
import { fileOf, withStoreFile } from './store-file.ts';

const usage = `Gives a store of grants another secret for its invoices, also while its sellers run.

Usage: agent-treasury-paywall rotate FILE
`;

const run = (args: string[]): number => {
  const file = fileOf('rotate', args);
  const now = new Date();
  withStoreFile(file, { readonly: false }, (database) => {
    createGrantStore(database);
    rotateSecret(database, now.getTime());
  });
  process.stdout.write(saidOf(file, now));
  return 0;
};

const saidOf = (file: string, now: Date): string =>
  `${file} signs invoices with another secret since ${now.toISOString()}. Sellers that run use it from their next 402 on.
Invoices that were issued before stay payable: the former secret is good for invoiceSeconds + maxAgeSeconds + 300 seconds
more, which are 45 minutes unless you changed these options; until then also in the hands of a thief.
To end it at once: agent-treasury-paywall restored ${file}. Buyers that paid and were not served yet are then refused.
`;

export const rotateCommand = { usage, run } satisfies Command;
