// `treasury books rules`: which account and cost centre an entry of the books gets.
import { InvalidArgumentError, type Command } from 'commander';
import { account, costCentre, needsCondition } from '../../contract/books/books.schemas.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { monthName, wholeNumber } from '../arguments.ts';
import { confirm, Ending } from '../ending.ts';
import { groupNamed } from '../agents/groups.ts';
import { asOwner } from '../session.ts';
import { facts, inert, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Owner = ReturnType<typeof asOwner>;
type Rule = Reply<'addBookRule'>;
type Preview = Reply<'previewBookRule'>;

interface Conditions {
  service?: string;
  payee?: string;
  origin?: string;
  agent?: string;
  group?: string;
}

interface RuleOptions extends Conditions {
  account?: string;
  costCentre?: string;
  first: boolean;
  at?: number;
  month?: string;
  yes: boolean;
}

export const addRules = (books: Command, terminal: () => Terminal): void => {
  const rules = books
    .command('rules')
    .description('rules that assign an account and a cost centre; the first match decides');
  rules
    .command('list', { isDefault: true })
    .description('list them in the order in which they are tried')
    .action(() => list(terminal()));
  previewed(placed(conditional(rules.command('add'))))
    .description('add a rule, after the others; asks first where an earlier rule takes what it matches')
    .requiredOption('--account <name>', 'such as Expenses:Research', checked(account))
    .option('--cost-centre <text>', 'such as R&D', checked(costCentre))
    .option('--yes', 'do not ask for confirmation', false)
    .action((options: RuleOptions) => add(terminal(), options));
  placed(conditional(rules.command('change <rule>'), ', or none'))
    .description('change the given parts of a rule, or its position')
    .option('--account <name>', 'such as Expenses:Research', checked(account))
    .option('--cost-centre <text>', 'such as R&D, or none', checked(costCentre))
    .action((ruleId: string, options: RuleOptions) => change(terminal(), ruleId, options));
  rules
    .command('remove <rule>')
    .description('remove a rule; what it matched goes to the next that matches')
    .action((ruleId: string) => remove(terminal(), ruleId));
  previewed(placed(conditional(rules.command('preview'))))
    .description('show what a rule would catch in a month, and what earlier rules take of it')
    .action((options: RuleOptions) => showPreview(terminal(), options));
};

const conditional = (command: Command, orNone = ''): Command =>
  command
    .option('--service <id>', `what is paid to this service${orNone}`)
    .option('--payee <address>', `what this address is paid, or pays in${orNone}`)
    .option('--origin <url>', `what is paid for at this origin, such as https://api.example.com${orNone}`)
    .option('--agent <agent>', `what this agent pays${orNone}`)
    .option('--group <group>', `what the agents of this group pay${orNone}`);

const placed = (command: Command): Command =>
  command
    .option('--first', 'try it before all others', false)
    .option('--at <n>', 'its place in the list, from 1', (text: string) => {
      const place = wholeNumber(text);
      if (place > 0) return place;
      throw new InvalidArgumentError('It must be a place in the list, from 1.');
    });

const previewed = (command: Command): Command =>
  command.option('--month <month>', 'month to preview (default: the current month)', monthName);

/** @param field of the contract, for a text that the option gives */
const checked =
  (field: typeof account | typeof costCentre) =>
  (text: string): string => {
    const { success, error } = field.safeParse(text);
    if (success) return text;
    throw new InvalidArgumentError(`It ${error.issues[0]?.message ?? 'cannot be used'}.`);
  };

/** The options by the fields of the contract. */
const optionOf: Readonly<Record<string, string>> = {
  serviceId: '--service',
  payee: '--payee',
  origin: '--origin',
  agentId: '--agent',
  groupId: '--group',
  account: '--account',
  costCentre: '--cost-centre',
  rank: '--at',
  month: '--month',
};

/** @throws AppError that names the option instead of the field */
const byOption = (error: unknown): never => {
  if (!(error instanceof AppError)) throw error;
  const [, field = '', said = ''] = /^(\w+): (.*)$/s.exec(error.message) ?? [];
  if (said.startsWith(needsCondition))
    throw new Ending(
      'usage',
      'A rule needs at least one condition: --service, --payee, --origin, --agent or --group.',
    );
  const option = optionOf[field];
  throw option === undefined ? error : new AppError(error.code, `${option}: ${said}`, error.details);
};

const orNull = (text: string): string | null => (text === 'none' ? null : text);

/** The conditions that are given, by the names of the contract. */
const matchIn = async (owner: Owner, { service, payee, origin, agent, group }: Conditions) => ({
  ...(service === undefined ? {} : { serviceId: orNull(service) }),
  ...(payee === undefined ? {} : { payee: orNull(payee) }),
  ...(origin === undefined ? {} : { origin: orNull(origin) }),
  ...(agent === undefined ? {} : { agentId: orNull(agent) }),
  ...(group === undefined
    ? {}
    : { groupId: orNull(group) === null ? null : (await groupNamed(owner, group)).groupId }),
});

/** @throws Ending for two places at once */
const placeIn = ({ first, at }: RuleOptions): { rank?: number } => {
  if (first && at !== undefined)
    throw new Ending('usage', '--first and --at name two places: leave one out.');
  if (first) return { rank: 0 };
  return at === undefined ? {} : { rank: at - 1 };
};

const list = async (terminal: Terminal): Promise<void> => {
  const answer = await asOwner(terminal).ask('bookRules');
  show(terminal, answer, () =>
    answer.rules.length === 0
      ? ['There are none. Add one: treasury books rules add --service ID --account Expenses:Research']
      : table(
          terminal,
          ['PLACE', 'MATCHES', 'ACCOUNT', 'COST CENTRE', 'RULE'],
          answer.rules.map((rule, at) => [
            String(at + 1),
            matchWords(rule),
            rule.account,
            rule.costCentre ?? '',
            rule.ruleId,
          ]),
        ),
  );
};

const matchWords = ({ serviceId, payee, origin, agentId, groupId }: Rule): string =>
  Object.entries({ service: serviceId, payee, origin, agent: agentId, group: groupId })
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');

const add = async (terminal: Terminal, options: RuleOptions): Promise<void> => {
  const owner = asOwner(terminal);
  const { yes } = options;
  const match = await matchIn(owner, options);
  const place = placeIn(options);
  const preview = await previewOf(owner, match, options);
  if (preview.taken.length > 0) {
    const say = terminal.json ? terminal.note : terminal.print;
    for (const line of previewLines(terminal, preview)) say(line);
    await confirm(terminal, 'Earlier rules take what is listed. Add it all the same?', yes);
  }
  const rule = await owner
    .ask('addBookRule', {
      body: { ...match, ...place, account: options.account ?? '', costCentre: options.costCentre ?? null },
    })
    .catch(byOption);
  const catchesNothing = preview.entries === 0 && preview.taken.length === 0;
  show(terminal, rule, () => [
    ...ruleLines(rule, 'added'),
    ...(catchesNothing ? [`It catches nothing in ${options.month ?? 'the current month'}.`] : []),
  ]);
};

const change = async (terminal: Terminal, ruleId: string, options: RuleOptions): Promise<void> => {
  const owner = asOwner(terminal);
  const body = {
    ...(await matchIn(owner, options)),
    ...placeIn(options),
    ...(options.account === undefined ? {} : { account: options.account }),
    ...(options.costCentre === undefined ? {} : { costCentre: orNull(options.costCentre) }),
  };
  if (Object.keys(body).length === 0) throw new Ending('usage', 'Nothing is given that could change.');
  const rule = await owner.ask('changeBookRule', { params: { ruleId }, body }).catch(byOption);
  show(terminal, rule, () => ruleLines(rule, 'changed'));
};

const ruleLines = (rule: Rule, done: string): string[] =>
  facts([
    ['Rule', `${rule.ruleId}, ${done}`],
    ['Matches', matchWords(rule)],
    ['Account', rule.account],
    ['Cost centre', rule.costCentre ?? 'none'],
  ]);

const remove = async (terminal: Terminal, ruleId: string): Promise<void> => {
  const ended = await asOwner(terminal).ask('endBookRule', { params: { ruleId } });
  show(terminal, ended, () => facts([[ruleId, 'removed']]));
};

type Match = Awaited<ReturnType<typeof matchIn>>;

const previewOf = (owner: Owner, match: Match, options: RuleOptions): Promise<Preview> => {
  const month = options.month === undefined ? {} : { month: options.month };
  return owner.ask('previewBookRule', { body: { ...match, ...placeIn(options), ...month } }).catch(byOption);
};

const showPreview = async (terminal: Terminal, options: RuleOptions): Promise<void> => {
  const owner = asOwner(terminal);
  const preview = await previewOf(owner, await matchIn(owner, options), options);
  show(terminal, preview, () => previewLines(terminal, preview));
};

const previewLines = (terminal: Terminal, { entries, amount, taken, examples }: Preview): string[] => [
  `It catches ${entriesOf(entries)}, ${amount} USDC.`,
  ...taken.map(
    (sum) =>
      `An earlier rule, ${inert(sum.ruleId)}, already takes ${entriesOf(sum.entries)} (${sum.amount} USDC) that this rule would match.`,
  ),
  ...(examples.length === 0
    ? []
    : [
        '',
        ...table(
          terminal,
          ['WHEN', 'SERVICE', 'AGENT', 'COUNTERPARTY', 'AMOUNT', 'TAKEN BY'],
          examples.map((example) => [
            moment(example.timestamp),
            example.service,
            example.agentId ?? '',
            example.counterparty ?? '',
            `${example.amount} ${example.currency}`,
            example.takenBy ?? '',
          ]),
        ),
      ]),
];

const entriesOf = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;
