// `agent-treasury-paywall rotate FILE` and `restored FILE`: another secret for the invoices of a store.
import { createGrantStore } from '../paywall/store/grant-store.ts';
import { replaceSecret } from '../paywall/store/invoice-records.ts';
import { fileIn, readArguments, type Command } from './command.ts';
import { withStoreFile } from './store-file.ts';

const command = (
  name: string,
  endsEarlier: boolean,
  about: string,
  saidOf: (file: string, time: string) => string,
) =>
  ({
    usage: `${about}

Usage: agent-treasury-paywall ${name} FILE
`,
    run(args: string[]): number {
      const file = fileIn(name, readArguments({ args }).positionals);
      const now = new Date();
      withStoreFile(file, { readonly: false }, (database) => {
        createGrantStore(database);
        replaceSecret(database, now.getTime(), { endsEarlier });
      });
      process.stdout.write(saidOf(file, now.toISOString()));
      return 0;
    },
  }) satisfies Command;

export const rotateCommand = command(
  'rotate',
  false,
  'Gives a store of grants another secret for its invoices. Those that were issued before stay payable.',
  (
    file,
    time,
  ) => `${file} signs invoices with another secret since ${time}. Sellers that run notice by themselves.
Invoices that were issued before stay payable: the former secret is good for invoiceSeconds + maxAgeSeconds + 300 seconds
more, which are 45 minutes unless you changed these options; until then a thief who has it can use it, too.
To end it at once: agent-treasury-paywall restored ${file}. Buyers that paid and were not served yet are then refused.
`,
);

export const restoredCommand = command(
  'restored',
  true,
  `After an older copy of a store of grants was put back: refuses what was issued or paid before now.
The copy may not know that such payments were served.`,
  (
    file,
    time,
  ) => `${file} refuses invoices that were issued, and payments without an invoice that were made, before ${time}.
It has a new secret: the former ones are gone. Sellers that run notice
within a tenth of a second.
A buyer that paid before and was not served is refused now. Such a payment, and each one that this copy has forgotten, is
in your wallet and not in "agent-treasury-paywall sales".
`,
);
