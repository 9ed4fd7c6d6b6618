// Which event becomes which notice, on a real treasury; and no notice holds a secret, a prompt, a whole address, a link or
// more than a line of what an agent wrote.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { enterSolDeposits } from '../../server/books/sol-deposits.ts';
import { usdc } from '../../server/money.ts';
import { addNotice } from '../../server/engine/notices/add-notice.ts';
import type { Message } from '../../server/notices/message.ts';
import { fillDisk } from '../harness/engine/full-disk.ts';
import { openRich, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { steal } from '../harness/chain/steal.ts';
import { refuse as refuseToDeliver } from '../harness/chain/x402-seller.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  rpcCall,
  temporaryFolder,
  until,
  type Options,
  type Treasury,
} from '../harness/treasury.ts';

useSeller();

let shown: Message[] = [];
const showNotice = (message: Message): void => void shown.push(message);
const opened: Treasury[] = [];
const open = async (options: Options = {}): Promise<Treasury> => {
  const treasury = await openTreasury({ ...options, showNotice });
  opened.push(treasury);
  return treasury;
};
afterEach(async () => {
  for (const treasury of opened.splice(0)) await treasury.close();
  shown = [];
});
/** For those that leave it as they found it; each has an agent of its own. */
let shared: Treasury;
beforeAll(async () => {
  shared = await openTreasury({ showNotice });
});
afterAll(() => shared.close());

const told = async (kind: Message['kind'], count = 1): Promise<Message> => {
  const all = await until(`the notice ${kind}`, () => {
    const found = shown.filter((one) => one.kind === kind);
    return found.length >= count && found;
  });
  const last = all.at(-1);
  if (last === undefined) throw new Error('there is none');
  return last;
};

