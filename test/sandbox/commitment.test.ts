// Processed, confirmed, finalized: the moment when each is reached, and the state visible at each.
import { describe, expect, test, vi } from 'vitest';

import { connect } from './subscriber.ts';
import type { Told } from './subscriber.ts';
import {
  balance,
  latestBlockhash,
  memo,
  newKey,
  newPayer,
  send,
  signed,
  startSandbox,
  statuses,
  transfer,
} from './support.ts';

const levels = ['processed', 'confirmed', 'finalized'] as const;

describe('a landed transaction', () => {
  test('is processed, confirmed and finalized in that order, and each subscriber is told of its own commitment', async () => {
    const sandbox = await startSandbox({ confirmMs: 1_000, finalizeMs: 1_200 });
    const payer = await newPayer(sandbox);
    const { blockhash } = await latestBlockhash(sandbox);
    const one = signed(payer, blockhash, [memo('in order')]);
    const subscriber = await connect(sandbox.wsUrl);
    const ids: number[] = [];
    for (const commitment of levels.toReversed()) {
      ids.unshift(await subscriber.request<number>('signatureSubscribe', one.signature, { commitment }));
    }
    const begin = performance.now();
    await send(sandbox, one);
    expect((await statuses(sandbox, [one.signature])).value[0]).toMatchObject({
      confirmationStatus: 'processed',
      confirmations: 0,
    });
    const seen = (commitment: string): Promise<unknown> =>
      sandbox.call('getTransaction', one.signature, { commitment });
    expect(await seen('confirmed')).toBeNull();

    const told = await Promise.all(ids.map((id) => subscriber.next<Told<{ err: null }>>(id)));
    expect(told.map(({ value }) => value)).toEqual([{ err: null }, { err: null }, { err: null }]);
    expect(subscriber.heard.map(({ subscription }) => subscription)).toEqual(ids);
    const [processed = 0, confirmed = 0, finalized = 0] = subscriber.heard.map(({ atMs }) => atMs - begin);
    expect(processed).toBeLessThan(confirmed);
    expect(confirmed).toBeGreaterThanOrEqual(999);
    expect(finalized).toBeGreaterThanOrEqual(1_199);
    expect(await seen('finalized')).toMatchObject({ meta: { err: null } });
    const { context, value } = await statuses(sandbox, [one.signature]);
    expect(value[0]).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
    expect(context.slot).toBeGreaterThanOrEqual(value[0]?.slot ?? Infinity);
  });

  test('is reported at once to a client that subscribes after it was reached', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const one = signed(payer, (await latestBlockhash(sandbox)).blockhash, [
      transfer(payer, newKey().address, 1),
    ]);
    await send(sandbox, one, { skipPreflight: true });
    const subscriber = await connect(sandbox.wsUrl);
    const id = await subscriber.request<number>('signatureSubscribe', one.signature);
    expect(await subscriber.next(id)).toMatchObject({
      value: { err: { InsufficientFundsForRent: { account_index: 1 } } },
    });
    await expect(subscriber.request('signatureUnsubscribe', id)).rejects.toThrow('Invalid subscription id.');
  });

  test('with no lag is final before its sender has the answer', async () => {
    const sandbox = await startSandbox();
    const payer = await newPayer(sandbox);
    const one = signed(payer, (await latestBlockhash(sandbox)).blockhash, [memo('at once')]);
    await send(sandbox, one);
    expect((await statuses(sandbox, [one.signature])).value[0]?.confirmationStatus).toBe('finalized');
  });
});

