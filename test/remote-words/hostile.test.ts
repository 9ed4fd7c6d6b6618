// Hostile words from an RPC that invents, changes and replays: none is obeyed. HOSTILE_WORDS says how many.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mailboxOf } from '../../server/engine/domain/phone.ts';
import type { Proxy } from '../harness/chain/rpc-proxy.ts';
import { trustedPhone } from '../harness/chain/trusted-phone.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { freezeUrl, isFrozen, openBehindProxy, type BehindProxy } from './behind-proxy.ts';
import { diceOf, forge, honest, type Scene, type Shown } from './hostile-words.ts';

const total = Number(process.env['HOSTILE_WORDS'] ?? 400);
const seed = Number(process.env['HOSTILE_SEED'] ?? 1);
const batch = 200;

let behind: BehindProxy;
let proxy: Proxy;
let treasury: Treasury;
let agent: TestAgent;
let phone: Keypair;
/** What the RPC shows in the mailbox, oldest first. */
let shown: readonly Shown[] = [];

beforeAll(async () => {
  behind = await openBehindProxy('100');
  ({ treasury, proxy } = behind);
  agent = await deploy(treasury.client, 'asker', {
    dailyBudget: '50',
    maxPerPayment: '5',
    policy: { approveAbove: '0.5' },
  });
  await treasury.client.post('/v1/agents/asker/allocate', { amount: '20' });
  ({
    phone: { keys: phone },
  } = await trustedPhone(treasury, '5', '50'));
  lie();
});
afterAll(() => behind.close());

const lie = (): void => {
  const mailbox = mailboxOf(treasury.owner);
  proxy.fault = ({ id, method, params }, forward) => {
    const answer = (result: unknown) => ({ jsonrpc: '2.0', id, result });
    if (method === 'getSignaturesForAddress' && params[0] === mailbox)
      return answer(
        shown
          .map(({ signature, err, blockTime }) => ({ signature, slot: 1, err, blockTime, memo: null }))
          .toReversed(),
      );
    if (method !== 'getTransaction') return forward();
    const one = shown.find(({ signature }) => signature === params[0]);
    if (one === undefined) return forward();
    const meta = { err: one.err, fee: 5_000, preTokenBalances: [], postTokenBalances: [] };
    const transaction = [one.wire.toString('base64'), 'base64'];
    return answer({ slot: 1, blockTime: one.blockTime, meta, transaction, version: 'legacy' });
  };
};

interface Asked {
  approvalId: string;
  approve: string;
  deadline: number;
}
const asked = async (): Promise<Asked> => {
  const paying = { service: 'sandbox-weather', amount: '1', currency: 'USDC' };
  const { body } = await agent.client.post('/v1/agents/asker/pay', paying);
  const approvalId = String(body['approvalId']);
  const { body: requests } = await treasury.client.get(`/v1/approvals/${approvalId}/phone`);
  const { body: approval } = await treasury.client.get(`/v1/approvals/${approvalId}`);
  return {
    approvalId,
    approve: String(requests['approve']),
    deadline: Date.parse(String(approval['expiresAt'])),
  };
};
const statusOf = async ({ approvalId }: Asked): Promise<unknown> =>
  (await treasury.client.get(`/v1/approvals/${approvalId}`)).body['status'];
const obeyed = (): number =>
  treasury.host.engine.context.store.phones.words(100_000).filter(({ whyNot }) => whyNot === null).length;
const read = async (words: readonly Shown[]): Promise<void> => {
  shown = words;
  await treasury.host.engine.remoteWords.look();
};

it(
  'obeys none of them, and still the honest word',
  async () => {
    const dice = diceOf(seed);
    const { store } = treasury.host.engine.context;
    const stranger = Keypair.generate();
    const freeze = await freezeUrl(treasury);
    const first = await asked();
    const common = {
      phone,
      stranger,
      deadline: first.deadline,
      answered: first.approve,
      other: first.approve,
    };
    await read([honest({ ...common, request: first.approve })]);
    await until('the honest word', async () => (await statusOf(first)) === 'granted');
    expect(obeyed()).toBe(1);
    const kinds = new Set<string>();
    for (let made = 0; made < total; made += batch) {
      const [one, two] = [await asked(), await asked()];
      const forApproval: Scene = { ...common, ...one, request: one.approve, other: two.approve };
      const forFreeze: Scene = { ...forApproval, request: freeze };
      const words = Array.from({ length: batch }, (_, n) =>
        n % 2 === 0 ? forge(forApproval, dice, false) : forge(forFreeze, dice, true),
      );
      for (const { kind } of words) kinds.add(kind);
      await read(words);
      const wallets = new Set(store.phones.words(100_000).map(({ signature }) => signature));
      expect(wallets.size, 'words of the phone are listed, not obeyed').toBeGreaterThan(1);
      expect(isFrozen(treasury), `frozen by a batch from seed ${seed}`).toBe(false);
      expect(obeyed(), `obeyed in the batch at ${made}, seed ${seed}`).toBe(1);
      expect([await statusOf(one), await statusOf(two)]).toEqual(['pending', 'pending']);
      for (const { approvalId } of [one, two])
        await treasury.client.post(`/v1/approvals/${approvalId}/deny`, { afterMs: 0 });
    }
    expect(kinds.size).toBeGreaterThanOrEqual(Math.min(20, total / 10));
    await read([honest({ ...common, request: freeze })]);
    await until('the honest freeze', () => isFrozen(treasury));
    process.stdout.write(`${total} hostile words of ${kinds.size} kinds, 0 obeyed\n`);
  },
  Math.max(120_000, total * 60),
);
