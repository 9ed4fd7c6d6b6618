// `treasury books rules`: which account and cost center an entry of the books gets.
import { InvalidArgumentError } from 'commander';
import type { Client } from '../../client/client.ts';
import { account, costCentre, needsCondition } from '../../contract/books/books.schemas.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { monthName, parsing, wholeNumber } from '../arguments.ts';
import { command, commandGroup, ownerCommand } from '../command-row.ts';
import { confirm, Ending } from '../ending.ts';
import { groupNamed } from '../agents/groups.ts';
import { asOwner } from '../session.ts';
import { facts, inert, listing, moment } from '../table.ts';
import { sayOf, show, type Terminal } from '../terminal.ts';

type Rule = Reply<'addBookRule'>;
type Preview = Reply<'previewBookRule'>;

interface Conditions {
  service?: string;
  payee?: string;
  origin?: string;
  agent?: string;
  group?: string;
}

interface Place {
  first: boolean;
  at?: number;
}

const conditions = (orNone = '') =>
  ({
    service: ['id', `what is paid to this service${orNone}`],
    payee: ['address', `what this address is paid, or pays in${orNone}`],
    origin: ['url', `what is paid for at this origin, such as https://api.example.com${orNone}`],
    agent: ['agent', `what this agent pays${orNone}`],
    group: ['group', `what the agents of this group pay${orNone}`],
  }) as const;

const placeFrom1 = parsing((text) => wholeNumber(text) || null, 'It must be a place in the list, from 1.');

const place = {
  first: 'try it before all others',
  at: ['n', 'its place in the list, from 1', placeFrom1],
} as const;

const previewed = {
  month: ['month', 'month to preview (default: the current month)', monthName],
} as const;

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
const matchIn = async (owner: Client, { service, payee, origin, agent, group }: Conditions) => ({
  ...(service === undefined ? {} : { serviceId: orNull(service) }),
  ...(payee === undefined ? {} : { payee: orNull(payee) }),
  ...(origin === undefined ? {} : { origin: orNull(origin) }),
  ...(agent === undefined ? {} : { agentId: orNull(agent) }),
  ...(group === undefined
    ? {}
    : { groupId: orNull(group) === null ? null : (await groupNamed(owner, group)).groupId }),
});

/** @throws Ending for two places at once */
const placeIn = ({ first, at }: Place): { rank?: number } => {
  if (first && at !== undefined)
    throw new Ending('usage', '--first and --at name two places: leave one out.');
  if (first) return { rank: 0 };
  return at === undefined ? {} : { rank: at - 1 };
};

const matchWords = ({ serviceId, payee, origin, agentId, groupId }: Rule): string =>
  Object.entries({ service: serviceId, payee, origin, agent: agentId, group: groupId })
    .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
    .join(', ');

const ruleLines = (rule: Rule, done: string): string[] =>
  facts([
    ['Rule', `${rule.ruleId}, ${done}`],
    ['Matches', matchWords(rule)],
    ['Account', rule.account],
    ['Cost center', rule.costCentre ?? 'none'],
  ]);

type Match = Awaited<ReturnType<typeof matchIn>>;

const previewOf = (owner: Client, match: Match, options: Place & { month?: string }): Promise<Preview> => {
  const month = options.month === undefined ? {} : { month: options.month };
  return owner.ask('previewBookRule', { body: { ...match, ...placeIn(options), ...month } }).catch(byOption);
};

const previewLines = ({ entries, amount, taken, examples }: Preview, terminal: Terminal): string[] => [
  `It catches ${entriesOf(entries)}, ${amount} USDC.`,
  ...taken.map(
    (sum) =>
      `An earlier rule, ${inert(sum.ruleId)}, already takes ${entriesOf(sum.entries)} (${sum.amount} USDC) that this rule would match.`,
  ),
  ...(examples.length === 0
    ? []
    : [
        '',
        ...listing(terminal, examples, null, {
          WHEN: ({ timestamp }) => moment(timestamp),
          SERVICE: 'service',
          AGENT: 'agentId',
          COUNTERPARTY: 'counterparty',
          AMOUNT: (example) => `${example.amount} ${example.currency}`,
          'TAKEN BY': 'takenBy',
        }),
      ]),
];

