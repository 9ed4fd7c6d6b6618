// `treasury delivery`: whether a seller delivered what was paid for, what it said, and the answer that is kept.
import type { Reply } from '../../contract/schemas.ts';
import { command } from '../command-row.ts';
import { agentOf, writeAnswer } from './payment.ts';
import { asAgentOrOwner, type Session } from '../session.ts';
import { facts, moment, type Fact } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';

export const addDelivery = command('delivery <payment>', {
  about: 'whether the seller delivered, what it said, and the answer that is kept',
  examples: ['treasury delivery pay_01k2', 'treasury delivery pay_01k2 -o report.json'],
  options: {
    agent: ['id', 'whose payment it is, with TREASURY_API_KEY (or TREASURY_AGENT_ID)'],
    output: ['-o file', 'write the kept answer there'],
  },
  async run(terminal, { payment: paymentId, agent, output }) {
    const session = asAgentOrOwner(terminal);
    const found = await look(terminal, session, { paymentId, agent });
    if (output !== undefined)
      await writeAnswer(session, { agentId: found.payment.agentId ?? '', paymentId }, output);
    const { delivery: state, answer, status, failure } = found.payment;
    const shown = { paymentId, status, delivery: state, answer, failure, evidence: found.evidence };
    show(terminal, output === undefined ? shown : { ...shown, file: output }, () => [
      ...linesOf(found),
      ...(output === undefined ? [] : [`The answer is in ${output}.`]),
      ...(output === undefined && answer !== null
        ? [`To get it: treasury delivery ${paymentId} --output FILE`]
        : []),
    ]);
  },
});

interface Told {
  payment: Reply<'getPayment'>;
  /** The seller's answer and its time, for the owner alone. */
  evidence: Readonly<Record<string, unknown>> | null;
}

const look = async (
  terminal: Terminal,
  session: Session,
  { paymentId, agent }: { paymentId: string; agent: string | undefined },
): Promise<Told> => {
  if (session.role === 'agent') {
    const params = { agentId: agentOf(terminal, agent), paymentId };
    return { payment: await session.ask('getPayment', { params }), evidence: null };
  }
  const transfer = await session.ask('getTransfer', { params: { transferId: paymentId } });
  const params = { agentId: transfer.agentId ?? '', paymentId };
  const payment = await session.ask('getPayment', { params });
  return { payment, evidence: transfer.purchase?.evidence ?? null };
};

const linesOf = ({ payment, evidence }: Told): string[] =>
  facts([
    ['Payment', `${payment.paymentId}, ${payment.amount} ${payment.currency}, ${payment.status}`],
    ['Delivery', sentences[payment.delivery ?? 'none']],
    ...(evidence === null ? [] : shownLines(evidence)),
    ['Why', payment.failure?.message],
    ['Kept answer', payment.answer === null ? 'none' : answerOf(payment.answer)],
  ]);

const sentences: Readonly<Record<NonNullable<Reply<'getPayment'>['delivery']> | 'none', string>> = {
  delivered: 'the seller delivered',
  undelivered: 'paid, but not delivered',
  open: 'not yet',
  none: 'the agent asks the seller itself',
};

/** As the treasury wrote it down at each try. */
const shownLines = (evidence: Readonly<Record<string, unknown>>): Fact[] => {
  const { shown, firstShownAt, answeredAt, status, error } = evidence;
  const words = typeof error === 'string' ? error : `HTTP ${String(status)}`;
  return [
    ['Shown to it', `${String(shown)} times, first ${moment(String(firstShownAt))}`],
    ['Last answer', `${moment(String(answeredAt))}: ${words}`],
  ];
};

const answerOf = ({ status, contentType, bytes }: NonNullable<Reply<'getPayment'>['answer']>): string =>
  `HTTP ${status}, ${contentType ?? 'of no named type'}, ${bytes} bytes`;
