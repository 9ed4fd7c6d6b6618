// A command is one row: its words, options and examples, what it asks of the treasury, and how the reply reads. What
// every command does besides stands here once.
import { Argument, Option, type Command } from 'commander';
import { createClient, type Client } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import type { RouteName } from '../contract/routes.ts';
import type { Accepted } from '../contract/schemas.ts';
import { confirm } from './ending.ts';
import { asAgentOrOwner, asOwner, showAnswer, type Session } from './session.ts';
import { show, type Terminal } from './terminal.ts';

/** Adds a command, or several. `terminal` is a function since it depends on the parsed arguments. */
export type Add = (parent: Command, terminal: () => Terminal) => void;

/** Reads a value from its text; or the texts that can be chosen. */
type Reader = ((text: string) => unknown) | readonly string[];
/**
 * The value's name (after the short flag, if it has one: `-o file`), the purpose of the option, and how it is read;
 * `otherwise` is its value where it is not given.
 */
type Valued = readonly [what: string, help: string, read?: Reader | undefined, otherwise?: unknown];
/** By its name, `secretFd` for --secret-fd. A switch is only what it is for; `not` is on unless --no-NAME is given. */
type Options = Readonly<Record<string, string | Valued | { needed: Valued } | { not: string } | Option>>;
/** What an argument is, where its name does not say it. */
type Arguments = Readonly<Record<string, readonly [help: string, read?: Reader]>>;

type Read<R> = R extends (text: string) => infer T ? T : R extends readonly (infer C)[] ? C : string;
type OptionValue<O> = O extends string | { not: string }
  ? boolean
  : O extends { needed: infer V }
    ? OptionValue<V>
    : O extends Option
      ? unknown
      : O extends readonly [string, string, infer R, ...unknown[]]
        ? Read<R>
        : string;
/** A switch is off where it is not given. */
type Always =
  | string
  | readonly [string, string, Reader | undefined, unknown]
  | { needed: Valued }
  | { not: string };
type OptionValues<O> = {
  [K in keyof O as O[K] extends Always ? K : never]: OptionValue<O[K]>;
} & {
  [K in keyof O as O[K] extends Always ? never : K]?: OptionValue<O[K]>;
};
type ArgumentValue<N extends string, A> = A extends Record<N, readonly [string, infer R]> ? Read<R> : string;
type WordValues<W extends string, A> = W extends `${infer First} ${infer Rest}`
  ? WordValues<First, A> & WordValues<Rest, A>
  : W extends `<${infer N}...>`
    ? { [K in N]: readonly string[] }
    : W extends `<${infer N}>`
      ? { [K in N]: ArgumentValue<K, A> }
      : W extends `[${infer N}]`
        ? { [K in N]?: ArgumentValue<K, A> }
        : unknown;

/** The arguments and options by their names. */
type Given<W extends string, A, O> = WordValues<W, A> & OptionValues<O>;

interface Row<A, O> {
  about: string;
  /** Whole lines for --help. What stands behind `#` is said to the reader. */
  examples: readonly string[];
  arguments?: A;
  options?: O;
  /** It runs where its group is named without a word. */
  isDefault?: boolean;
}

interface Acting<W extends string, A, O> extends Row<A, O> {
  run(terminal: Terminal, given: Given<W, A, O>): void | Promise<void>;
}

interface Asking<S, R, W extends string, A, O> extends Row<A, O> {
  /** Asked before, unless --yes is given. */
  confirm?(given: Given<W, A, O>): string;
  ask(session: S, given: Given<W, A, O>, terminal: Terminal): Promise<R>;
  /** The lines for people, in place of the JSON. */
  show(reply: Done<S, R>, terminal: Terminal, given: Given<W, A, O>): readonly string[];
  /** May end the command in another way than with 0. @throws Ending */
  after?(reply: Done<S, R>): void;
}

/** An agent may have to wait for its owner first; that is no reply to show. */
type Done<S, R> = S extends Session ? Exclude<R, { [N in RouteName]: Accepted<N> }[RouteName]> : R;

