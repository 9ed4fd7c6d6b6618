// `treasury watch`: what the watch does about unusual requests, what it saw, and what the owner says of that.
import { Argument, type Command } from 'commander';
import { watchModes, watchRuleWords } from '../../contract/watch/watch.ts';
import type { Reply } from '../../contract/schemas.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

const words = [...watchModes, 'normal', 'usual'] as const;
type Word = (typeof words)[number];

export const addWatch = (program: Command, terminal: () => Terminal): void => {
  program
    .command('watch [agent]')
    .description(
      'print what the watch saw, or choose what it does; “normal” mutes what it saw for 30 days, “usual” ends its asking',
    )
    .addArgument(new Argument('[word]', 'a mode, or what you say of what it saw').choices(words))
    .action((agentId: string | undefined, word: Word | undefined) => watch(terminal(), agentId, word));
};

const watch = async (
  terminal: Terminal,
  agentId: string | undefined,
  word: Word | undefined,
): Promise<void> => {
  const owner = asOwner(terminal);
  if (agentId === undefined) {
    const all = await owner.ask('listWatch');
    show(terminal, all, () => linesOfAll(terminal, all));
    return;
  }
  const params = { agentId };
  const mode = watchModes.find((one) => one === word);
  const watched =
    word === 'normal'
      ? await owner.ask('watchNormal', { params, body: {} })
      : word === 'usual'
        ? await owner.ask('watchUsual', { params })
        : mode === undefined
          ? await owner.ask('getWatch', { params })
          : await owner.ask('setWatch', { params, body: { mode } });
  show(terminal, watched, () => linesOf(terminal, watched));
};

type Trips = Reply<'getWatch'>['trips'];

const linesOfAll = (terminal: Terminal, { agents, trips }: Reply<'listWatch'>): string[] => [
  ...table(
    terminal,
    ['AGENT', 'WATCH', 'ASKS BECAUSE'],
    agents.map(({ agentId, mode, asking }) => [agentId, mode, asking?.trip.sentence ?? '']),
  ),
  ...tripLines(terminal, trips),
];

const linesOf = (terminal: Terminal, { mode, asking, mutes, trips }: Reply<'getWatch'>): string[] => [
  ...facts([
    ['Watch', mode],
    ...(asking === null
      ? []
      : [['Asks since', `${moment(asking.since)}: ${inert(asking.trip.sentence)}`] as const]),
    ...mutes.map(
      ({ rule, service, until }) =>
        ['Normal', inert(`${watchRuleWords[rule]} ${service}, until ${moment(until)}`)] as const,
    ),
  ]),
  ...tripLines(terminal, trips),
];

const tripLines = (terminal: Terminal, trips: Trips): string[] =>
  table(
    terminal,
    ['SEEN', 'AGENT', 'DID', 'WHAT'],
    trips.map(({ at, agentId, did, sentence }) => [moment(at), agentId, did, sentence]),
  );
