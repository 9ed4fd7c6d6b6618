// `agent-treasury-paywall restored FILE`: ends the invoices of a store that may have forgotten some of its grants.
import { createGrantStore } from '../paywall/grant-store.ts';
import { refuseEarlier } from '../paywall/invoice-records.ts';
import type { Command } from './command.ts';
import { fileOf, withStoreFile } from './store-file.ts';

const usage = `After an older copy of a store of grants was put back: refuses the invoices that were issued before now,
and the payments without an invoice that were made before now, since the copy may not know that they were served.

Usage: agent-treasury-paywall restored FILE
`;

const run = (args: string[]): number => {
  const file = fileOf('restored', args);
  const now = new Date();
  withStoreFile(file, { readonly: false }, (database) => {
    createGrantStore(database);
    refuseEarlier(database, now.getTime());
  });
  process.stdout.write(saidOf(file, now));
  return 0;
};

const saidOf = (file: string, now: Date): string =>
  `${file} refuses invoices that were issued, and payments without an invoice that were made, before ${now.toISOString()}.
It has a new secret: the former ones are gone. Sellers that run use it from their next request on.
A buyer that paid before and was not served is refused now. Such a payment, and each one that this copy has forgotten, is
in your wallet and not in "agent-treasury-paywall sales".
`;

export const restoredCommand = { usage, run } satisfies Command;
