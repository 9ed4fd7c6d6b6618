// A freeze from a phone: while locked, while payments wait, before the first signature after a start, and in a flood of
// strangers' lines, in which the RPC is asked a bounded number of times.
import { PublicKey } from '@solana/web3.js';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoOf, newPhone, partsOf, registerPhone, transferOf, type Phone } from '../harness/chain/phone.ts';
import type { Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  temporaryFolder,
  until,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { trustedPhone, wordRow } from '../harness/chain/trusted-phone.ts';
import { unhandled } from '../harness/programs/unhandled.ts';
import { freezeUrl, hidesMailbox, isFrozen, openBehindProxy, type BehindProxy } from './behind-proxy.ts';

const waiting = tries(60, 200);

const newlyRegistered = async (treasury: Treasury): Promise<Phone> => {
  const phone = await newPhone(treasury);
  await registerPhone(treasury, phone);
  return phone;
};

const commitmentOf = (params: readonly unknown[]): unknown =>
  (params[1] as { commitment?: unknown } | undefined)?.commitment;

describe('a freeze', () => {
  let treasury: Treasury;
  beforeAll(async () => {
    treasury = await openTreasury({ sockets: 256 });
  });
  afterEach(() => treasury.client.post('/v1/unfreeze'));
  afterAll(() => treasury.close());

  it('is obeyed once the records can be read again, and the looks before end nothing', async () => {
    const rejections = unhandled();
    const phone = await newlyRegistered(treasury);
    const url = await freezeUrl(treasury);
    // From here on a subscription tells of what comes.
    await treasury.host.engine.remoteWords.look();
    const { phones } = treasury.host.engine.context.store;
    const unread = vi.spyOn(phones, 'wallets').mockImplementation(() => {
      throw new Error('the records cannot be read');
    });
    onTestFinished(() => unread.mockRestore());
    await phone.say(url);
    const before = unread.mock.calls.length;
    await until('further looks', () => unread.mock.calls.length >= before + 3);
    expect(isFrozen(treasury)).toBe(false);
    unread.mockRestore();
    await until('the freeze', () => isFrozen(treasury));
    expect(await rejections()).toEqual([]);
  });

  it('is no word of a stranger, or of a phone that was removed', async () => {
    const witness = await trustedPhone(treasury);
    const lost = await trustedPhone(treasury);
    const url = await freezeUrl(treasury);
    await (await newPhone(treasury)).say(url);
    await treasury.client.call('DELETE', `/v1/phone-wallets/${lost.id}`);
    await lost.phone.say(url);
    await witness.phone.say(url, { memo: 'at:freeze ' });
    await until(
      'all to be read',
      async () => (await treasury.client.get('/v1/phone-words')).body['words'] !== undefined,
    );
    await treasury.host.engine.remoteWords.look();
    expect(isFrozen(treasury)).toBe(false);
  });

  it(`binds ${waiting} payments that wait: none is signed after it was seen`, async () => {
    const phone = await newlyRegistered(treasury);
    const agent = await deploy(treasury.client, 'busy', { dailyBudget: '500', maxPerPayment: '5' });
    const { store } = treasury.host.engine.context;
    let signedAfter = 0;
    treasury.host.engine.onEvent((event) => {
      if (event.type === 'transfer' && isFrozen(treasury) && event.transfer.state === 'signed')
        signedAfter += 1;
    });
    const pays = Array.from({ length: waiting }, () =>
      agent.client.post(`/v1/agents/${agent.agentId}/pay`, {
        service: 'sandbox-weather',
        amount: '0.01',
        currency: 'USDC',
      }),
    );
    await phone.say(await freezeUrl(treasury));
    await until('the freeze', () => isFrozen(treasury));
    const frozenAt = store.freeze.get()?.since ?? 0;
    await Promise.all(pays);
    const late = store.transfers.open().filter(({ signed }) => (signed?.at ?? 0) > frozenAt);
    expect(late).toEqual([]);
    expect(signedAfter).toBe(0);
  });

  it('is obeyed from any registered phone while the vault is locked, once, and names phone and transaction', async () => {
    const phone = await newlyRegistered(treasury);
    treasury.host.vault.lock();
    const signature = await phone.say(await freezeUrl(treasury));
    await until('the freeze', () => isFrozen(treasury));
    expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(signature);
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, memo: 'at:freeze' });
    await treasury.client.post('/v1/unfreeze');
    await treasury.host.engine.remoteWords.look();
    expect(isFrozen(treasury)).toBe(false);
  });
});

