// An RPC that does not know yet when a block was made: a stop is obeyed all the same, and an answer waits for its time.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRpcProxy, withResult, type Fault, type Proxy } from '../harness/rpc-proxy.ts';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import {
  deploy,
  openTreasury,
  openSandbox,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';

let sandbox: TestSandbox;
let proxy: Proxy;
let treasury: Treasury;
beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  treasury = await openTreasury({ args: ['--rpc', proxy.url, '--ws', ws] });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '10' });
});
afterAll(async () => {
  await treasury.close();
  await proxy.close();
  await sandbox.close();
});

/** Transactions are shown without the time of their block; counts them. */
const timeless = (commitment: string): { fault: Fault; shown(): number } => {
  let shown = 0;
  const fault: Fault = ({ method, params }, forward) =>
    method !== 'getTransaction' || params[1]?.commitment !== commitment
      ? forward()
      : withResult(forward, (result) => {
          if (result === null) return result;
          shown += 1;
          return { ...(result as object), blockTime: null };
        });
  return { fault, shown: () => shown };
};

it('obeys a stop whose time is not known', async () => {
  const { phone } = await trustedPhone(treasury);
  const { store } = treasury.host.engine.context;
  const { body } = await treasury.client.get('/v1/phone-wallets');
  const { fault, shown } = timeless('confirmed');
  proxy.fault = fault;
  const signature = await phone.say(String(body['freeze']));
  await until('the freeze', () => store.freeze.get() !== null);
  expect(shown()).toBeGreaterThan(0);
  expect(store.freeze.get()?.reason).toContain(signature);
  expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null });
  proxy.fault = null;
  await treasury.client.post('/v1/unfreeze');
});

it('obeys an approval once its time is known, and not before', async () => {
  const { phone } = await trustedPhone(treasury);
  const { store } = treasury.host.engine.context;
  const agent = await deploy(treasury.client, 'asker', { policy: { approveAbove: '0.5' } });
  const held = await agent.pay('1.00');
  const approvalId = String(held.body['approvalId']);
  const { body } = await treasury.client.get(`/v1/approvals/${approvalId}/phone`);
  const { fault, shown } = timeless('finalized');
  proxy.fault = fault;
  const signature = await phone.say(String(body['approve']));
  await until('the word to be read twice', () => shown() >= 2);
  expect(store.phones.hasWord(signature)).toBe(false);
  expect(store.approvals.get(approvalId)?.status).toBe('pending');
  proxy.fault = null;
  expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, approvalId, approved: '1.00' });
});
