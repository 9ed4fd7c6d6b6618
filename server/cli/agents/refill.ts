// `treasury refill`: whether the treasury fills an agent's wallet up by itself.
import { amount } from '../arguments.ts';
import { ownerCommand } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { facts, moment } from '../table.ts';

export const addRefill = ownerCommand('refill <agent>', {
  about: 'print when the treasury fills its wallet up by itself, or change that',
  examples: [
    'treasury refill scout',
    'treasury refill scout --below 2 --to 5 --per-day 20',
    'treasury refill scout --off',
  ],
  options: {
    below: ['usdc', 'fill it up when it falls under this', amount],
    to: ['usdc', 'up to this', amount],
    perDay: ['usdc', 'never more than this in 24 hours', amount],
    off: 'no longer',
  },
  ask(owner, { agent: agentId, off, ...given }) {
    const params = { agentId };
    if (off) return owner.ask('setRefill', { params, body: { refill: null } });
    if (Object.keys(given).length === 0) return owner.ask('getRefill', { params });
    const { below, to, perDay } = given;
    if (below === undefined || to === undefined || perDay === undefined)
      throw new Ending('usage', 'A refill needs all of --below, --to and --per-day.');
    return owner.ask('setRefill', { params, body: { refill: { below, to, perDay } } });
  },
  show: ({ refill, refilled, lastAt }) =>
    facts([
      [
        'Refill',
        refill === null
          ? 'off'
          : `below ${refill.below} USDC up to ${refill.to} USDC, at most ${refill.perDay} USDC in 24 hours`,
      ],
      ['In the last 24 hours', `${refilled} USDC`],
      ['Last', lastAt === null ? 'never' : moment(lastAt)],
    ]),
});
