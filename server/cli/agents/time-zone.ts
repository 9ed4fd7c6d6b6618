// `treasury time-zone`: the zone by whose calendar monthly budgets count; prints it, or sets another.
import type { Command } from 'commander';
import { asOwner } from '../session.ts';
import { show, type Terminal } from '../terminal.ts';

export const addTimeZone = (program: Command, terminal: () => Terminal): void => {
  program
    .command('time-zone [zone]')
    .description('print the time zone by which months are counted, or set another')
    .action((zone?: string) => timeZone(terminal(), zone));
};

const timeZone = async (terminal: Terminal, zone: string | undefined): Promise<void> => {
  const owner = asOwner(terminal);
  const settings =
    zone === undefined
      ? await owner.ask('getTimeZone')
      : await owner.ask('setTimeZone', { body: { timeZone: zone } });
  show(terminal, settings, () => [settings.timeZone]);
};
