// Looking up a payment.
import type { Command } from 'commander';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { Ending } from '../ending.ts';
import { asAgentOrOwner, type Session } from '../session.ts';
import { facts, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { writePrivate } from './write-file.ts';

export const addPayment = (program: Command, terminal: () => Terminal): void => {
  program
    .command('payment <payment>')
    .description('what became of a payment')
    .option('--agent <id>', 'whose it is, with TREASURY_API_KEY (or TREASURY_AGENT_ID)')
    .option('-o, --output <file>', 'write what the seller delivered there, as long as that is kept')
    .action((paymentId: string, options: PaymentOptions) => payment(terminal(), paymentId, options));
};

interface PaymentOptions {
  agent?: string;
  output?: string;
}

const payment = async (
  terminal: Terminal,
  paymentId: string,
  { agent, output }: PaymentOptions,
): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  if (session.role === 'agent') {
    const agentId = agentOf(terminal, agent);
    if (output !== undefined) await writeAnswer(session, { agentId, paymentId }, output);
    return ownPayment(terminal, session, paymentId, agentId);
  }
  const found = await session.ask('getTransfer', { params: { transferId: paymentId } });
  if (output !== undefined) await writeAnswer(session, { agentId: found.agentId ?? '', paymentId }, output);
  show(terminal, found, () => transferLines(found));
};

/** @throws Ending when the file cannot be written; AppError when no answer is kept */
export const writeAnswer = async (
  session: Session,
  params: { agentId: string; paymentId: string },
  output: string,
): Promise<void> => {
  writePrivate(output, await session.read('answer', { params }));
  if (session.role === 'agent') await session.ask('received', { params }).catch(() => {});
};

const ownPayment = async (
  terminal: Terminal,
  session: Session,
  paymentId: string,
  agentId: string,
): Promise<void> => {
  const found = await session.ask('getPayment', { params: { agentId, paymentId } });
  show(terminal, found, () =>
    facts([
      ['Payment', found.paymentId],
      ['Status', found.status],
      ['Amount', `${found.amount} ${found.currency} to ${found.service ?? ''}`],
      ['When', moment(found.timestamp)],
      ['Signature', found.txSignature ?? 'none'],
      ['X-Payment', found.xPaymentHeader ?? 'none'],
      ...(found.failure === null ? [] : ([['Why', found.failure.message]] as const)),
    ]),
  );
};

/** @throws Ending when no agent is named */
export const agentOf = ({ io }: Terminal, agent: string | undefined): string => {
  const agentId = agent ?? io.env['TREASURY_AGENT_ID'];
  if (agentId !== undefined) return agentId;
  throw new Ending('usage', 'With TREASURY_API_KEY, name the agent: --agent ID or TREASURY_AGENT_ID.');
};

/** For the owner, who reads another reason than the agent. */
const transferLines = (found: Reply<'getTransfer'>): string[] => {
  const refusal = refusalOf(found, (agentId) => agentId);
  return facts([
    [found.kind === 'payment' ? 'Payment' : 'Transfer', `${found.id} (${found.kind})`],
    ['Status', `${found.status} (${found.state})`],
    ['Agent', found.agentId ?? 'none'],
    ['Amount', `${found.amount} ${found.currency} to ${found.service}`],
    ...(found.source === null ? [] : ([['Drawn on', `the cold treasury ${found.source}`]] as const)),
    ['Payee', found.payee],
    ...(found.purchase?.splits ?? []).map(({ payee, amount }) => [`${amount} of it to`, payee] as const),
    ['Description', found.description],
    ...(found.reason === null ? [] : ([['The agent says', found.reason]] as const)),
    ['Signature', found.txSignature ?? 'none'],
    ['Fee', `${found.feeSol} SOL`],
    ...Object.entries(found.times).flatMap(([name, time]) =>
      time === null ? [] : [[`at: ${name}`, moment(time)] as const],
    ),
    ...(refusal === null ? [] : ([['Why', refusal.sentence]] as const)),
  ]);
};
