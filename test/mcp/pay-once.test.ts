// Which calls keep their key: those whose payment may have been made, or may still be. A treasury that answers as told is
// enough to see it; what it does with the keys is proven at the real one.
import { describe, expect, it } from 'vitest';
import type { AgentClient, Sending } from '../../server/client/agent-client.ts';
import type { RouteName } from '../../server/contract/routes.ts';
import { AppError, type ErrorCode } from '../../server/errors.ts';
import { createOpenCalls } from '../../server/mcp/open-calls.ts';
import { fetchOnce, payOnce, type FetchBody, type Wishes } from '../../server/mcp/pay-once.ts';

interface Sent {
  route: RouteName;
  body: unknown;
  sending: Sending;
}

const setUp = () => {
  let keys = 0;
  const newKey = (): string => `key-${(keys += 1)}`;
  const sent: Sent[] = [];
  let answers: (() => unknown)[] = [];
  const client: AgentClient = {
    ask: (route, input, sending) => {
      sent.push({ route, body: input?.body, sending: sending ?? {} });
      const answer = answers.shift();
      if (answer === undefined) throw new Error('nothing more was to be asked');
      return Promise.try(answer) as ReturnType<typeof client.ask<typeof route>>;
    },
    place: () => ({ url: '', owner: null, network: null }),
  };
  const open = { payments: createOpenCalls<Wishes>(newKey), purchases: createOpenCalls<Wishes>(newKey) };
  return {
    sent,
    answerWith: (...them: (() => unknown)[]) => void (answers = them),
    fetch: (body: Partial<FetchBody> = {}, signal = new AbortController().signal) =>
      fetchOnce({ client, signal }, open.purchases, { url: 'https://a.example/', method: 'GET', ...body }),
    pay: () =>
      payOnce({ client, signal: new AbortController().signal }, open.payments, {
        service: 's',
        amount: '1',
        currency: 'USDC',
      }),
    keys: () => sent.map(({ sending }) => sending.key),
  };
};

const delivered = () => ({
  status: 200,
  body: { status: 200, headers: {}, body: '', encoding: 'utf8', payment: null },
});
const waiting = (status: string) => () => ({
  status: 202,
  body: { paymentId: 'pay_1', status, message: '' },
});
const refused = (code: ErrorCode, details?: Record<string, unknown>) => (): never => {
  throw new AppError(code, 'refused', details);
};
const paymentId = { paymentId: 'pay_1' };

describe('the same paid fetch again', () => {
  it('with another reason goes on with the payment, in the words that the treasury knows', async () => {
    const { fetch, answerWith, sent, keys } = setUp();
    answerWith(waiting('awaiting_approval'), refused('idempotency_conflict'), delivered);
    await fetch({ reason: 'for the report' });
    await fetch({ reason: 'said otherwise' });
    expect(keys()).toEqual(['key-1', 'key-1', 'key-1']);
    expect(sent.map(({ body }) => (body as FetchBody).reason)).toEqual([
      'for the report',
      'said otherwise',
      'for the report',
    ]);
  });

  it.each<[string, () => unknown]>([
    ['waits for the owner', waiting('awaiting_approval')],
    ['is pending', waiting('pending')],
    ['is unknown', waiting('unknown')],
    ['was lost', refused('halted')],
    ['broke', refused('internal')],
    ['is paid and not delivered', refused('not_delivered', paymentId)],
    ['is paid while the treasury is locked', refused('locked', paymentId)],
    ['has a seller that went away after the payment', refused('not_available', paymentId)],
    [
      'broke in a way that nobody knows',
      () => {
        throw new TypeError('what?');
      },
    ],
  ])('has the same key when the former %s', async (_, first) => {
    const { fetch, answerWith, keys } = setUp();
    answerWith(first, delivered, delivered);
    await fetch().catch(() => undefined);
    await fetch();
    await fetch();
    expect(keys()).toEqual(['key-1', 'key-1', 'key-2']);
  });

  it.each<[string, () => unknown]>([
    ['was delivered', delivered],
    ['was refused by the policy', refused('daily_budget', paymentId)],
    ['was refused by the owner', refused('approval_denied', paymentId)],
    ['came to nothing on the chain', refused('payment_failed', paymentId)],
    ['was not understood', refused('bad_request')],
    ['found the treasury locked before anything was paid', refused('locked')],
    ['found nobody at the seller’s', refused('not_available')],
  ])('has a key of its own when the former %s', async (_, first) => {
    const { fetch, answerWith, keys } = setUp();
    answerWith(first, delivered);
    await fetch().catch(() => undefined);
    await fetch();
    expect(keys()).toEqual(['key-1', 'key-2']);
  });

  it('has the same key when nobody read the former answer', async () => {
    const { fetch, answerWith, keys } = setUp();
    const gone = new AbortController();
    answerWith(() => {
      gone.abort();
      return delivered();
    }, delivered);
    await fetch({}, gone.signal);
    await fetch();
    expect(keys()).toEqual(['key-1', 'key-1']);
  });

  it('is another purchase with another URL, method, header or body', async () => {
    const { fetch, answerWith, keys } = setUp();
    const others: Partial<FetchBody>[] = [
      {},
      { url: 'https://a.example/?b' },
      { method: 'POST' },
      { headers: { a: 'b' } },
      { method: 'POST', body: 'a' },
    ];
    answerWith(...others.map(() => waiting('pending')));
    for (const other of others) await fetch(other);
    expect(new Set(keys()).size).toBe(others.length);
  });

  it('goes at the same time under a key of its own', async () => {
    const { fetch, answerWith, keys } = setUp();
    answerWith(delivered, delivered);
    await Promise.all([fetch(), fetch()]);
    expect(keys()).toEqual(['key-1', 'key-2']);
  });

  it('goes on with the former wish where the treasury has taken it, and with the new one where it has not', async () => {
    const { fetch, answerWith, keys, sent } = setUp();
    const taken = refused('idempotency_conflict');
    answerWith(waiting('pending'), refused('halted'), taken, taken, waiting('pending'), delivered);
    await fetch({ maxAmount: '0.10' });
    // This one never arrived.
    await fetch({ maxAmount: '0.01' }).catch(() => undefined);
    await fetch();
    await fetch({ maxAmount: '0.10' });
    expect(new Set(keys())).toEqual(new Set(['key-1']));
    const wishes = sent.map(({ body }) => (body as FetchBody).maxAmount);
    expect(wishes).toEqual(['0.10', '0.01', undefined, '0.01', '0.10', '0.10']);
  });

  it('is held, and given time for the seller', async () => {
    const { fetch, answerWith, sent } = setUp();
    answerWith(delivered);
    await fetch();
    const { waitSeconds = 0, sellerSeconds = 0 } = sent[0]?.sending ?? {};
    // An MCP host gives up after a minute.
    expect([waitSeconds > 0, sellerSeconds >= 20, waitSeconds + sellerSeconds + 10 < 60]).toEqual([
      true,
      true,
      true,
    ]);
  });
});

it('keeps the keys of pay apart, by the same rule', async () => {
  const { fetch, pay, answerWith, sent } = setUp();
  answerWith(waiting('pending'), refused('halted'), delivered, delivered);
  await pay();
  await fetch().catch(() => undefined);
  await pay();
  await fetch();
  expect(sent.map(({ route, sending }) => `${route} ${sending.key}`)).toEqual([
    'pay key-1',
    'fetch key-2',
    'pay key-1',
    'fetch key-2',
  ]);
});
