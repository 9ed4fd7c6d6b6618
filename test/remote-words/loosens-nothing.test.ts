// A phone approves one payment: the payee is no better known after it than before.
import { Keypair } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { trustedPhone, wordRow } from '../harness/trusted-phone.ts';
import { deploy, openTreasury, rpcCall, openSandbox, until } from '../harness/treasury.ts';
import { createX402Seller } from '../harness/x402-seller.ts';

it('pins no payee that changed, and makes none known', async () => {
  const sandbox = await openSandbox();
  const { rpcUrl } = sandbox;
  const seller = await createX402Seller(rpcUrl);
  const ws = rpcUrl.replace('http', 'ws');
  const treasury = await openTreasury({
    args: ['--rpc', rpcUrl, '--ws', ws, '--allow-origin', seller.url],
  });
  try {
    const { client, host } = treasury;
    const { store } = host.engine.context;
    await client.post('/v1/sandbox/faucet', { amount: '50' });
    const agent = await deploy(client, 'buyer', { policy: { newPayees: 'approve' } });
    const { hash } = (await client.post('/v1/services/preview', { url: `${seller.url}/data` })).body;
    const { id } = (await client.post('/v1/services', { url: `${seller.url}/data`, hash })).body;
    const pinned = store.services.get(String(id))?.payees ?? [];
    expect(pinned).toEqual([seller.payee]);
    const { phone } = await trustedPhone(treasury, '1', '1');

    const thief = Keypair.generate().publicKey.toBase58();
    await rpcCall(rpcUrl, 'sandbox_fundUsdc', [thief, '0']);
    seller.offer.payTo = thief;
    const buy = () => agent.client.post('/v1/agents/buyer/fetch', { url: `${seller.url}/data` });
    const held = await buy();
    expect(held.status, held.text).toBe(202);
    const { body } = await client.get(`/v1/approvals/${String(held.body['approvalId'])}/phone`);
    const word = await wordRow(treasury, await phone.say(String(body['approve'])));
    expect(word).toMatchObject({ whyNot: null });
    const paid = () => store.transfers.get(String(held.body['paymentId']))?.state;
    await until('the payment to end', () => store.transfers.openOf('buyer').length === 0);
    expect(paid()).toBe('final');

    expect(store.services.get(String(id))?.payees).toEqual(pinned);
    expect(store.payees.known('buyer', thief)).toBe(false);
    const next = await buy();
    expect([next.status, next.body['status']], next.text).toEqual([202, 'awaiting_approval']);
  } finally {
    await treasury.close();
    await seller.close();
    await sandbox.close();
  }
});
