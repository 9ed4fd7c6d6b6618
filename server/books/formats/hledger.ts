// Journals of hledger, which ledger reads too: https://hledger.org/1.25/hledger.html#journal-format
import { journal, type Syntax, type Transaction } from './journal.ts';
import type { Book, Writer } from './writer.ts';

/** Of the balances. */
const ours = 'Agent Treasury';

const syntax: Syntax = {
  // Strict checks want each commodity, account and payee declared.
  price: (day) => `commodity USD\ncommodity USDC\ncommodity SOL\npayee ${ours}\nP ${day} USDC 1.00 USD\n`,
  open: (_, account) => `account ${account}\n`,
  meet: (payee) => (payee === ours || payee === '' ? '' : `payee ${plain(payee)}\n`),
  transaction: ({ day, id, payee, purpose, facts, postings }) =>
    `${day} * (${id}) ${plain(payee)} | ${plain(purpose)}${comment(facts)}\n${postings.map(line).join('')}`,
  // Of nothing: a balance at the end of the day, whichever of its transactions was the last of an account.
  balances: (day, _, balances) =>
    `${day} * (balances) ${ours} | Balances at the end of the day\n${balances
      .map(({ account, amount }) => line({ account, amount: `0 USDC = ${amount}` }))
      .join('')}`,
};

const line = ({ account, amount }: { account: string; amount: string }): string =>
  `    ${account}  ${amount}\n`;

/** `;` begins a comment, and `|` ends the payee. */
const plain = (text: string): string => text.replaceAll(';', ',').replaceAll('|', '/');

const comment = (facts: Transaction['facts']): string => {
  const tags = Object.entries(facts).map(([name, value]) => `${name}:${plainValue(value)}`);
  return tags.length === 0 ? '' : `  ; ${tags.join(', ')}`;
};

/** A comma ends a tag; ledger reads dates in brackets, and a colon as the end of a name. */
const plainValue = (value: string): string => value.replaceAll(/[\s,;:|[\]]+/g, ' ').trim();

export const hledger = (book: Book): Writer => journal(book, syntax);