describe('a read', () => {
  test('returns the state at the requested commitment', async () => {
    const hour = 3_600_000;
    const sandbox = await startSandbox({ slotMs: hour, confirmMs: hour, finalizeMs: 10 * hour });
    const [payer, to] = [newKey(), newKey()];
    const give = async (lamports: number): Promise<void> => {
      await sandbox.call('requestAirdrop', payer.text, lamports);
      await sandbox.call('sandbox_fundUsdc', to.text, '1');
    };
    const seen = async (): Promise<number[]> =>
      Promise.all(levels.map((commitment) => balance(sandbox, payer.text, commitment)));
    const tokens = async (): Promise<number[]> =>
      Promise.all(
        levels.map(async (commitment) => {
          const filter = { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' };
          const config = { commitment, encoding: 'jsonParsed' };
          const { value } = await sandbox.call<{ value: TokenAccount[] }>(
            'getTokenAccountsByOwner',
            to.text,
            filter,
            config,
          );
          return Number(value[0]?.account.data.parsed.info.tokenAmount.amount ?? 0);
        }),
      );

    await give(1_000_000);
    expect([await seen(), await tokens()]).toEqual([
      [1_000_000, 0, 0],
      [1, 0, 0],
    ]);
    await sandbox.call('sandbox_warp', 2);
    await give(2_000_000);
    expect([await seen(), await tokens()]).toEqual([
      [3_000_000, 1_000_000, 0],
      [2, 1, 0],
    ]);
    await sandbox.call('sandbox_warp', 9);
    expect([await seen(), await tokens()]).toEqual([
      [3_000_000, 3_000_000, 1_000_000],
      [2, 2, 1],
    ]);
    await sandbox.call('sandbox_warp', 9);
    expect([await seen(), await tokens()]).toEqual([
      [3_000_000, 3_000_000, 3_000_000],
      [2, 2, 2],
    ]);
  });

  test('returns the slot of its commitment, and nothing before the requested slot', async () => {
    const sandbox = await startSandbox({
      slotMs: 3_600_000,
      confirmMs: 5 * 3_600_000,
      finalizeMs: 40 * 3_600_000,
    });
    const slots = await Promise.all(
      levels.map((commitment) => sandbox.call<number>('getSlot', { commitment })),
    );
    const [processed = 0, confirmed = 0, finalized = 0] = slots;
    expect(processed).toBeGreaterThan(confirmed);
    expect(confirmed).toBeGreaterThan(finalized);
    expect(await sandbox.call<number>('getSlot')).toBe(finalized);
    const answer = await sandbox.call('getBalance', newKey().text, { commitment: 'confirmed' });
    expect(answer).toMatchObject({ context: { slot: confirmed }, value: 0 });
    const ahead = { commitment: 'confirmed', minContextSlot: processed };
    await expect(sandbox.call('getBalance', newKey().text, ahead)).rejects.toMatchObject({
      code: -32016,
      message: 'Minimum context slot has not been reached',
      data: { contextSlot: confirmed },
    });
  });
});

describe('subscriptions', () => {
  test('to an account and to logs report changes until unsubscribed', async () => {
    const sandbox = await startSandbox({ confirmMs: 30, finalizeMs: 60 });
    const to = newKey();
    const subscriber = await connect(sandbox.wsUrl);
    const config = { commitment: 'confirmed', encoding: 'base64' };
    const account = await subscriber.request<number>('accountSubscribe', to.text, config);
    const logs = await subscriber.request<number>('logsSubscribe', { mentions: [to.text] }, config);
    const signature = await sandbox.call<string>('requestAirdrop', to.text, 1_500_000);

    expect(await subscriber.next(account)).toMatchObject({
      value: { lamports: 1_500_000, data: ['', 'base64'] },
    });
    const line = await subscriber.next<Told<{ signature: string; logs: string[] }>>(logs);
    expect(line.value).toMatchObject({ signature, err: null });
    expect(line.value.logs[0]).toContain('invoke [1]');
    expect(await subscriber.request('accountUnsubscribe', account)).toBe(true);
    await sandbox.call('requestAirdrop', to.text, 1);
    await subscriber.next(logs);
    expect(subscriber.heard.filter(({ subscription }) => subscription === account)).toHaveLength(1);
  });

  test('to slots and roots follow the chain', async () => {
    const sandbox = await startSandbox({ slotMs: 20, confirmMs: 0, finalizeMs: 100 });
    const subscriber = await connect(sandbox.wsUrl);
    const [slots, roots] = [
      await subscriber.request<number>('slotSubscribe'),
      await subscriber.request<number>('rootSubscribe'),
    ];
    const first = await subscriber.next<{ slot: number; parent: number; root: number }>(slots);
    const second = await subscriber.next<{ slot: number; parent: number; root: number }>(slots);
    expect(first.parent).toBeLessThan(first.slot);
    expect(second.slot).toBeGreaterThan(first.slot);
    expect(await subscriber.next<number>(roots)).toBeLessThan(second.slot);
  });

  test('are told of transactions that a warp has made final', async () => {
    const sandbox = await startSandbox({ confirmMs: 3_600_000, finalizeMs: 3_600_000, slotMs: 400 });
    const signature = await sandbox.call<string>('requestAirdrop', newKey().text, 1_000_000);
    const subscriber = await connect(sandbox.wsUrl);
    const id = await subscriber.request<number>('signatureSubscribe', signature, { commitment: 'finalized' });
    await sandbox.call('sandbox_warp', 9_001);
    expect(await subscriber.next(id)).toMatchObject({ value: { err: null } });
  });
});

test('statuses beyond the recent ones are found only by searching history', async () => {
  const sandbox = await startSandbox();
  const signature = await sandbox.call<string>('requestAirdrop', newKey().text, 1_000_000);
  await sandbox.call('sandbox_warp', 400);
  expect((await statuses(sandbox, [signature], {})).value).toEqual([null]);
  expect((await statuses(sandbox, [signature])).value[0]?.confirmationStatus).toBe('finalized');
});

test('while time passes, answers never contradict each other', async () => {
  const sandbox = await startSandbox({ slotMs: 20, confirmMs: 20, finalizeMs: 60 });
  const payer = await newPayer(sandbox);
  await vi.waitFor(async () => expect(await balance(sandbox, payer.text, 'confirmed')).toBeGreaterThan(0));
  for (let round = 0; round < 60; round++) {
    const { blockhash, lastValidBlockHeight } = await latestBlockhash(sandbox);
    const one = signed(payer, blockhash, [memo(`${round}`)]);
    await send(sandbox, one);
    // Time passes within a batch too: what is final is asked for first.
    const [finalized, { context, value }, newest] = await sandbox.batch<[EpochInfo, Statuses, EpochInfo]>([
      ['getEpochInfo', { commitment: 'finalized' }],
      ['getSignatureStatuses', [one.signature]],
      ['getEpochInfo', { commitment: 'processed' }],
    ]);
    const slot = value[0]?.slot ?? Infinity;
    expect(slot).toBeLessThanOrEqual(context.slot);
    expect(newest.blockHeight).toBeLessThanOrEqual(lastValidBlockHeight);
    expect(finalized.absoluteSlot).toBeLessThan(newest.absoluteSlot);
    expect(finalized.absoluteSlot - finalized.blockHeight).toBeGreaterThan(50);
    if (value[0]?.confirmationStatus !== 'finalized')
      expect(finalized.absoluteSlot).toBeLessThanOrEqual(slot);
  }
});

type Statuses = Awaited<ReturnType<typeof statuses>>;

interface EpochInfo {
  absoluteSlot: number;
  blockHeight: number;
}

interface TokenAccount {
  account: { data: { parsed: { info: { tokenAmount: { amount: string } } } } };
}
