// Paying a service.
import type { Command } from 'commander';
import { amount, idempotencyKey, once, reasonFrom, reasonOption } from '../arguments.ts';
import { Ending } from '../ending.ts';
import { asAgentOrOwner, showAnswer, type Answer } from '../session.ts';
import { facts } from '../table.ts';
import type { Terminal } from '../terminal.ts';

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
    .option('--reason <text>', reasonOption[1])
    .option('--invoice <text>', 'the seller’s invoice')
    .option('--key <text>', 'Idempotency-Key: repeats instead of paying again', idempotencyKey)
    .action((agentId: string, service: string, usdc: string, options: PayOptions) =>
      pay(terminal(), { agentId, service, usdc }, options),
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
    throw new Ending('underWay', `It is not confirmed yet. Check again: treasury payment ${paid.paymentId}`, {
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
