// The commands that the palette runs without asking the treasury: open a screen or an agent, pause an agent, give it money.
import { pathOfAgent } from '../../shared/agent-names.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

export type Does =
  | { kind: 'open'; path: string }
  | { kind: 'pause' | 'resume'; agentId: string; name: string }
  | { kind: 'give'; agentId: string }
  | { kind: 'keys' };

export interface Command {
  id: string;
  label: string;
  /** Beside the label: the kind of thing, or its id. */
  note: string;
  does: Does;
  /** Further words by which it is found. */
  words?: string;
}

interface Place {
  path: string;
  label: string;
  words?: string;
}

/** The tabs of places. */
const further: readonly Place[] = [
  {
    path: '/treasury/get',
    label: 'Get money',
    words: 'deposit buy usdc sol fees address receive top up faucet',
  },
  { path: '/books/download', label: 'Download the books', words: 'accounting tax export csv statement' },
  { path: '/books/rules', label: 'Rules of the books', words: 'accounts cost centres bookkeeping' },
  { path: '/catalog/sources', label: 'Sources', words: 'imported lists facilitators catalog' },
  { path: '/catalog/models', label: 'Image models', words: 'models providers prices pictures' },
];

const openPlace = ({ path, label, words = '' }: Place): Command => ({
  id: `open ${path}`,
  label,
  note: 'Screen',
  does: { kind: 'open', path },
  words,
});

const help: Command = {
  id: 'keys',
  label: 'Keyboard shortcuts',
  note: 'Help',
  does: { kind: 'keys' },
  words: 'keys ?',
};

const ofAgent = ({ agentId, status }: AgentSummary, name: string): { open: Command; acts: Command[] } => {
  const stops = status === 'active';
  const shared = { note: 'Agent', words: agentId };
  return {
    open: {
      id: `agent ${agentId}`,
      label: name,
      note: name === agentId ? 'Agent' : `Agent ${agentId}`,
      does: { kind: 'open', path: pathOfAgent(agentId) },
      words: agentId,
    },
    acts: [
      {
        ...shared,
        id: `pause ${agentId}`,
        label: `${stops ? 'Pause' : 'Resume'} ${name}`,
        does: { kind: stops ? 'pause' : 'resume', agentId, name },
        words: `${agentId} ${stops ? 'stop kill suspend' : 'start go on'}`,
      },
      {
        ...shared,
        id: `give ${agentId}`,
        label: `Add funds to ${name}`,
        does: { kind: 'give', agentId },
        words: `${agentId} give money fund allocate`,
      },
    ],
  };
};

export const commandsFor = (
  places: readonly Place[],
  agents: readonly AgentSummary[],
  nameOf: (agentId: string) => string,
): readonly Command[] => {
  const each = agents.map((agent) => ofAgent(agent, nameOf(agent.agentId)));
  const screens = [...places, ...further].map(openPlace);
  return [...screens, ...each.map(({ open }) => open), ...each.flatMap(({ acts }) => acts), help];
};

const mostShown = 12;

/** The commands that have every typed word, those that begin with the text first; without text, the screens. */
export const matching = (commands: readonly Command[], text: string): readonly Command[] => {
  const typed = text.trim().toLowerCase();
  if (typed === '') return commands.filter(({ does }) => does.kind === 'open').slice(0, mostShown);
  const words = typed.split(/\s+/);
  const found = commands.filter(({ label, words: more = '' }) => {
    const searched = `${label} ${more}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  const begins = ({ label }: Command): boolean => label.toLowerCase().startsWith(typed);
  return [...found.filter(begins), ...found.filter((command) => !begins(command))].slice(0, mostShown);
};