describe('the owner is told', () => {
  it('of an approval that waits', async () => {
    const { client } = shared;
    const scout = await deploy(client, 'asker', { policy: { approveAbove: '0.10' } });
    const held = await scout.client.post('/v1/agents/asker/pay', {
      service: 'sandbox-weather',
      amount: '0.40',
      currency: 'USDC',
      reason: 'The reports cost more now.',
    });
    expect(await told('approval')).toMatchObject({
      agentId: 'asker',
      subject: held.body['approvalId'],
      title: 'asker needs your approval',
      text: 'A payment of 0.40 USDC to Sandbox Weather. It says: “The reports cost more now.” Open Agent Treasury to decide.',
    });
  });

  it('of refusals once, however many there are, and of their number later', async () => {
    const { client, host } = shared;
    const scout = await deploy(client, 'refused');
    for (let n = 0; n < 150; n += 1) await scout.pay('2.00');
    expect(await told('refused')).toMatchObject({ agentId: 'refused', count: 1 });
    const { notices } = host.engine.context.store;
    const [folded] = notices
      .list({ before: null, limit: 9, failed: false })
      .filter(({ kind }) => kind === 'refused');
    // 60 with a row of their own, and one that counts all others.
    expect(folded).toMatchObject({ kind: 'refused', count: 60 });
    await scout.pay('0.10');
    await client.post('/v1/agents/refused/pay', {
      service: 'sandbox-weather',
      amount: '2',
      currency: 'USDC',
    });
    const refused = notices.list({ before: null, limit: 9, failed: false });
    expect(refused.filter(({ kind }) => kind === 'refused')).toHaveLength(2);
  });

  it('of each budget that passes 80 %, once for each crossing, also under concurrency', async () => {
    const { client, host } = await open();
    await client.post('/v1/treasury/policy', { dailyBudget: '1.20' });
    const scout = await deploy(client, 'scout', { dailyBudget: '1.00', policy: { weeklyBudget: '10' } });
    await Promise.all(Array.from({ length: 10 }, () => scout.pay('0.09')));
    expect(await told('budget')).toMatchObject({
      agentId: 'scout',
      title: 'scout has spent over 80% of its budget',
      text: '0.81 of 1.00 USDC in 24 hours, with what is reserved.',
    });
    await scout.pay('0.09');
    const other = await deploy(client, 'other', { dailyBudget: '10' });
    await other.pay('0.09');
    expect(await told('budget', 2)).toMatchObject({
      agentId: null,
      title: 'All agents together have spent over 80% of your limit',
      text: '0.99 of 1.20 USDC in 24 hours, with what is reserved.',
    });
    const { notices } = host.engine.context.store;
    const budgets = notices
      .list({ before: null, limit: 50, failed: false })
      .filter(({ kind }) => kind === 'budget');
    expect(budgets.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('of 80 % at the grant of a payment as well', async () => {
    const { client } = shared;
    const scout = await deploy(client, 'granted', { dailyBudget: '1.00', policy: { approveAbove: '0.10' } });
    const { body } = await scout.pay('0.90');
    const approval = await client.get(`/v1/approvals/${body['approvalId']}`);
    await client.post(`/v1/approvals/${body['approvalId']}/grant`, { hash: approval.body['hash'] });
    expect((await told('budget')).text).toContain('0.90 of 1.00 USDC');
  });

  it('of a wallet that a payment leaves with less than the owner set', async () => {
    const { client } = shared;
    await client.post('/v1/notices/low-balance', { lowBalance: '1.50' });
    const scout = await deploy(client, 'low', { allocate: '2.00' });
    await scout.pay('0.40');
    await scout.pay('0.20');
    await scout.pay('0.20');
    expect(await told('low_balance')).toMatchObject({
      agentId: 'low',
      text: 'It can still spend 1.40 USDC. You wanted to know below 1.50.',
    });
    expect(shown.filter(({ kind }) => kind === 'low_balance')).toHaveLength(1);
  });

  it('of SOL that arrives, and not of dust', async () => {
    const { host, owner } = shared;
    for (const lamports of [999_999, 1_234_567])
      await rpcCall(host.rpcUrl, 'requestAirdrop', [owner, lamports]);
    await enterSolDeposits(host.engine.context);
    expect(await told('deposit')).toMatchObject({ agentId: null, title: '0.001234567 SOL arrived' });
  });

  it('of a deposit, a freeze, a login, and a machine that asks and is linked', async () => {
    const { client } = await open();
    await client.post('/v1/sandbox/faucet', { amount: '25' });
    expect(await told('deposit')).toMatchObject({ agentId: null, title: '25.00 USDC arrived' });
    await client.post('/v1/logins', { terminal: 'xterm on laptop' }, { token: null, owner: null });
    expect((await told('login')).text).toBe(
      'It calls itself xterm on laptop. Open Agent Treasury to compare its code and decide.',
    );
    await client.post('/v1/link-sessions', { machine: 'a laptop' }, { token: null, owner: null });
    const [link] = (await client.get('/v1/link-sessions')).body['links'];
    await client.post(`/v1/link-sessions/${link.linkId}/grant`, { agentId: 'linked' });
    expect(await told('linked')).toMatchObject({
      agentId: 'linked',
      text: 'a laptop now has an API key of linked.',
    });
    await client.post('/v1/freeze', { reason: 'the invoices look wrong' });
    await client.post('/v1/freeze');
    expect((await told('frozen')).text).toContain('the invoices look wrong');
    expect(shown.filter(({ kind }) => kind === 'frozen')).toHaveLength(1);
  });

  it('of a debit that no payment explains, on every channel, until the owner resumes the agent', async () => {
    const { client, host } = await open();
    await deploy(client, 'scout');
    const [desktop] = host.engine.context.store.notices.channels.list();
    const asked = await client.post(`/v1/notices/channels/${desktop?.id}`, { kinds: ['deposit'] });
    expect(asked.status, asked.text).toBe(200);
    const signature = await steal(host, 1);
    await host.engine.context.funds.compare();
    expect(await told('unexplained_debit')).toMatchObject({
      agentId: 'scout',
      subject: signature,
      count: 1,
      title: 'Somebody else has a key of yours',
      text: expect.stringContaining('1.00 USDC left the wallet of scout'),
    });
    const debits = async () => (await client.get('/v1/dashboard')).body['foreignDebits'];
    expect(await debits()).toMatchObject([{ agentId: 'scout', signature, amount: '1.00' }]);
    await host.engine.context.funds.compare();
    expect(shown.filter(({ kind }) => kind === 'unexplained_debit')).toHaveLength(1);
    await client.post('/v1/agents/scout/resume', {});
    expect(await debits()).toEqual([]);
  });

  it('of an outage that lasts a minute, once, and once of its end', async () => {
    const { client, host } = shared;
    const { chain } = host.engine.context;
    const honest = chain.rpcs;
    const downFor = (ms: number) => () =>
      honest().map((one) => ({ ...one, downSince: Date.now() - ms, why: 'it answers HTTP status 429' }));
    const outage = async () => (await client.get('/v1/dashboard')).body['outage'];
    chain.rpcs = downFor(5_000);
    expect(await outage()).toBeNull();
    chain.rpcs = downFor(30_000);
    expect(await outage()).toMatchObject({ isStarting: false, isWhole: true, held: { transfers: 0 } });
    chain.rpcs = downFor(61_000);
    const down = await told('rpc_down');
    expect(down).toMatchObject({
      title: 'The network cannot be reached',
      text: expect.stringContaining('it answers HTTP status 429'),
    });
    chain.rpcs = honest;
    expect(await told('rpc_down', 2)).toMatchObject({ title: 'The network is back', count: 1 });
    expect(shown.filter(({ kind }) => kind === 'rpc_down')).toHaveLength(2);
  });

  it('of a seller that was paid and did not deliver', async () => {
    const treasury = await openRich({ showNotice });
    opened.push(treasury);
    const buyer = await deploy(treasury.client, 'buyer', { allocate: '1.00' });
    seller.behave = async (seen) => {
      await seen.settle();
      refuseToDeliver(seen.response, 500);
    };
    await buyer.client.post('/v1/agents/buyer/fetch', { url: `${seller.url}/data` }, { key: 'a' });
    const notice = await told('not_delivered');
    expect(notice).toMatchObject({ agentId: 'buyer', title: 'Paid, but not delivered' });
    expect(notice.text).toMatch(/was paid 0\.01 USDC by buyer, and did not deliver\.$/);
  });

  it('of what the watch and a refill add in their own transactions', async () => {
    const { client, host } = shared;
    await deploy(client, 'watched');
    const { context } = host.engine;
    const sentence = 'It paid weather 41 times in 5 minutes; 6 is the most so far.';
    context.store.atomically(() => {
      addNotice(context, { kind: 'unusual', agentId: 'watched', sentence, subject: null });
      addNotice(context, {
        kind: 'refilled',
        agentId: 'watched',
        amount: usdc(2_500_000n),
        subject: 'alc_1',
      });
    });
    expect(await told('unusual')).toMatchObject({ title: 'Unusual activity: watched', text: sentence });
    expect(await told('refilled')).toMatchObject({ text: 'It gets 2.50 USDC from the treasury.' });
  });

  it('of a halt and of a freeze that the disk did not take, and of that freeze under the same id after a restart', async () => {
    const dataDir = temporaryFolder();
    const treasury = await openTreasury({ dataDir, showNotice });
    await until(
      'the channels',
      async () => (await treasury.client.get('/v1/notices/channels')).status === 200,
    );
    const free = fillDisk();
    await treasury.client.post('/v1/freeze', { reason: 'all at once' });
    const halted = await told('halted');
    const frozen = await told('frozen');
    expect([halted.text, frozen.text]).toEqual([
      expect.stringContaining('its disk failed'),
      expect.stringContaining('all at once'),
    ]);
    free();
    await treasury.close();
    const restarted = await openTreasury({ dataDir, showNotice });
    expect((await told('frozen', 2)).id).toBe(frozen.id);
    await restarted.close();
    removeFolder(dataDir);
  });
});

describe('a notice that cannot be written', () => {
  it('undoes its event: they are one transaction', async () => {
    const { client, host } = await open();
    const scout = await deploy(client, 'scout', { dailyBudget: '1', policy: { approveAbove: '0.95' } });
    const { store } = host.engine.context;
    const { add } = store.notices;
    store.notices.add = () => {
      throw new Error('the notice cannot be written');
    };
    const rows = () => [...store.transfers.iterate({ kinds: ['payment'] })].map(({ state }) => state);
    // A refusal, a payment that waits for the owner, and one that takes the budget past 80 %.
    for (const amount of ['2.00', '0.96', '0.90']) expect((await scout.pay(amount)).status).toBe(500);
    expect([rows(), store.approvals.pending()]).toEqual([[], []]);
    store.notices.add = add;
    await scout.pay('0.90');
    expect(rows()).toHaveLength(1);
  });
});

const address = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

describe('what strangers and agents write', () => {
  it('becomes one line without links, markup, codes and addresses, wherever it comes from', async () => {
    const { client, host } = await open();
    const hostile = `x\r\nBcc: all@evil.example\u202e <a href="https://evil.example">Click</a> [pay](https://evil.example) ${address}`;
    const scout = await deploy(client, 'scout', { policy: { approveAbove: '0.10' } });
    await scout.client.post('/v1/agents/scout/rename', { displayName: hostile.slice(0, 80) });
    const pay = (amount: string) =>
      scout.client.post('/v1/agents/scout/pay', {
        service: 'sandbox-weather',
        amount,
        currency: 'USDC',
        description: 'a prompt of the canary',
        reason: hostile.slice(0, 250),
      });
    await pay('0.20');
    await pay('5.00');
    await client.post('/v1/logins', { terminal: hostile.slice(0, 80) }, { token: null, owner: null });
    await client.post('/v1/link-sessions', { machine: hostile.slice(0, 80) }, { token: null, owner: null });
    await client.post('/v1/freeze', { reason: hostile });
    const { context } = host.engine;
    context.store.atomically(() =>
      addNotice(context, { kind: 'unusual', agentId: 'scout', sentence: hostile, subject: null }),
    );
    for (const kind of ['approval', 'refused', 'login', 'frozen', 'unusual'] as const) await told(kind);
    for (const { title, text } of shown) {
      expect(`${title}\n${text}`).not.toMatch(/evil\.example|https?:|[<>@[\]\u202e\r]|canary/);
      expect(`${title} ${text}`).not.toContain(address);
      expect([title, text].join('')).not.toContain('\n');
      expect(title.length).toBeLessThan(100);
      expect(text.length).toBeLessThan(320);
    }
  });

  it('never brings a secret of the treasury, a prompt or a whole address into a notice', async () => {
    const { client, host, owner } = await open();
    const scout = await deploy(client, 'scout', { policy: { approveAbove: '0.04' } });
    const { models } = (await client.get('/v1/models')).body;
    const canary = 'a canary in a coal mine at dusk';
    await scout.client.post('/v1/agents/scout/generate', {
      modelId: models[0].id,
      prompt: canary,
      resolution: '1k',
      reason: `my key is ${scout.key}`,
    });
    await scout.pay('0.03');
    await scout.pay('5.00');
    await client.post('/v1/sandbox/faucet', { amount: '25' });
    await client.post('/v1/freeze', { reason: `see ${owner} and ${scout.wallet}` });
    await told('frozen');
    await told('deposit');
    const { store } = host.engine.context;
    const all = store.notices.list({ before: null, limit: 100, failed: false });
    expect(all.length).toBeGreaterThanOrEqual(3);
    for (const text of [...all, ...shown].map((one) => JSON.stringify(one))) {
      for (const secret of [scout.key, owner, scout.wallet, canary]) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/[1-9A-HJ-NP-Za-km-z]{32,}/);
    }
  });
});
