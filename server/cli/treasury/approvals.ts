// Requests that wait for the owner: shown exactly, then allowed or refused.
import type { Client } from '../../client/client.ts';
import { became, decidingFacts, requestOutcomes, whyAsked } from '../../contract/approvals/deciding.ts';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { mcpServerLines } from '../agents/keys.ts';
import { amount, dateOrTime } from '../arguments.ts';
import { command, ownerCommand } from '../command-row.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, listing, moment } from '../table.ts';
import { sayOf, show } from '../terminal.ts';

type Approval = Reply<'getApproval'>;

export const approvalsCommands = [
  ownerCommand('approvals', {
    about: 'what is waiting for your approval',
    examples: ['treasury approvals', 'treasury approvals --all'],
    options: { all: 'also what was decided' },
    async ask(owner, { all }) {
      const { approvals } = await owner.ask('listApprovals');
      return { approvals: approvals.filter(({ status }) => all || status === 'pending') };
    },
    show: ({ approvals }, terminal) =>
      listing(terminal, approvals, 'Nothing is waiting for your approval.', {
        APPROVAL: 'approvalId',
        AGENT: 'agentId',
        WANTS: ({ kind, shown }) =>
          kind === 'payment' || kind === 'standing'
            ? `${kind === 'payment' ? 'to pay' : 'to use'} ${textOf(shown['serviceName'])}`
            : kind,
        USDC: ({ shown }) => (typeof shown['amount'] === 'string' ? shown['amount'] : ''),
        STATUS: ({ status }) => requestOutcomes[status],
        UNTIL: ({ expiresAt }) => moment(expiresAt),
      }),
  }),
  command('approve <approval>', {
    about: 'show exactly what an agent asks for, and allow it once you said yes',
    examples: [
      'treasury approve apr_01k2',
      'treasury approve apr_01k2 --up-to 5 --until 2031-01-31  # and further payments to that service',
    ],
    options: {
      upTo: ['usdc', 'also allow further payments to this service, up to this sum', amount],
      until: ['time', 'how long those are allowed: a date, or a time in UTC', dateOrTime],
      yes: 'you have seen it and are sure',
    },
    async run(terminal, { approval: approvalId, upTo, until, yes }) {
      if ((upTo === undefined) !== (until === undefined))
        throw new Ending('usage', '--up-to and --until go together: how much, and for how long.');
      const standing = upTo === undefined || until === undefined ? {} : { standing: { upTo, until } };
      const owner = asOwner(terminal);
      const params = { approvalId };
      const approval = await owner.ask('getApproval', { params });
      if (approval.status !== 'pending')
        throw new AppError(
          'conflict',
          `This request ${became[approval.status]} and can no longer be decided.`,
        );
      const say = sayOf(terminal);
      describe(approval).forEach(say);
      if (upTo !== undefined) say(`And further payments to this service, up to ${upTo} USDC until ${until}.`);
      await confirm(terminal, 'Allow exactly this?', yes);
      const granted = await owner.ask('grantApproval', {
        params,
        body: { hash: approval.hash, ...standing },
      });
      show(terminal, granted, () => outcomeOf(granted));
      if (granted.status !== 'granted')
        throw new Ending('refused', `It ${became[granted.status]}: ${await whyNot(owner, granted)}`);
    },
  }),
  ownerCommand('deny <approval>', {
    about: 'refuse it',
    examples: ['treasury deny apr_01k2'],
    ask: (owner, { approval: approvalId }) => owner.ask('denyApproval', { params: { approvalId } }),
    show: ({ status }, _, { approval }) => facts([[approval, requestOutcomes[status]]]),
  }),
];

/** Of a payment that no longer fits the limits, in the owner's words. */
const whyNot = async (owner: Client, { shown, result }: Approval): Promise<string> => {
  const { paymentId } = shown;
  if (typeof paymentId !== 'string') return textOf(result?.['refusal']);
  const transfer = await owner.ask('getTransfer', { params: { transferId: paymentId } });
  return refusalOf(transfer, (agentId) => agentId)?.sentence ?? transfer.status;
};

const outcomeOf = ({ status, created }: Reply<'grantApproval'>): string[] => [
  ...(status === 'granted' ? ['Allowed.'] : []),
  ...(created === undefined ? [] : mcpServerLines('The MCP server of the new agent', created.mcpConfig)),
];

/** Every field that the approval's hash covers, verbatim: nothing is allowed that was not shown. */
const describe = (approval: Approval): string[] => {
  const { kind, shown, budget } = approval;
  return facts([
    ...fieldsOf(shown),
    ['budget', budget && `${budget.spent} spent, ${budget.after} with this, of ${budget.dailyBudget}`],
    ['why it asks you', kind === 'payment' || kind === 'standing' ? whyAsked(approval) : null],
    ...decidingFacts(approval).map(({ label, text }) => [label.toLowerCase(), text] as const),
  ]);
};

const fieldsOf = (shown: Readonly<Record<string, unknown>>, path = ''): (readonly [string, string])[] =>
  Object.entries(shown).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? fieldsOf({ ...value }, `${path}${name}.`)
      : [[path + name, textOf(value)] as const],
  );

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
};
