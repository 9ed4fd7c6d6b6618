// Answers to a payment: the same or other terms once more, a redirect, or a false settlement.
import bs58 from 'bs58';
import { goods, honest, redirect, send, settlement, settles, v2 } from './answers.ts';
import { bought, empty, unclear, useless, type Case } from './case.ts';

const elsewhere = ['accomplice', 'other-path'] as const;
export const afterPaying: readonly Case[] = [
  { name: '402-again', first: honest, paid: honest, ...unclear, landed: 0 },
  { name: '402-again-dearer', first: honest, paid: v2({ amount: '50000' }), ...unclear, landed: 0 },
  { name: '402-again-cheaper', first: honest, paid: v2({ amount: '1' }), ...unclear, landed: 0 },
  {
    name: '402-again-other-payee',
    first: honest,
    paid: v2(({ feePayer }) => ({ payTo: feePayer })),
    ...unclear,
    landed: 0,
  },
  {
    name: '402-again-settled',
    first: honest,
    paid: settles((response, scene) => honest(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  {
    name: '402-again-dearer-settled',
    first: honest,
    paid: settles((response, scene) => v2({ amount: '50000' })(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  ...[301, 302, 303, 307, 308].flatMap((status) =>
    elsewhere.map((where): Case => ({
      name: `redirect-${status}-${where}`,
      first: honest,
      paid: redirect(
        ({ url, other, name }) => `${where === 'accomplice' ? other : url}/stolen/${name}`,
        status,
      ),
      ...useless,
      landed: 0,
    })),
  ),
  {
    name: 'redirect-settled',
    first: honest,
    paid: settles((response, scene) =>
      redirect(({ other, name }) => `${other}/stolen/${name}`)(response, scene, empty),
    ),
    ...useless,
    landed: 1,
  },
  {
    name: 'failure-after-settling',
    first: honest,
    paid: settles((response, _, tx) =>
      send(response, 402, {}, settlement(false, tx, { errorReason: 'unexpected_settle_error' })),
    ),
    ...unclear,
    landed: 1,
  },
  {
    name: 'failure-with-200-after-settling',
    first: honest,
    paid: settles((response, _, tx) => send(response, 200, goods, settlement(false, tx))),
    signed: 1,
    landed: 1,
    status: [200, 202, 502],
  },
  {
    name: 'failure-without-settling',
    first: honest,
    paid: (response) => send(response, 402, {}, settlement(false, '', { errorReason: 'invalid' })),
    ...unclear,
    landed: 0,
  },
  {
    name: 'success-without-settling',
    first: honest,
    paid: (response) => send(response, 200, goods, settlement(true, bs58.encode(Buffer.alloc(64, 7)))),
    signed: 1,
    landed: 0,
    status: [200, 202, 502],
  },
  {
    name: 'success-by-another-transaction',
    first: honest,
    paid: (response, { foreign }) => send(response, 200, goods, settlement(true, foreign)),
    signed: 1,
    landed: 0,
    status: [200, 202, 502],
  },
  {
    name: 'settled-and-named-another',
    first: honest,
    paid: settles((response, { foreign }) => send(response, 200, goods, settlement(true, foreign))),
    ...bought,
  },
  {
    name: 'settled-with-garbage-header',
    first: honest,
    paid: settles((response) => send(response, 200, goods, { 'payment-response': '%%%' })),
    ...bought,
  },
];
