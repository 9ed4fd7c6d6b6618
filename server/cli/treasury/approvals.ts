// Requests that wait for the owner: shown exactly, then allowed or refused.
import type { Command } from 'commander';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { amount, dateOrTime } from '../arguments.ts';
import { confirm, Ending } from '../ending.ts';
import { asOwner } from '../session.ts';
import { facts, moment, table } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

type Approval = Reply<'getApproval'>;

interface ApproveOptions {
  yes: boolean;
  upTo?: string;
  until?: string;
}

export const addApprovals = (program: Command, terminal: () => Terminal): void => {
  program
    .command('approvals')
    .description('what is waiting for your approval')
    .option('--all', 'also what was decided', false)
    .action(({ all }: { all: boolean }) => list(terminal(), all));
  program
    .command('approve <approval>')
    .description('show exactly what an agent asks for, and allow it once you said yes')
    .option('--up-to <usdc>', 'also allow further payments to this service, up to this sum', amount)
    .option('--until <time>', 'how long those are allowed: a date, or a time in UTC', dateOrTime)
    .option('--yes', 'you have seen it and are sure', false)
    .action((approvalId: string, options: ApproveOptions) => approve(terminal(), approvalId, options));
  program
    .command('deny <approval>')
    .description('refuse it')
    .action((approvalId: string) => deny(terminal(), approvalId));
};

const list = async (terminal: Terminal, isAll: boolean): Promise<void> => {
  const answer = await asOwner(terminal).ask('listApprovals');
  const approvals = answer.approvals.filter(({ status }) => isAll || status === 'pending');
  show(terminal, { approvals }, () =>
    approvals.length === 0
      ? ['Nothing is waiting for your approval.']
      : table(
          terminal,
          ['APPROVAL', 'AGENT', 'WANTS', 'USDC', 'STATUS', 'UNTIL'],
          approvals.map(({ approvalId, agentId, kind, shown, status, expiresAt }) => [
            approvalId,
            agentId,
            kind === 'payment' ? `to pay ${textOf(shown['serviceName'])}` : kind,
            typeof shown['amount'] === 'string' ? shown['amount'] : '',
            status,
            moment(expiresAt),
          ]),
        ),
  );
};

const approve = async (
  terminal: Terminal,
  approvalId: string,
  { yes, upTo, until }: ApproveOptions,
): Promise<void> => {
  if ((upTo === undefined) !== (until === undefined))
    throw new Ending('usage', '--up-to and --until go together: how much, and for how long.');
  const standing = upTo === undefined || until === undefined ? {} : { standing: { upTo, until } };
  const owner = asOwner(terminal);
  const params = { approvalId };
  const approval = await owner.ask('getApproval', { params });
  if (approval.status !== 'pending')
    throw new AppError('conflict', `This approval is ${approval.status} and can no longer be decided.`);
  const say = terminal.json ? terminal.note : terminal.print;
  for (const line of describe(approval)) say(line);
  if (upTo !== undefined) say(`And further payments to this service, up to ${upTo} USDC until ${until}.`);
  await confirm(terminal, 'Allow exactly this?', yes);
  const granted = await owner.ask('grantApproval', { params, body: { hash: approval.hash, ...standing } });
  show(terminal, granted, () => outcomeOf(granted));
  if (granted.status !== 'granted')
    throw new Ending('refused', `It is ${granted.status}: ${await whyNot(owner, granted)}`);
};

/** Of a payment that no longer fits the limits, in the owner's words. */
const whyNot = async (owner: ReturnType<typeof asOwner>, { shown, result }: Approval): Promise<string> => {
  const { paymentId } = shown;
  if (typeof paymentId !== 'string') return textOf(result?.['refusal']);
  const transfer = await owner.ask('getTransfer', { params: { transferId: paymentId } });
  return refusalOf(transfer, (agentId) => agentId)?.sentence ?? transfer.status;
};

const outcomeOf = ({ status, created }: Reply<'grantApproval'>): string[] => [
  ...(status === 'granted' ? ['Allowed.'] : []),
  ...(created === undefined
    ? []
    : [
        'The MCP server of the new agent, with the key that is shown only now:',
        JSON.stringify({ mcpServers: { 'agent-treasury': created.mcpConfig } }, null, 2),
      ]),
];

const deny = async (terminal: Terminal, approvalId: string): Promise<void> => {
  const denied = await asOwner(terminal).ask('denyApproval', { params: { approvalId } });
  show(terminal, denied, () => facts([[approvalId, denied.status]]));
};

/** Every field that the approval's hash covers, verbatim: nothing is allowed that was not shown. */
const describe = ({ shown, budget }: Approval): string[] => [
  ...facts([
    ...fieldsOf(shown),
    ...(budget === null
      ? []
      : ([
          ['budget', `${budget.spent} spent, ${budget.after} with this, of ${budget.dailyBudget}`],
        ] as const)),
  ]),
];

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