export const sure = 'you are sure';

/**
 * A command that does more than to ask the treasury and to show the reply.
 * @param words with its arguments, `rename <agent> <name>`
 */
export const command =
  <const W extends string, const A extends Arguments = {}, const O extends Options = {}>(
    words: W,
    { about, examples, isDefault = false, run, ...row }: Acting<W, A, O>,
  ): Add =>
  (parent, terminal) => {
    const [name = '', ...taken] = words.split(' ');
    const made = parent.command(name, { isDefault }).description(about);
    for (const word of taken) {
      const [help, read] = (row.arguments as Arguments | undefined)?.[word.slice(1, -1)] ?? [];
      made.addArgument(reading(new Argument(word, help), read));
    }
    for (const [one, option] of Object.entries(row.options ?? {})) made.addOption(optionOf(one, option));
    withExamples(made, examples).action(() => run(terminal(), givenTo(made) as Given<W, A, O>));
  };

const reading = <T extends Option | Argument>(one: T, read: Reader | undefined): T => {
  if (typeof read === 'function') one.argParser(read);
  else if (read !== undefined) one.choices(read);
  return one;
};

/** `dailyBudget` as `--daily-budget`. */
export const flagOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const optionOf = (name: string, row: Options[string]): Option => {
  if (row instanceof Option) return row;
  if (typeof row === 'string') return new Option(flagOf(name), row).default(false);
  if ('not' in row) return new Option(`--no-${flagOf(name).slice(2)}`, row.not);
  if ('needed' in row) return optionOf(name, row.needed).makeOptionMandatory();
  const [named, help, read, otherwise] = row;
  const [, short = '', what] = /^(?:(-\w) )?(.*)$/.exec(named) ?? [];
  const flags = `${short === '' ? '' : `${short}, `}${flagOf(name)} <${what}>`;
  return reading(new Option(flags, help).default(otherwise), read);
};

const givenTo = (made: Command): Record<string, unknown> => ({
  ...Object.fromEntries(
    made.registeredArguments
      .map((one, at) => [one.name(), made.processedArgs[at]] as const)
      .filter(([, value]) => value !== undefined),
  ),
  ...made.opts(),
});

export const withExamples = (made: Command, lines: readonly string[]): Command =>
  made.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);

type Showing = typeof show;

/** Rows of commands that ask in one session and show the reply. */
const askingAs =
  <S>(sessionOf: (terminal: Terminal) => S, showing: Showing) =>
  <R, const W extends string, const A extends Arguments = {}, const O extends Options = {}>(
    words: W,
    { ask, show: linesOf, confirm: question, after, ...row }: Asking<S, R, W, A, O>,
  ): Add =>
    command<W, A, O>(words, {
      ...row,
      ...(question && { options: { ...row.options, yes: sure } as unknown as O }),
      async run(terminal, all) {
        const { yes, ...others } = all as { yes?: boolean };
        const given = (question === undefined ? all : others) as typeof all;
        const session = sessionOf(terminal);
        if (question !== undefined) await confirm(terminal, question(given), yes === true);
        const reply = (await ask(session, given, terminal)) as Done<S, R>;
        showing(terminal, reply, () => linesOf(reply, terminal, given));
        after?.(reply);
      },
    });

/** Asks as the owner, after `treasury login`. */
export const ownerCommand = askingAs<Client>(asOwner, show);
/** Asks as the agent of TREASURY_API_KEY, or else as the owner. */
export const agentOrOwnerCommand = askingAs<Session>(asAgentOrOwner, showAnswer as Showing);
/** Asks what everybody may ask. */
export const anyonesCommand = askingAs<Client>(
  ({ dataDir }) => createClient(readEndpoint(dataDir), null),
  show,
);

/** Commands under one word. */
export const commandGroup =
  (name: string, about: string, commands: readonly Add[], alias?: string): Add =>
  (parent, terminal) => {
    const made = parent.command(name).description(about);
    if (alias !== undefined) made.alias(alias);
    for (const add of commands) add(made, terminal);
  };
