// `treasury watch`: what the watch does about unusual requests, what it saw, and what the owner says of that.
import type { Client } from '../../client/client.ts';
import { watchModes, watchRuleWords } from '../../contract/watch/watch.ts';
import type { Reply } from '../../contract/schemas.ts';
import { command } from '../command-row.ts';
import { asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

const words = [...watchModes, 'normal', 'usual'] as const;

export const addWatch = command('watch [agent] [word]', {
  about:
    'print what the watch saw, or choose what it does; “normal” mutes what it saw for 30 days, “usual” ends its asking',
  examples: ['treasury watch', 'treasury watch scout ask', 'treasury watch scout usual'],
  arguments: { word: ['a mode, or what you say of what it saw', words] },
  async run(terminal, { agent: agentId, word }) {
    const owner = asOwner(terminal);
    if (agentId === undefined) {
      const all = await owner.ask('listWatch');
      return show(terminal, all, () => linesOfAll(terminal, all));
    }
    const watched = await watch(owner, { agentId }, word);
    show(terminal, watched, () => linesOf(terminal, watched));
  },
});

const watch = (owner: Client, params: { agentId: string }, word: (typeof words)[number] | undefined) => {
  if (word === undefined) return owner.ask('getWatch', { params });
  if (word === 'normal') return owner.ask('watchNormal', { params, body: {} });
  if (word === 'usual') return owner.ask('watchUsual', { params });
  return owner.ask('setWatch', { params, body: { mode: word } });
};

type Trips = Reply<'getWatch'>['trips'];

const linesOfAll = (terminal: Terminal, { agents, trips }: Reply<'listWatch'>): string[] => [
  ...listing(terminal, agents, null, {
    AGENT: 'agentId',
    WATCH: 'mode',
    'ASKS BECAUSE': ({ asking }) => asking?.trip.sentence,
  }),
  ...tripLines(terminal, trips),
];

const linesOf = (terminal: Terminal, { mode, asking, mutes, trips }: Reply<'getWatch'>): string[] => [
  ...facts([
    ['Watch', mode],
    ['Asks since', asking && `${moment(asking.since)}: ${inert(asking.trip.sentence)}`],
    ...mutes.map(
      ({ rule, service, until }) =>
        ['Normal', inert(`${watchRuleWords[rule]} ${service}, until ${moment(until)}`)] as const,
    ),
  ]),
  ...tripLines(terminal, trips),
];

const tripLines = (terminal: Terminal, trips: Trips): string[] =>
  listing(terminal, trips, null, {
    SEEN: ({ at }) => moment(at),
    AGENT: 'agentId',
    DID: 'did',
    WHAT: 'sentence',
  });
