// The account of the cold treasury is followed by subscription, and nobody asks for it here.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createColdWallet, drawAsThief, type ColdWallet } from '../harness/chain/cold-wallet.ts';
import { liveFromCold } from '../harness/chain/living-cold.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

const one = 1_000_000n;
let treasury: Treasury;
let cold: ColdWallet;
beforeAll(async () => {
  treasury = await openTreasury();
  await deploy(treasury.client, 'scout', { allocate: null });
  // Only a notification has the account read from here on: not the timer.
  await treasury.host.engine.context.funds.stop();
  await (await liveFromCold(treasury, 0n)).revoke();
  cold = await liveFromCold(treasury, 5n * one);
});
afterAll(() => treasury.close());

const known = () => treasury.host.engine.context.store.cold.get();

it('a new allowance, a revocation, and money that comes or goes are known without being asked for', async () => {
  await cold.allow(treasury.owner, 40n * one);
  await until('the new allowance', () => known()?.allowance === 40n * one);
  await cold.send(treasury.owner, 100n * one);
  await until('the new balance', () => known()?.balance === 400n * one);
  await cold.revoke();
  await until('the revocation', () => known()?.fault === 'delegate');
});

it('another cold treasury is followed in its place', async () => {
  const next = await createColdWallet(treasury.host.rpcUrl, 10n * one);
  await treasury.client.post('/v1/cold', { address: next.address });
  await next.allow(treasury.owner, 3n * one);
  await until('its allowance', () => known()?.allowance === 3n * one);
  expect(known()?.address).toBe(next.address);
  cold = next;
});

it('a draw that no row explains freezes everything at once', async () => {
  const other = await createColdWallet(treasury.host.rpcUrl, one);
  const { host } = treasury;
  const taken = { from: cold.address, to: other.address, units: one };
  await drawAsThief(host.rpcUrl, host.vault.signingKey(0), taken);
  await until(
    'the freeze',
    () => host.engine.context.store.freeze.get() !== null && known()?.balance === 9n * one,
  );
  expect(host.engine.context.store.freeze.get()?.reason).toContain('no payment explains it');
});
