// SIGKILL of the host at each step of obeying a word, then a restart: the word counts once, and no payment is made twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/audit.ts';
import { createClient } from '../harness/http-client.ts';
import { killAt } from '../harness/kill-at.ts';
import { createRpcProxy, type Proxy } from '../harness/rpc-proxy.ts';
import type { Phone } from '../harness/phone.ts';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnSandbox,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type SandboxProcess,
} from '../harness/treasury.ts';

const [chainDir, dataDir] = [temporaryFolder(), temporaryFolder()];
let sandbox: SandboxProcess;
let proxy: Proxy;
let phone: Phone;
let key = '';
let args: string[] = [];

beforeAll(async () => {
  sandbox = await spawnSandbox(chainDir, instantly);
  proxy = await createRpcProxy(sandbox.rpcUrl);
  args = ['--rpc', proxy.url, '--ws', `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`];
  const treasury = await openTreasury({ dataDir, args });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  ({ key } = await deploy(treasury.client, 'mortal', {
    dailyBudget: '50',
    maxPerPayment: '5',
    allocate: '40',
    policy: { approveAbove: '0.5' },
  }));
  // The phone reaches the chain by itself.
  const host = { ...treasury.host, rpcUrl: sandbox.rpcUrl };
  ({ phone } = await trustedPhone({ ...treasury, host }, '5', '50'));
  await treasury.close();
});
afterAll(async () => {
  await proxy.close();
  await sandbox.kill('SIGKILL');
  removeFolder(chainDir);
  removeFolder(dataDir);
});

const asked = async ({ ready, client }: Process) => {
  const agent = createClient(ready.url, ready.owner, key);
  const { body } = await agent.post('/v1/agents/mortal/pay', {
    service: 'sandbox-weather',
    amount: '1',
    currency: 'USDC',
  });
  agent.close();
  const { body: requests } = await client.get(`/v1/approvals/${String(body['approvalId'])}/phone`);
  return { paymentId: String(body['paymentId']), approve: String(requests['approve']) };
};

const commitmentOf = (params: unknown[]): unknown => (params[1] as { commitment?: string }).commitment;

const points: [string, (method: string, params: unknown[]) => boolean, boolean][] = [
  ['listed', (method) => method === 'getSignaturesForAddress', true],
  ['read', (method, params) => method === 'getTransaction' && commitmentOf(params) === 'confirmed', true],
  ['final', (method, params) => method === 'getTransaction' && commitmentOf(params) === 'finalized', true],
  ['granted and signed, and its payment not sent', (method) => method === 'sendTransaction', false],
  ['granted, and its payment sent', (method) => method === 'sendTransaction', true],
];

describe('SIGKILL of the host', () => {
  it.each(points)('while a word is %s', async (_, isIt, forwardFirst) => {
    const host = await spawnTreasury(dataDir, args);
    const { paymentId, approve } = await asked(host);
    const { fault, ended } = killAt(host, { isIt, forwardFirst });
    proxy.fault = fault;
    const signature = await phone.say(approve);
    await ended;
    host.client.close();
    proxy.fault = null;
    const treasury = await openTreasury({ dataDir, args });
    try {
      const { store } = treasury.host.engine.context;
      expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, approved: '1.00' });
      await until('the payment to end', () => store.transfers.open().length === 0);
      expect(store.transfers.get(paymentId)?.state).toBe('final');
      const words = (await treasury.client.get('/v1/phone-words')).body['words'] as { txSignature: string }[];
      expect(words.filter(({ txSignature }) => txSignature === signature)).toHaveLength(1);
      expect(clean(await audit(treasury.host))).toEqual(allWell);
    } finally {
      await treasury.close();
    }
  });

  it('while a freeze is read: it is obeyed before the first signature of the next start', async () => {
    const host = await spawnTreasury(dataDir, args);
    const { freeze } = (await host.client.get('/v1/phone-wallets')).body;
    const { fault, ended } = killAt(host, {
      isIt: (method) => method === 'getTransaction',
      forwardFirst: false,
    });
    proxy.fault = fault;
    const signature = await phone.say(String(freeze));
    await ended;
    host.client.close();
    proxy.fault = null;
    const treasury = await openTreasury({ dataDir, args });
    expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(signature);
    await treasury.close();
  });
});
