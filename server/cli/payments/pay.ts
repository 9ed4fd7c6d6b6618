// Paying a service.
import { amount, idempotencyKey, once, reasonFrom, reasonOption } from '../arguments.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { asAgentOrOwner, showAnswer, type Answer } from '../session.ts';
import { facts } from '../table.ts';

export const addPay = command('pay <agent> <service> <usdc>', {
  about: 'pay a service from an agent’s wallet, as its owner, or as the agent with TREASURY_API_KEY',
  examples: [
    'treasury pay scout sandbox-weather 0.01',
    'treasury pay scout sandbox-weather 0.01 --key order-17',
  ],
  arguments: { usdc: ['how much', amount] },
  options: {
    description: ['text', 'what it is for'],
    reason: reasonOption,
    invoice: ['text', 'the seller’s invoice'],
    key: ['text', 'Idempotency-Key: repeats instead of paying again', idempotencyKey],
  },
  async run(terminal, { agent: agentId, service, usdc, key, reason, ...more }) {
    const session = asAgentOrOwner(terminal);
    const order = { service, amount: usdc, currency: 'USDC' as const, ...more };
    const body = { ...order, ...reasonFrom(session.role, reason) };
    // A key given with --key already identifies the payment to go on with.
    const continues = key === undefined;
    const paid = await once(key, (used) =>
      session.ask('pay', { params: { agentId }, body, key: used, continues }),
    );
    showAnswer<'pay'>(terminal, paid, (done) => paidLines(done, service));
    if (paid.status === 'confirmed')
      await session.ask('received', { params: { agentId, paymentId: paid.paymentId } }).catch(() => {});
    if (paid.status !== 'confirmed')
      throw new Ending(
        'underWay',
        `It is not confirmed yet. Check again: treasury payment ${paid.paymentId}`,
        {
          paymentId: paid.paymentId,
        },
      );
  },
});

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
