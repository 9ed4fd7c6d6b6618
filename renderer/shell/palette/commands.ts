// The commands that the palette knows without asking the treasury: open a screen, a part of it or an agent, pause an agent,
// give it money, stop everything.
import {
  agentTabs,
  parts,
  pathOfSettings,
  settingsPageNames,
  settingsPages,
  wordsOfPlaces,
  type Part,
} from '../../parts.ts';
import { pathOfAgent } from '../../shared/agent-names.ts';
import type { AgentSummary } from '../../stores/treasury.ts';

export type Does =
  | { kind: 'open'; path: string }
  | { kind: 'pause' | 'resume'; agentId: string; name: string }
  | { kind: 'give'; agentId: string }
  | { kind: 'freeze' | 'keys' };

export interface Command {
  id: string;
  label: string;
  /** Beside the label: the kind of thing, or its id. */
  note: string;
  does: Does;
  /** Further words by which it is found. */
  words?: string;
}

/** The name of what a part stands in: its page of the settings, or its place. */
const placeOf = (path: string, places: readonly Part[]): string =>
  [
    ...settingsPageNames.map((page) => ({ path: pathOfSettings(page), label: settingsPages[page].label })),
    ...places,
  ].find((place) => place.path === path || (place.path !== '/' && path.startsWith(`${place.path}/`)))
    ?.label ?? 'Screen';

const openPart = ({ path, label, words = '' }: Part, note: string): Command => ({
  id: `open ${path} ${label}`,
  label,
  note,
  does: { kind: 'open', path },
  words,
});

const screensOf = (places: readonly Part[]): Command[] => [
  ...places.map((place) => openPart({ ...place, words: wordsOfPlaces[place.path] ?? '' }, 'Screen')),
  ...parts.map((part) => {
    const at = placeOf(part.path, places);
    return openPart(part, at === part.label ? 'Settings' : at);
  }),
];

const stopAll = (isFrozen: boolean): Command => ({
  id: 'freeze',
  label: isFrozen ? 'Unfreeze' : 'Freeze everything',
  note: isFrozen ? 'Lets your agents pay again' : 'Stops all payments at once',
  does: { kind: 'freeze' },
  words: isFrozen ? 'resume lift freeze' : 'stop all kill switch emergency',
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
      ...Object.entries(agentTabs).map(([tab, { label, words }]): Command => ({
        ...shared,
        id: `${tab} ${agentId}`,
        label: `${label}: ${name}`,
        does: { kind: 'open', path: pathOfAgent(agentId, tab) },
        words: `${agentId} ${words}`,
      })),
    ],
  };
};

interface Known {
  /** Those of the navigation. */
  places: readonly Part[];
  agents: readonly AgentSummary[];
  nameOf: (agentId: string) => string;
  isFrozen: boolean;
}

export const commandsFor = ({ places, agents, nameOf, isFrozen }: Known): readonly Command[] => {
  const each = agents.map((agent) => ofAgent(agent, nameOf(agent.agentId)));
  return [
    stopAll(isFrozen),
    ...screensOf(places),
    ...each.map(({ open }) => open),
    ...each.flatMap(({ acts }) => acts),
    help,
  ];
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