describe('a flood', () => {
  let behind: BehindProxy;
  let treasury: Treasury;
  let proxy: Proxy;
  let phone: Phone;
  let stranger: Phone;
  let url: string;
  beforeAll(async () => {
    behind = await openBehindProxy('10');
    ({ treasury, proxy } = behind);
    // The next probe of the RPC, which reads a transaction too, is six hours away.
    await treasury.client.get('/v1/diagnostics');
    const direct = { host: { ...treasury.host, rpcUrl: behind.sandbox.rpcUrl } };
    phone = await newPhone(direct);
    stranger = await newPhone(direct);
    await registerPhone(treasury, phone);
    url = await freezeUrl(treasury);
  });
  afterAll(() => behind.close());

  /** Writes so many lines that say `at:freeze` and name these accounts as well, and the phone's word in their midst. */
  const flood = async (lines: number, alsoNamed: readonly string[]): Promise<string> => {
    const parts = partsOf(url);
    let said = '';
    for (let n = 0; n < lines; n += 1) {
      if (n === lines / 2) said = await phone.say(url);
      const transfer = transferOf(stranger.keys.publicKey, { ...parts, lamports: 1_000 + n });
      for (const named of alsoNamed)
        transfer.keys.push({ pubkey: new PublicKey(named), isSigner: false, isWritable: false });
      await stranger.send([memoOf(parts.memo), transfer]);
    }
    return said;
  };

  /** The transactions that were read while `work` ran with the mailbox hidden, and until the freeze after it. */
  const readAfter = async (work: () => Promise<string>): Promise<string[]> => {
    proxy.fault = hidesMailbox(treasury);
    const said = await work();
    const before = proxy.seen.length;
    proxy.fault = null;
    await until('the freeze', () => isFrozen(treasury));
    expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(said);
    await treasury.client.post('/v1/unfreeze');
    // What brought SOL is read as well, once it is final: that is for the books.
    const asked = proxy.seen
      .slice(before)
      .filter(({ method, params }) => method === 'getTransaction' && commitmentOf(params) === 'confirmed');
    return asked.map(({ params }) => String(params[0]));
  };

  it('by strangers who do not know the wallet is set aside unread', async () => {
    const read = await readAfter(() => flood(tries(200, 600), []));
    expect(read.length).toBeLessThanOrEqual(2);
  });

  it('by strangers who name the wallet too is read once, at most 200 lines a pass, the newest with the oldest', async () => {
    const read = await readAfter(() => flood(420, [phone.address]));
    expect(read.length).toBeLessThanOrEqual(423);
    expect(read.length).toBeGreaterThan(2);
    const times = new Map<string, number>();
    for (const signature of read) times.set(signature, (times.get(signature) ?? 0) + 1);
    expect([...times.values()].filter((count) => count > 1)).toEqual([]);
    expect(isFrozen(treasury)).toBe(false);
  });
});

it('a stop that waits on the chain at a start is obeyed before anything is paid, and until the mailbox can be read nothing is paid', async () => {
  const dataDir = temporaryFolder();
  const behind = await openBehindProxy('10', { dataDir });
  const { treasury: before, proxy, sandbox } = behind;
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  try {
    const { agentId, key } = await deploy(before.client, 'waiting', { dailyBudget: '5', maxPerPayment: '5' });
    const phone = await newPhone(before);
    await registerPhone(before, phone);
    const url = await freezeUrl(before);
    await before.close();
    const signature = await phone.say(url);

    proxy.fault = hidesMailbox(before);
    const after = await openTreasury({ dataDir, args: ['--rpc', proxy.url, '--ws', ws] });
    const { store } = after.host.engine.context;
    const paid = await after.client
      .as(key)
      .post(`/v1/agents/${agentId}/pay`, { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
    expect(paid.body['code']).toBe('chain_unreachable');
    expect(store.freeze.get()).toBeNull();
    proxy.fault = null;
    await until('the freeze', () => store.freeze.get() !== null);
    expect(store.freeze.get()?.reason).toContain(signature);
    expect(store.transfers.open().filter(({ kind }) => kind === 'payment')).toEqual([]);
    await after.close();
  } finally {
    await proxy.close();
    await sandbox.close();
    removeFolder(dataDir);
  }
});
