// Looking up a payment.
import type { Client } from '../../client/client.ts';
import { namesOf } from '../../contract/agents/agent-names.ts';
import {
  becameOf,
  isFeeSellers,
  kinds,
  outcomeOf,
  outcomes,
  signOf,
  titleOf,
  type Status,
} from '../../contract/payments/outcomes.ts';
import { stepsOf } from '../../contract/payments/steps.ts';
import { refusalOf } from '../../contract/refusals/refused-transfer.ts';
import type { Reply } from '../../contract/schemas.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asAgentOrOwner, asOwner, type Session } from '../session.ts';
import { facts, moment, momentIn, type Fact } from '../table.ts';
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
    const owner = asOwner(terminal);
    const [nameOf, { timeZone }] = await Promise.all([namesFor(owner), owner.ask('getTimeZone')]);
    show(terminal, found, () => transferLines(found, nameOf, timeZone));
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
    ['Status', wordOf(found.status)],
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

/** Agents by the names that the owner knows. */
export const namesFor = async (owner: Client): Promise<(agentId: string) => string> => {
  const names = namesOf((await owner.ask('listAgents')).agents);
  return (agentId) => names.get(agentId) ?? agentId;
};

/** Of an agent's own payment, of which it is told no more than the status. */
export const wordOf = (status: Status): string =>
  outcomes[outcomeOf({ kind: 'payment', state: 'final', note: null, failure: null, status })].label;

/** For the owner, who reads another reason than the agent. */
const transferLines = (
  found: Reply<'getTransfer'>,
  nameOf: (agentId: string) => string,
  zone: string,
): string[] => {
  const { label, meaning } = becameOf(found);
  return facts([
    [kinds[found.kind], found.id],
    ['Status', meaning.startsWith(label) ? meaning : `${label}. ${meaning}`],
    ['Why', refusalOf(found, nameOf)?.sentence],
    ['Agent', found.agentId === null ? 'none' : nameOf(found.agentId)],
    ['Amount', `${signOf(found)}${found.amount} ${found.currency}`],
    ['For', titleOf(found, nameOf)],
    ['Drawn on', found.source === null ? null : `the cold wallet ${found.source}`],
    ['Payee', found.payee],
    ...(found.purchase?.splits ?? []).map(({ payee, amount }): Fact => [`${amount} of it to`, payee]),
    ['Description', found.description],
    ['The agent says', found.reason],
    ['Signature', found.txSignature ?? 'none'],
    ['Network fee', isFeeSellers(found) ? 'paid by the seller' : `${found.feeSol} SOL`],
    ...stepsOf(found).map(({ title, at, note }): Fact => [
      title,
      [at === null ? '' : momentIn(zone, at), note].filter((text) => text !== '').join('  '),
    ]),
  ]);
};
