// Looking up a payment.
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asAgentOrOwner, type Session } from '../session.ts';
import { facts, moment, type Fact } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { writePrivate } from './write-file.ts';

export const addPayment = command('payment <payment>', {
  about: 'what became of a payment',
  examples: ['treasury payment pay_01k2'],
  options: {
    agent: ['id', 'whose it is, with TREASURY_API_KEY (or TREASURY_AGENT_ID)'],
    output: ['-o file', 'write what the seller delivered there, as long as that is kept'],
  },
  async run(terminal, { payment: paymentId, agent, output }) {
    const session = asAgentOrOwner(terminal);
    if (session.role === 'agent') {
      const params = { agentId: agentOf(terminal, agent), paymentId };
      if (output !== undefined) await writeAnswer(session, params, output);
      const own = await session.ask('getPayment', { params });
      return show(terminal, own, () => ownLines(own));
    }
    const found = await session.ask('getTransfer', { params: { transferId: paymentId } });
    if (output !== undefined) await writeAnswer(session, { agentId: found.agentId ?? '', paymentId }, output);
    show(terminal, found, () => transferLines(found));
  },
});

/** @throws Ending when the file cannot be written; AppError when no answer is kept */
export const writeAnswer = async (
  session: Session,
  params: { agentId: string; paymentId: string },
  output: string,
): Promise<void> => {
  writePrivate(output, await session.read('answer', { params }));
  if (session.role === 'agent') await session.ask('received', { params }).catch(() => {});
};

const ownLines = (found: Reply<'getPayment'>): string[] =>
  facts([
    ['Payment', found.paymentId],
    ['Status', found.status],
    ['Amount', `${found.amount} ${found.currency} to ${found.service ?? ''}`],
    ['When', moment(found.timestamp)],
    ['Signature', found.txSignature ?? 'none'],
    ['X-Payment', found.xPaymentHeader ?? 'none'],
    ['Why', found.failure?.message],
  ]);

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
    ['Drawn on', found.source === null ? null : `the cold treasury ${found.source}`],
    ['Payee', found.payee],
    ...(found.purchase?.splits ?? []).map(({ payee, amount }): Fact => [`${amount} of it to`, payee]),
    ['Description', found.description],
    ['The agent says', found.reason],
    ['Signature', found.txSignature ?? 'none'],
    ['Fee', `${found.feeSol} SOL`],
    ...Object.entries(found.times).map(([name, time]): Fact => [`at: ${name}`, time && moment(time)]),
    ['Why', refusal?.sentence],
  ]);
};
