// After paying in another dialect than x402 v2: the same terms once more, a redirect, or a failure.
import { mpp, receipt, redirect, send, settles, v1 } from './answers.ts';
import { empty, unclear, useless, type Case } from './case.ts';

export const otherDialects: readonly Case[] = [
  {
    name: 'v1-402-again-settled',
    first: v1(),
    paid: settles((response, scene) => v1()(response, scene, empty)),
    ...unclear,
    landed: 1,
  },
  { name: 'v1-500', first: v1(), paid: (response) => send(response, 500, {}), ...unclear, landed: 0 },
  { name: 'mpp-push-402-again', first: mpp(), paid: mpp(), ...unclear, landed: 1 },
  {
    name: 'mpp-push-redirect',
    first: mpp(),
    paid: redirect(({ other, name }) => `${other}/stolen/${name}`, 307),
    ...useless,
    landed: 1,
  },
  {
    name: 'mpp-pull-500',
    first: mpp(undefined, ({ feePayer }) => ({ feePayer: true, feePayerKey: feePayer })),
    paid: (response) => send(response, 500, {}),
    ...unclear,
    landed: 0,
  },
  { name: 'receipt-402-again', first: receipt(), paid: receipt(), ...unclear, landed: 1 },
  { name: 'receipt-retry-for-ever', first: receipt(), paid: receipt({ retry: true }), ...unclear, landed: 1 },
  {
    name: 'receipt-redirect',
    first: receipt(),
    paid: redirect(({ other, name }) => `${other}/stolen/${name}`, 308),
    ...useless,
    landed: 1,
  },
];
