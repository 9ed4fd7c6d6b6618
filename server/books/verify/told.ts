// The result of a verification, in words.
import { momentText, type Proved, type Verdict } from './verify.ts';

const chains: Readonly<Record<string, string>> = {
  '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d': 'Solana’s main network',
  EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG: 'Solana’s devnet, whose money has no value',
  '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY': 'Solana’s testnet, whose money has no value',
};

export const isProved = ({ faults }: Verdict): boolean => faults.length === 0;

/** One sentence a line. @param signer the address that the reader gave */
export const verdictLines = (verdict: Verdict, signer: string): string[] =>
  isProved(verdict) ? provedLines(verdict, signer) : faultLines(verdict);

const byNumber = (count: number, one: string, more: string): string => (count === 1 ? one : more);
const entriesText = (count: number): string => `${count} ${byNumber(count, 'entry', 'entries')}`;
const sumOf = ({ proved }: Verdict): number => proved.reduce((sum, { entries }) => sum + entries, 0);

const provedLines = (verdict: Verdict, signer: string): string[] => {
  const { proved, head } = verdict;
  const [first, last] = [proved[0], proved.at(-1)];
  if (first === undefined || last === undefined) return [];
  const sum = sumOf(verdict);
  const when =
    proved.length === 1
      ? `at ${momentText(last.at)}`
      : `in ${proved.length} spans, the first at ${momentText(first.at)} and the last at ${momentText(last.at)},`;
  return [
    `${byNumber(sum, 'This entry', `These ${entriesText(sum)}`)} from ${momentText(first.from)} to ${momentText(last.to)} ${byNumber(sum, 'is complete and unaltered since it was', 'are complete and unaltered since they were')} anchored ${when} by ${signer}.`,
    'This does not say that the records were true then, nor that this signer anchored no other books.',
    ...lateLines(proved),
    `The anchors are on ${chains[head.genesis] ?? `a chain of its own (genesis ${head.genesis})`}.`,
  ];
};

const dayMs = 86_400_000;

/** An owner who anchors once a day is never two days late; one who writes the books anew later is. */
const lateLines = (proved: readonly Proved[]): string[] => {
  const days = Math.floor(Math.max(...proved.map(({ to, at }) => at - to)) / dayMs);
  return days < 2 ? [] : [`One of the spans was anchored ${days} days after it had ended.`];
};

const faultLines = (verdict: Verdict): string[] => {
  const { faults, proved } = verdict;
  return [
    'This statement is not proved.',
    ...faults,
    ...(proved.length === 0
      ? []
      : [
          `${proved.length} other ${byNumber(proved.length, 'span', 'spans')}, with ${entriesText(sumOf(verdict))}, ${byNumber(proved.length, 'agrees with its anchor', 'agree with their anchors')}.`,
        ]),
  ];
};
