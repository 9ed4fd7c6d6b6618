// `treasury time-zone`: the zone by whose calendar monthly budgets count; prints it, or sets another.
import { ownerCommand } from '../command-row.ts';

export const addTimeZone = ownerCommand('time-zone [zone]', {
  about: 'print the time zone by which months are counted, or set another',
  examples: ['treasury time-zone', 'treasury time-zone Europe/Lisbon'],
  ask: (owner, { zone: timeZone }) =>
    timeZone === undefined ? owner.ask('getTimeZone') : owner.ask('setTimeZone', { body: { timeZone } }),
  show: ({ timeZone }) => [timeZone],
});
