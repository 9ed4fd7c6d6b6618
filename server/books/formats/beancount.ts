// Files of beancount: https://beancount.github.io/docs/beancount_language_syntax.html
import { journal, type Posting, type Syntax } from './journal.ts';
import type { Book, Writer } from './writer.ts';

const syntax: Syntax = {
  price: (day) => `${day} price USDC 1.00 USD\n`,
  open: (day, account) => `${day} open ${account}\n`,
  meet: () => '',
  transaction: ({ day, id, payee, purpose, facts: { agent, tx, ...facts }, postings }) => {
    const marks = [
      ...(facts.note === undefined ? [] : [` #${markOf(facts.note)}`]),
      ...(agent === undefined ? [] : [` #${markOf(agent)}`]),
      ` ^${markOf(id)}`,
      ...(tx === undefined ? [] : [` ^${markOf(tx)}`]),
    ];
    const metadata = Object.entries({ id, ...facts }).map(([name, value]) => `  ${name}: ${quoted(value)}\n`);
    const head = `${day} * ${quoted(payee)} ${quoted(purpose)}${marks.join('')}\n`;
    return `${head}${metadata.join('')}${postings.map(line).join('')}`;
  },
  // A balance is that of the day's first moment. By itself, beancount would let it be off by a unit of its last digit.
  balances: (_, nextDay, balances) =>
    balances
      .map(({ account, amount }) => `${nextDay} balance ${account}  ${amount.replace(' ', ' ~ 0 ')}\n`)
      .join(''),
};

const line = ({ account, amount }: Posting): string => `  ${account}  ${amount}\n`;

const quoted = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Of a tag or a link. */
const markOf = (text: string): string => text.replaceAll(/[^A-Za-z0-9_/.-]/g, '-');

export const beancount = (book: Book): Writer => journal(book, syntax);
