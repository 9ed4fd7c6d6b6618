// `treasury books sales`: a seller's records, by which the books tell sales from other deposits.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { mostName, mostSales } from '../../contract/books/sales.schemas.ts';
import { formatUsdc, parseUsdc, usdc } from '../../money.ts';
import { ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { facts } from '../table.ts';

/** As `agent-treasury-paywall sales FILE --format json` writes them, one to a line. */
const sold = z
  .object({
    txSignature: z.string(),
    amount: z.string(),
    recipient: z.string().nullable(),
    route: z.string().nullable(),
    service: z.string().nullable(),
  })
  .transform(({ route, service, ...sale }) => ({
    ...sale,
    name: (route ?? service ?? '').slice(0, mostName),
  }));
type Sold = z.output<typeof sold>;

/** @throws Ending for a file that cannot be read, or a line that is no sale */
const salesIn = (file: string): Sold[] => {
  const lines = textOf(file).split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const read = z.string().transform(parsed).pipe(sold).safeParse(line);
    if (read.success) return [read.data];
    throw new Ending(
      'usage',
      `Line ${at + 1} of ${file} is not a sale. Write the file with: agent-treasury-paywall sales grants.db --format json`,
    );
  });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Ending('usage', `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
};

const sales = (count: number): string => `${count} ${count === 1 ? 'sale' : 'sales'}`;

export const salesCommand = ownerCommand('sales <file>', {
  about: 'enter the sales of a seller that is paid into your wallets; again: adds what is new',
  examples: ['treasury books sales sales.jsonl'],
  arguments: {
    file: ['written by: agent-treasury-paywall sales grants.db --format json; or - for standard input'],
  },
  async ask(owner, { file }) {
    const read = salesIn(file);
    const named = read.flatMap(({ recipient, ...sale }) =>
      recipient === null ? [] : [{ ...sale, recipient }],
    );
    const sum = { added: 0, known: 0, foreign: read.length - named.length, entries: 0, amount: 0n };
    for (let at = 0; at < named.length; at += mostSales) {
      const batch = named.slice(at, at + mostSales);
      const { deposits, ...counts } = await owner.ask('addBookSales', { body: { sales: batch } });
      for (const name of ['added', 'known', 'foreign'] as const) sum[name] += counts[name];
      sum.entries += deposits.entries;
      sum.amount += parseUsdc(deposits.amount) ?? 0n;
    }
    const { entries, amount, ...counts } = sum;
    return { ...counts, deposits: { entries, amount: formatUsdc(usdc(amount)) } };
  },
  show: ({ added, known, foreign, deposits }) =>
    facts([
      ['Entered', `${sales(added)}${known === 0 ? '' : `; ${known} were entered before`}`],
      ['Left out', foreign === 0 ? null : `${sales(foreign)} that name no wallet of this treasury`],
      [
        'Deposits',
        deposits.entries === 0
          ? 'None of them is a final deposit yet. Each counts once its deposit is final.'
          : `${deposits.entries} of them are final deposits, ${deposits.amount} USDC: Income:Sales in the books. The others count once their deposit is final.`,
      ],
    ]),
});
