// Acknowledged transactions stay, whatever happens to the process.
import { describe, expect, test } from 'vitest';

import { tries } from '../harness/tries.ts';
import { startStandAlone } from './stand-alone.ts';
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
  temporaryDir,
  transfer,
} from './support.ts';

const instant = ['--confirm-ms', '0', '--finalize-ms', '0'];
const sol = 1_000_000_000;
const many = tries(3_000, 10_000);

describe('a sandbox that is killed amid a stream of transfers', () => {
  test('has everything that it acknowledged, once, and continues under the same blockhash', async () => {
    const dataDir = temporaryDir();
    const first = await startStandAlone(dataDir, ...instant);
    const [payer, to] = [await newPayer(first, 100 * sol), newKey()];
    await first.call('requestAirdrop', to.text, 1_000_000);
    const genesis = await first.call('getGenesisHash');
    const { blockhash } = await latestBlockhash(first);
    const transfers = Array.from({ length: 3000 }, (_, index) =>
      signed(payer, blockhash, [transfer(payer, to.address, 1), memo(`${index}`)]),
    );

    const acknowledged: string[] = [];
    const stream = async (offset: number): Promise<void> => {
      for (let index = offset; index < transfers.length; index += 4) {
        const one = transfers[index];
        if (one) acknowledged.push(await send(first, one));
        if (acknowledged.length === 200) void first.end('SIGKILL');
      }
    };
    await Promise.allSettled([0, 1, 2, 3].map(stream));
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.length).toBeLessThan(transfers.length);

    const second = await startStandAlone(dataDir, ...instant);
    expect(await second.call('getGenesisHash')).toBe(genesis);
    const landed = new Set<string>();
    for (let index = 0; index < transfers.length; index += 250) {
      const signatures = transfers.slice(index, index + 250).map(({ signature }) => signature);
      const { value } = await statuses(second, signatures);
      value.forEach((status, at) => status && landed.add(signatures[at] ?? ''));
    }
    expect(acknowledged.filter((signature) => !landed.has(signature))).toEqual([]);
    expect(landed.size - acknowledged.length).toBeLessThanOrEqual(4);
    expect(await balance(second, to.text)).toBe(1_000_000 + landed.size);
    expect(await balance(second, payer.text)).toBe(100 * sol - 5001 * landed.size);
    const history = await second.call<{ signature: string }[]>('getSignaturesForAddress', to.text);
    expect(new Set(history.map(({ signature }) => signature)).size).toBe(Math.min(1000, landed.size + 1));

    const [duplicate] = transfers.filter(({ signature }) => landed.has(signature));
    const fresh = transfers.at(-1);
    if (!duplicate || !fresh) throw new Error('nothing landed');
    await expect(send(second, duplicate)).rejects.toMatchObject({ data: { err: 'AlreadyProcessed' } });
    await send(second, fresh);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

test('a restart keeps accounts, time and statuses, even with other lengths of slot and finality', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir, slotMs: 100 });
  const payer = await newPayer(first);
  await first.call('sandbox_fundUsdc', payer.text, '123');
  await first.call('sandbox_warp', 5000);
  const one = signed(payer, (await latestBlockhash(first)).blockhash, [memo('before')]);
  await send(first, one);
  const slot = await first.call<number>('getSlot', { commitment: 'finalized' });
  const time = await first.call<number>('getBlockTime', slot);
  await first.close();

  const second = await startSandbox({ dataDir, slotMs: 1000, finalizeMs: 60_000 });
  const later = await second.call<number>('getSlot', { commitment: 'finalized' });
  expect(later).toBeGreaterThanOrEqual(slot);
  expect(later).toBeLessThan(slot + 100);
  expect(await second.call('getBlockTime', slot)).toBe(time);
  expect((await statuses(second, [one.signature])).value[0]?.confirmationStatus).toBe('finalized');
  expect(await balance(second, payer.text, 'finalized')).toBe(sol - 5000);
  await expect(send(second, one)).rejects.toMatchObject({ data: { err: 'AlreadyProcessed' } });
  const mine = signed(payer, (await latestBlockhash(second)).blockhash, [memo('after')]);
  await send(second, mine);
  expect((await statuses(second, [mine.signature])).value[0]?.confirmationStatus).toBe('confirmed');
});

test('a warp is kept', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir });
  const warped = await first.call<number>('sandbox_warp', 10_000);
  await first.close();
  const second = await startSandbox({ dataDir });
  expect(await second.call<number>('getSlot')).toBeGreaterThanOrEqual(warped);
});

test('a second sandbox on the same directory is refused in one sentence', async () => {
  const dataDir = temporaryDir();
  const first = await startSandbox({ dataDir });
  await expect(startSandbox({ dataDir })).rejects.toMatchObject({
    code: 'conflict',
    message: `Another sandbox is already running on ${dataDir}.`,
  });
  await expect(startStandAlone(dataDir)).rejects.toThrow(`Another sandbox is already running on ${dataDir}.`);
  await first.close();
  await startSandbox({ dataDir });
});

test(`${many} transactions take little memory, and their effects are there after a restart`, async () => {
  const dataDir = temporaryDir();
  const first = await startStandAlone(dataDir, ...instant);
  const [payer, to] = [await newPayer(first, 1000 * sol), newKey()];
  await first.call('requestAirdrop', to.text, 1_000_000);
  const sendMany = async (count: number): Promise<void> => {
    const { blockhash } = await latestBlockhash(first);
    const calls = Array.from({ length: count }, (_, index): [string, ...unknown[]] => [
      'sendTransaction',
      signed(payer, blockhash, [transfer(payer, to.address, 1), memo(`${index}`)]).wire,
      { encoding: 'base64', preflightCommitment: 'processed' },
    ]);
    for (let index = 0; index < count; index += 100) await first.batch(calls.slice(index, index + 100));
  };
  await sendMany(2000);
  const before = first.residentMb();
  await sendMany(many);
  const grown = first.residentMb() - before;
  expect(await balance(first, to.text)).toBe(1_002_000 + many);
  expect(grown).toBeLessThan(15);
  expect(await first.end('SIGTERM')).toBe(0);

  expect(await balance(await startSandbox({ dataDir }), to.text)).toBe(1_002_000 + many);
});
