// The words that a phone shows of a payment: the place that is paid, whole, and whose word it is.
import { expect, it } from 'vitest';
import { answerMemo } from '../../server/engine/domain/phone.ts';

const payee = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const memoOf = (shown: Readonly<Record<string, unknown>>): string =>
  answerMemo(
    'approve',
    {
      id: 'apr_1',
      kind: 'payment',
      agentId: 'one',
      shown: { amount: '4.20', currency: 'USDC', payee, ...shown },
    },
    'CODE',
  );

it('it shows that the payee changed, and the part of each recipient', () => {
  const service = 'sandbox-weather';
  const changed = 'at:approve 4.20 USDC to EPjF..Dt1v (payee changed) for sandbox-weather apr_1 CODE';
  expect(memoOf({ service, because: 'payee_changed' })).toBe(changed);
  const splits = [
    { payee: 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH', amount: '4.19', payeeIsNew: true },
  ];
  const split = 'at:approve 4.20 USDC to 0.01 EPjF..Dt1v 4.19 Goki..bnpH for sandbox-weather apr_1 CODE';
  expect(memoOf({ service, payeeGets: '0.01', splits })).toBe(split);
});

it.each([
  [
    'the origin of a purchase',
    { request: 'GET https://api.example.com/v1?key=1' },
    'https://api.example.com',
  ],
  [
    'a long origin to its end, which names its owner',
    { request: `POST https://api.example.com.${'a'.repeat(60)}.evil.example/v1` },
    `https://api.example.com.${'a'.repeat(60)}.evil.example`,
  ],
  [
    'an origin that only the agent names, as such',
    { request: 'https://api.example.com/v1', saidByAgent: true },
    '(agent says) https://api.example.com',
  ],
  ['a service without a request', { service: 'sandbox-weather' }, 'sandbox-weather'],
  ['letters of another alphabet as their codes', { service: 'аpi.example' }, '\\u{430}pi.example'],
])('it shows %s', (_what, shown, place) => {
  expect(memoOf(shown)).toBe(`at:approve 4.20 USDC to EPjF..Dt1v for ${place} apr_1 CODE`);
});
