// Sellers that take the payment, and then are silent, fail, do not end, or settle twice, late, or another transaction.
import { delivers, drip, endless, honest, mib, send, settlement, settles, v2 } from './answers.ts';
import { bought, price, unclear, useless, type Case } from './case.ts';

/** It announces less time than its caller allows, and takes more. */
const quick = v2({ maxTimeoutSeconds: 2 });
const tooSlow = {
  ...unclear,
  request: () => ({ timeoutSeconds: 2 }),
  landed: 1,
  status: [502],
  code: ['answer_too_slow'],
} as const;

export const afterSettling: readonly Case[] = [
  {
    name: 'settled-and-silent',
    first: quick,
    paid: settles(() => {}),
    ...tooSlow,
  },
  {
    name: 'settled-and-reset',
    first: honest,
    paid: settles((response) => response.socket?.resetAndDestroy()),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-500',
    first: honest,
    paid: settles((response) => send(response, 500, { error: 'oops' })),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-503',
    first: honest,
    paid: settles((response) => send(response, 503, {}, { 'retry-after': '0' })),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-404',
    first: honest,
    paid: settles((response) => send(response, 404, {})),
    ...useless,
    landed: 1,
  },
  {
    name: 'settled-and-slow-body',
    first: quick,
    paid: settles((response) => drip(response, 200)),
    ...tooSlow,
  },
  {
    name: 'settled-and-endless-body',
    first: honest,
    paid: settles((response) => endless(response, 200)),
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-and-2-mib',
    first: honest,
    paid: settles((response) => send(response, 200, 'x'.repeat(2 * mib))),
    ...bought,
  },
  {
    name: 'settled-twice',
    first: honest,
    paid: async (response, scene, shown) => {
      await scene.settle(shown);
      await scene.settle(shown).catch(() => {});
      send(response, 500, {});
    },
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-late',
    first: honest,
    paid: (response, scene, shown) => {
      send(response, 402, {}, settlement(false, ''));
      if (scene.shownTimes() === 1) scene.settleLate(shown);
    },
    ...unclear,
    landed: 1,
  },
  {
    name: 'settled-at-the-second-sight',
    first: honest,
    paid: (response, scene, shown) =>
      scene.shownTimes() === 1 ? send(response, 500, {}) : delivers(response, scene, shown),
    ...unclear,
    landed: 1,
  },
  {
    name: 'transaction-changed',
    first: honest,
    paid: async (response, scene, shown) => {
      const wire = Buffer.from(shown.transaction ?? '', 'base64');
      const at = wire.lastIndexOf(amountBytes(price));
      if (at >= 0) amountBytes(price * 40).copy(wire, at);
      const error = await scene.settle({ ...shown, transaction: wire.toString('base64') }).catch(String);
      send(response, 500, { error });
    },
    ...unclear,
    landed: 0,
  },
];

const amountBytes = (units: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(units));
  return bytes;
};
