// A stop that waits on the chain at a start comes before the first signature, whatever the RPC does meanwhile.
import { expect, it } from 'vitest';
import { newPhone, registerPhone } from '../harness/phone.ts';
import { createRpcProxy, type Fault } from '../harness/rpc-proxy.ts';
import {
  deploy,
  openTreasury,
  removeFolder,
  openSandbox,
  temporaryFolder,
  until,
} from '../harness/treasury.ts';
import { mailboxOf } from '../../server/engine/domain/phone.ts';

it('is obeyed before anything is paid, and until the mailbox can be read nothing is paid', async () => {
  const dataDir = temporaryFolder();
  const sandbox = await openSandbox();
  const proxy = await createRpcProxy(sandbox.rpcUrl);
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  const open = () => openTreasury({ dataDir, args: ['--rpc', proxy.url, '--ws', ws] });
  try {
    const before = await open();
    await before.client.post('/v1/sandbox/faucet', { amount: '10' });
    const { agentId, key } = await deploy(before.client, 'waiting', { dailyBudget: '5', maxPerPayment: '5' });
    const phone = await newPhone(before);
    await registerPhone(before, phone);
    const { body } = await before.client.get('/v1/phone-wallets');
    await before.close();
    const signature = await phone.say(String(body['freeze']));

    const mailbox = mailboxOf(before.owner);
    const hidden: Fault = ({ method, params }, forward) =>
      method === 'getSignaturesForAddress' && params[0] === mailbox ? null : forward();
    proxy.fault = hidden;
    const after = await open();
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
