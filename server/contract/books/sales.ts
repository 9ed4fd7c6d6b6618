// The sales of a seller's file, and how they are entered: the page and the command do the same, and say the same.
import { formatUsdc, parseUsdc, usdc } from '../../money.ts';
import { mostName, mostSales } from './books.ts';
import type { Input, Reply } from '../schemas.ts';

type Sale = NonNullable<Input<'addBookSales'>['body']>['sales'][number];
/** Null: the seller does not know which wallet was paid. */
type Sold = Omit<Sale, 'recipient'> & { recipient: string | null };

/** How the file is made. */
export const salesFile = 'agent-treasury-paywall sales grants.db --format json';

/** The sales of a file, one to a line. @param name of the file @throws Error for a line that is none */
export const salesIn = (text: string, name: string): Sold[] =>
  text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      const sale = saleIn(line);
      if (sale !== null) return [sale];
      throw new Error(
        `Line ${at + 1} of ${name} is not a sale, so nothing was entered. Write the file with: ${salesFile}`,
      );
    });

const saleIn = (line: string): Sold | null => {
  try {
    const { txSignature, amount, recipient, route, service } = JSON.parse(line) as Record<string, unknown>;
    if (typeof txSignature !== 'string' || typeof amount !== 'string') return null;
    const [to, ...names] = [recipient, route, service].map((one) => (typeof one === 'string' ? one : null));
    const name = names.find((one) => one !== null) ?? '';
    return { txSignature, amount, recipient: to ?? null, name: name.slice(0, mostName) };
  } catch {
    return null;
  }
};

/** Enters them in batches, and sums the replies. */
export const enterSales = async (
  sold: readonly Sold[],
  enter: (sales: Sale[]) => Promise<Reply<'addBookSales'>>,
): Promise<Reply<'addBookSales'>> => {
  const named = sold.flatMap(({ recipient, ...sale }) =>
    recipient === null ? [] : [{ ...sale, recipient }],
  );
  const sum = { added: 0, known: 0, foreign: sold.length - named.length, entries: 0, amount: 0n };
  for (let at = 0; at < named.length; at += mostSales) {
    const { deposits, ...counts } = await enter(named.slice(at, at + mostSales));
    for (const name of ['added', 'known', 'foreign'] as const) sum[name] += counts[name];
    sum.entries += deposits.entries;
    sum.amount += parseUsdc(deposits.amount) ?? 0n;
  }
  const { entries, amount, ...counts } = sum;
  return { ...counts, deposits: { entries, amount: formatUsdc(usdc(amount)) } };
};

const sales = (count: number): string => `${count} ${count === 1 ? 'sale' : 'sales'}`;

/** The outcome, as labels and lines. */
export const salesFacts = ({ added, known, foreign, deposits }: Reply<'addBookSales'>) =>
  [
    ['Entered', `${sales(added)}${known === 0 ? '' : `; ${known} were entered before`}`],
    ['Left out', foreign === 0 ? null : `${sales(foreign)} that name no wallet of this treasury`],
    [
      'Deposits',
      deposits.entries === 0
        ? 'None of them is a final deposit yet. Each counts once its deposit is final.'
        : `${deposits.entries} of them ${deposits.entries === 1 ? 'is a final deposit' : 'are final deposits'}, ${deposits.amount} USDC: Income:Sales in the books. Any others count once their deposit is final.`,
    ],
  ] as const;
