// Paying a service, looking up a payment, and listing the services.
import type { Command } from 'commander';
import { createClient } from '../client/client.ts';
import { readEndpoint } from '../client/endpoint.ts';
import type { Reply } from '../contract/schemas.ts';
import { amount, idempotencyKey, once, reasonFrom, reasonOption, wholeNumber } from './arguments.ts';
import { Ending } from './ending.ts';
import { asAgentOrOwner, showAnswer, type Answer, type Session } from './session.ts';
import { facts, moment, table } from './table.ts';
import { show, type Terminal } from './terminal.ts';
import { writePrivate } from './write-file.ts';

interface PayOptions {
  description?: string;
  reason?: string;
  invoice?: string;
  key?: string;
}

export const addPay = (program: Command, terminal: () => Terminal): void => {
  program
    .command('pay <agent> <service>')
    .description('pay a service from an agent’s wallet, as its owner, or as the agent with TREASURY_API_KEY')
    .argument('<usdc>', 'how much', amount)
    .option('--description <text>', 'what it is for')
    .option(...reasonOption)
    .option('--invoice <text>', 'the seller’s invoice')
    .option('--key <text>', 'Idempotency-Key: repeats instead of paying again', idempotencyKey)
    .action((agentId: string, service: string, usdc: string, options: PayOptions) =>
      pay(terminal(), { agentId, service, usdc }, options),
    );
  program
    .command('payment <payment>')
    .description('what became of a payment')
    .option('--agent <id>', 'whose it is, with TREASURY_API_KEY (or TREASURY_AGENT_ID)')
    .option('-o, --output <file>', 'write what the seller delivered there, as long as that is kept')
    .action((paymentId: string, options: PaymentOptions) => payment(terminal(), paymentId, options));
  program
    .command('services [query]')
    .description('find paid services')
    .option('--limit <n>', 'at most this many', wholeNumber, 20)
    .action((query: string | undefined, { limit }: { limit: number }) =>
      services(terminal(), query ?? '', limit),
    );
};

interface Wanted {
  agentId: string;
  service: string;
  usdc: string;
}

const pay = async (
  terminal: Terminal,
  { agentId, service, usdc }: Wanted,
  { key, reason, ...told }: PayOptions,
): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  const body = {
    service,
    amount: usdc,
    currency: 'USDC' as const,
    ...told,
    ...reasonFrom(session.role, reason),
  };
  // A key given with --key already identifies the payment to go on with.
  const continues = key === undefined;
  const paid = await once(key, (used) =>
    session.ask('pay', { params: { agentId }, body, key: used, continues }),
  );
  showAnswer<'pay'>(terminal, paid, (done) => paidLines(done, service));
  if (paid.status === 'confirmed')
    await session.ask('received', { params: { agentId, paymentId: paid.paymentId } }).catch(() => {});
  if (paid.status !== 'confirmed')
    throw new Ending('underWay', `It is not confirmed yet. Look again: treasury payment ${paid.paymentId}`, {
      paymentId: paid.paymentId,
    });
};

const paidLines = (paid: Answer<'pay'>, service: string): string[] =>
  facts([
    ['Payment', paid.paymentId],
    ['Status', paid.status],
    ...(paid.status === 'confirmed'
      ? ([
          ['Paid', `${paid.amount} ${paid.currency} to ${service}`],
          ['Signature', paid.txSignature],
          ['X-Payment', paid.xPaymentHeader],
        ] as const)
      : []),
  ]);

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
const writeAnswer = async (
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

const transferLines = (found: Reply<'getTransfer'>): string[] =>
  facts([
    [found.kind === 'payment' ? 'Payment' : 'Transfer', `${found.id} (${found.kind})`],
    ['Status', `${found.status} (${found.state})`],
    ['Agent', found.agentId ?? 'none'],
    ['Amount', `${found.amount} ${found.currency} to ${found.service}`],
    ['Payee', found.payee],
    ['Description', found.description],
    ...(found.reason === null ? [] : ([['The agent says', found.reason]] as const)),
    ['Signature', found.txSignature ?? 'none'],
    ['Fee', `${found.feeSol} SOL`],
    ...Object.entries(found.times).flatMap(([name, time]) =>
      time === null ? [] : [[`at: ${name}`, moment(time)] as const],
    ),
    ...(found.failure === null ? [] : ([['Why', found.failure.message]] as const)),
  ]);

const services = async (terminal: Terminal, q: string, limit: number): Promise<void> => {
  const client = createClient(readEndpoint(terminal.dataDir), null);
  const found = await client.ask('searchServices', { query: { q, limit: String(limit) } });
  show(terminal, found, () =>
    found.results.length === 0
      ? ['No service fits. Try fewer words.']
      : table(
          terminal,
          ['SERVICE', 'NAME', 'USDC', 'CATEGORY', 'ENDPOINT'],
          found.results.map(({ id, name, price, category, endpoint }) => [
            id,
            name,
            price ?? '',
            category,
            endpoint,
          ]),
        ),
  );
};
