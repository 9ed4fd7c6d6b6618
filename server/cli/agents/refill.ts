// `treasury refill`: whether the treasury fills an agent's wallet up by itself.
import type { Command } from 'commander';
import { amount } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

interface Given {
  below?: string;
  to?: string;
  perDay?: string;
  off: boolean;
}

export const addRefill = (program: Command, terminal: () => Terminal): void => {
  program
    .command('refill <agent>')
    .description('print when the treasury fills its wallet up by itself, or change that')
    .option('--below <usdc>', 'fill it up when it falls under this', amount)
    .option('--to <usdc>', 'up to this', amount)
    .option('--per-day <usdc>', 'never more than this in 24 hours', amount)
    .option('--off', 'no longer', false)
    .action((agentId: string, given: Given) => refill(terminal(), agentId, given));
};

const refill = async (
  terminal: Terminal,
  agentId: string,
  { below, to, perDay, off }: Given,
): Promise<void> => {
  const owner = asOwner(terminal);
  const params = { agentId };
  const isRead = below === undefined && to === undefined && perDay === undefined && !off;
  const found = isRead
    ? await owner.ask('getRefill', { params })
    : await owner.ask('setRefill', { params, body: { refill: off ? null : wanted(below, to, perDay) } });
  show(terminal, found, () =>
    facts([
      [
        'Refill',
        found.refill === null
          ? 'off'
          : `below ${found.refill.below} USDC up to ${found.refill.to} USDC, at most ${found.refill.perDay} USDC in 24 hours`,
      ],
      ['In the last 24 hours', `${found.refilled} USDC`],
      ['Last', found.lastAt === null ? 'never' : moment(found.lastAt)],
    ]),
  );
};

const wanted = (below?: string, to?: string, perDay?: string) => {
  if (below !== undefined && to !== undefined && perDay !== undefined) return { below, to, perDay };
  throw new Ending('usage', 'A refill needs all of --below, --to and --per-day.');
};