const entriesOf = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'}`;

const accountOption = ['name', 'such as Expenses:Research', checked(account)] as const;

export const addRules = commandGroup(
  'rules',
  'rules that assign an account and a cost center; the first match decides',
  [
    ownerCommand('list', {
      isDefault: true,
      about: 'list them in the order in which they are tried',
      examples: ['treasury books rules'],
      ask: (owner) => owner.ask('bookRules'),
      show: ({ rules }, terminal) =>
        listing(
          terminal,
          rules,
          'There are none. Add one: treasury books rules add --service ID --account Expenses:Research',
          {
            PLACE: (_, at) => at + 1,
            MATCHES: matchWords,
            ACCOUNT: 'account',
            'COST CENTER': 'costCentre',
            RULE: 'ruleId',
          },
        ),
    }),
    command('add', {
      about: 'add a rule, after the others; asks first where an earlier rule takes what it matches',
      examples: [
        'treasury books rules add --origin https://api.example.com --account Expenses:Research',
        'treasury books rules add --agent scout --service web-search --account Expenses:Research --cost-centre "R&D" --first',
      ],
      options: {
        ...conditions(),
        ...place,
        ...previewed,
        account: { needed: accountOption },
        costCentre: ['text', 'such as R&D', checked(costCentre)],
        yes: 'do not ask for confirmation',
      },
      async run(terminal, { account: booked, costCentre: center = null, yes, ...options }) {
        const owner = asOwner(terminal);
        const match = await matchIn(owner, options);
        const body = { ...match, ...placeIn(options), account: booked, costCentre: center };
        const preview = await previewOf(owner, match, options);
        if (preview.taken.length > 0) {
          previewLines(preview, terminal).forEach(sayOf(terminal));
          await confirm(terminal, 'Earlier rules take what is listed. Add it all the same?', yes);
        }
        const rule = await owner.ask('addBookRule', { body }).catch(byOption);
        const catchesNothing = preview.entries === 0 && preview.taken.length === 0;
        show(terminal, rule, () => [
          ...ruleLines(rule, 'added'),
          ...(catchesNothing ? [`It catches nothing in ${options.month ?? 'the current month'}.`] : []),
        ]);
      },
    }),
    ownerCommand('change <rule>', {
      about: 'change the given parts of a rule, or its position',
      examples: [
        'treasury books rules change rule_01k2 --account Expenses:Weather --cost-centre none',
        'treasury books rules change rule_01k2 --first',
      ],
      options: {
        ...conditions(', or none'),
        ...place,
        account: accountOption,
        costCentre: ['text', 'such as R&D, or none', checked(costCentre)],
      },
      async ask(owner, { rule: ruleId, account: booked, costCentre: center, ...options }) {
        const body = {
          ...(await matchIn(owner, options)),
          ...placeIn(options),
          ...(booked === undefined ? {} : { account: booked }),
          ...(center === undefined ? {} : { costCentre: orNull(center) }),
        };
        if (Object.keys(body).length === 0) throw new Ending('usage', 'Nothing is given that could change.');
        return owner.ask('changeBookRule', { params: { ruleId }, body }).catch(byOption);
      },
      show: (rule) => ruleLines(rule, 'changed'),
    }),
    ownerCommand('remove <rule>', {
      about: 'remove a rule; what it matched goes to the next that matches',
      examples: ['treasury books rules remove rule_01k2'],
      ask: (owner, { rule: ruleId }) => owner.ask('endBookRule', { params: { ruleId } }),
      show: (_reply, _terminal, { rule }) => facts([[rule, 'removed']]),
    }),
    ownerCommand('preview', {
      about: 'show what a rule would catch in a month, and what earlier rules take of it',
      examples: ['treasury books rules preview --service web-search --month 2030-01'],
      options: { ...conditions(), ...place, ...previewed },
      ask: async (owner, options) => previewOf(owner, await matchIn(owner, options), options),
      show: previewLines,
    }),
  ],
);
