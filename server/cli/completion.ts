// `treasury completion`: a short script for the shell, which asks the command itself for what can come next. So it
// always knows this version's subcommands, and the agents and approvals of the treasury that runs.
import type { Command } from 'commander';
import { command, type Add } from './command-row.ts';
import { mcpHosts } from './install/hosts.ts';
import { asOwner } from './session.ts';
import { inert } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Hidden: what the scripts call. */
const asked = '__complete';

const bash = `_treasury_completion() {
  local value _
  COMPREPLY=()
  while IFS=$'\\t' read -r value _; do
    COMPREPLY+=("$value")
  done < <("\${COMP_WORDS[0]}" ${asked} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _treasury_completion treasury
`;

const zsh = `#compdef treasury
_treasury_completion() {
  local -a found
  local value what
  while IFS=$'\\t' read -r value what; do
    found+=("\${value//:/\\\\:}:$what")
  done < <("\${words[1]}" ${asked} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#found} )); then _describe 'treasury' found; else _files; fi
}
compdef _treasury_completion treasury
`;

const fish = `function __treasury_completion
  set -l words (commandline -opc)
  set -l found ($words[1] ${asked} -- $words[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c treasury -f -a '(__treasury_completion)'
`;

const scripts: Readonly<Record<string, string>> = { bash, zsh, fish };

export const completionCommands: readonly Add[] = [
  command('completion <shell>', {
    about: 'print the completion script of a shell',
    examples: [
      'source <(treasury completion bash)  # in ~/.bashrc',
      'source <(treasury completion zsh)  # in ~/.zshrc, after compinit',
      'treasury completion fish | source  # in ~/.config/fish/config.fish',
    ],
    arguments: { shell: ['the shell', Object.keys(scripts)] },
    run: ({ io }, { shell }) => io.out(scripts[shell] ?? ''),
  }),
  (program, terminal) =>
    program.command(`${asked} [words...]`, { hidden: true }).action(async (words: string[]) => {
      for (const [value, what] of await candidates(program, terminal(), words))
        terminal().print(`${value}\t${what}`);
    }),
];

type Candidate = readonly [value: string, what: string];

/** The completions of the last word, which may be empty. */
const candidates = async (
  program: Command,
  terminal: Terminal,
  words: readonly string[],
): Promise<Candidate[]> => {
  const typed = words.at(-1) ?? '';
  const { command: at, given, option } = placeOf(program, words.slice(0, -1));
  const folder = words[words.indexOf('--data') + 1];
  const there =
    words.includes('--data') && folder !== undefined ? { ...terminal, dataDir: folder } : terminal;
  const all = await (option === null
    ? typed.startsWith('-')
      ? optionsOf(program, at)
      : [...subcommandsOf(at), ...(await valuesOf(at.registeredArguments[given], there))]
    : (option.argChoices ?? []).map((value) => [value, ''] as const));
  return all.filter(([value]) => value.startsWith(typed));
};

interface Place {
  command: Command;
  /** How many arguments it was given. */
  given: number;
  /** The option whose value comes next. */
  option: Command['options'][number] | null;
}

const placeOf = (program: Command, words: readonly string[]): Place => {
  const place: Place = { command: program, given: 0, option: null };
  for (const word of words) {
    const known = [...place.command.options, ...program.options].find(({ long, short }) =>
      [long, short].includes(word),
    );
    const below = place.command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (place.option !== null) place.option = null;
    else if (word.startsWith('-')) place.option = known?.required === true ? known : null;
    else if (below !== undefined && place.given === 0) place.command = below;
    else place.given += 1;
  }
  return place;
};

const subcommandsOf = ({ commands }: Command): Candidate[] =>
  commands
    .filter((one) => one.name() !== asked)
    .map((one) => [one.name(), firstOf(one.description())] as const);

/** A line of a menu has little room. */
const firstOf = (description: string): string => /^[^;:]*/.exec(description)?.[0] ?? '';

const optionsOf = (program: Command, at: Command): Candidate[] =>
  [...new Set([...at.options, ...program.options])].map(
    ({ long, short, description }) => [long ?? short ?? '', firstOf(description)] as const,
  );

/** Values of an argument. Without a login, and without a treasury, there are none of those that it keeps. */
const valuesOf = async (
  argument: Command['registeredArguments'][number] | undefined,
  terminal: Terminal,
): Promise<Candidate[]> => {
  if (argument === undefined) return [];
  const { argChoices } = argument;
  if (argChoices !== undefined) return argChoices.map((value) => [value, ''] as const);
  const lookUp = looksUp[argument.name()];
  return lookUp === undefined ? [] : lookUp(terminal).catch(() => []);
};

/** A name that a shell would cut is completed by its id. */
const groups = async (terminal: Terminal): Promise<Candidate[]> => {
  const found = await asOwner(terminal).ask('listGroups');
  return found.groups.map(({ groupId, name }) =>
    /^[\w.-]+$/.test(name) ? [name, 'group'] : [groupId, inert(name)],
  );
};

const looksUp: Readonly<Record<string, (terminal: Terminal) => Promise<Candidate[]>>> = {
  async agent(terminal) {
    const { agents } = await asOwner(terminal).ask('listAgents');
    return agents.filter((one) => !one.archived).map((one) => [one.agentId, one.displayName] as const);
  },
  async approval(terminal) {
    const { approvals } = await asOwner(terminal).ask('listApprovals');
    const waiting = approvals.filter(({ status }) => status === 'pending');
    return waiting.map((one) => [one.approvalId, `${one.kind} of ${one.agentId}`] as const);
  },
  group: groups,
  'group-or-none': async (terminal) => [...(await groups(terminal)), ['none', 'no group']],
  async month(terminal) {
    const { months } = await asOwner(terminal).ask('bookMonths');
    return months.map(({ month, state }) => [month, state] as const);
  },
  async rule(terminal) {
    const { rules } = await asOwner(terminal).ask('bookRules');
    return rules.map(({ ruleId, account }) => [ruleId, account] as const);
  },
  async host() {
    return mcpHosts.map(({ id, name }) => [id, name] as const);
  },
};
