// Registering a phone: who may, what proves it, what it opens, and what a lost phone can still do.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newPhone, partsOf, registerPhone, signText, type Phone } from '../harness/chain/phone.ts';
import { wordRow } from '../harness/chain/trusted-phone.ts';
import { deploy, openTreasury, until, type Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
let client: Treasury['client'];
beforeAll(async () => {
  treasury = await openTreasury();
  ({ client } = treasury);
});
afterAll(() => treasury.close());
afterEach(async () => {
  const { body } = await client.get('/v1/phone-wallets');
  for (const { phoneWalletId } of body['wallets'] as { phoneWalletId: string }[])
    await client.call('DELETE', `/v1/phone-wallets/${phoneWalletId}`);
});

const textFor = async (address: string): Promise<{ text: string; nonce: string }> =>
  (await client.post('/v1/phone-wallets/text', { address })).body as { text: string; nonce: string };
const register = (phone: Phone, proof: { nonce: string; signature: string }) =>
  client.post('/v1/phone-wallets', { name: 'P', address: phone.address, ...proof });

describe('the proof that the owner has a wallet', () => {
  it('is a signature over the fresh text of this treasury, network and wallet', async () => {
    const phone = await newPhone(treasury);
    const { text, nonce } = await textFor(phone.address);
    for (const part of [treasury.owner, phone.address, nonce, 'Network: sandbox', 'Expires: '])
      expect(text).toContain(part);
    const wrong = await register(phone, { nonce, signature: signText(phone.keys, `${text} `) });
    expect(wrong.status).toBe(400);
    expect(wrong.body['error']).toContain('signature: is not this wallet’s signature');
    const right = await textFor(phone.address);
    const made = await register(phone, { nonce: right.nonce, signature: signText(phone.keys, right.text) });
    expect(made.status).toBe(200);
  });

  it('is used once, also when the first use failed or the wallet was removed meanwhile', async () => {
    const phone = await newPhone(treasury);
    const { text, nonce } = await textFor(phone.address);
    const proof = { nonce, signature: signText(phone.keys, text) };
    const { body } = await register(phone, proof);
    await client.call('DELETE', `/v1/phone-wallets/${String(body['phoneWalletId'])}`);
    expect((await register(phone, proof)).body['error']).toContain('nonce: has been used');
    const spent = await textFor(phone.address);
    await register(phone, { nonce: spent.nonce, signature: signText(phone.keys, 'another') });
    const late = await register(phone, { nonce: spent.nonce, signature: signText(phone.keys, spent.text) });
    expect(late.body['error']).toContain('nonce: has been used');
  });

  it('is of the wallet that asked', async () => {
    const [one, two] = [await newPhone(treasury), await newPhone(treasury)];
    const { text, nonce } = await textFor(one.address);
    const other = await register(two, { nonce, signature: signText(two.keys, text) });
    expect(other.body['error']).toContain('nonce: has been used, has expired, or belongs to another wallet');
  });

  it('may be the payment of a fresh request instead, by the wallet that asked', async () => {
    const phone = await newPhone(treasury);
    const stranger = await newPhone(treasury);
    const { nonce, request } = (await client.post('/v1/phone-wallets/text', { address: phone.address })).body;
    const attempt = () => client.post('/v1/phone-wallets', { name: 'P', address: phone.address, nonce });
    expect((await attempt()).status).toBe(409);
    await stranger.say(String(request));
    await phone.say(String(request), { memo: `at:register ${'0'.repeat(32)}` });
    await phone.say(String(request), { references: [partsOf(String(request)).references[0] ?? ''] });
    await treasury.host.engine.remoteWords.look();
    expect((await attempt()).status).toBe(409);
    await phone.say(String(request));
    const made = await until('the payment to be final', async () => {
      const answer = await attempt();
      return answer.status === 409 ? undefined : answer;
    });
    expect(made.status).toBe(200);
    expect((await attempt()).status).toBe(409);
  });

  it('cannot be of a wallet of this treasury, deployed or not', async () => {
    const [own, later] = [treasury.owner, treasury.host.vault.address(77)];
    for (const address of [own, later]) {
      const { nonce } = await textFor(address);
      const refused = await client.post('/v1/phone-wallets', {
        name: 'P',
        address,
        nonce,
        signature: 'A'.repeat(86) + '==',
      });
      expect(refused.body['error']).toContain('address: is a wallet of this treasury');
    }
  });
});

describe('a registered phone', () => {
  it('answers an approval that was opened before', async () => {
    const agent = await deploy(client, 'early', {
      dailyBudget: '10',
      maxPerPayment: '5',
      policy: { approveAbove: '0.5' },
    });
    const { body } = await agent.client.post(`/v1/agents/${agent.agentId}/pay`, {
      service: 'sandbox-weather',
      amount: '1',
      currency: 'USDC',
    });
    const path = `/v1/approvals/${String(body['approvalId'])}`;
    expect((await client.get(`${path}/phone`)).body['deny']).toBeNull();
    const phone = await newPhone(treasury);
    await registerPhone(treasury, phone);
    const { deny } = (await client.get(`${path}/phone`)).body;
    expect(await wordRow(treasury, await phone.say(String(deny)))).toMatchObject({ whyNot: null });
    expect((await client.get(path)).body['status']).toBe('denied');
  });

  it('proves with a test word that it works, which changes nothing', async () => {
    const phone = await newPhone(treasury);
    await registerPhone(treasury, phone);
    const before = (await client.get('/v1/approvals')).text;
    const { test } = (await client.get('/v1/phone-wallets')).body;
    const word = await wordRow(treasury, await phone.say(String(test)));
    expect(word).toMatchObject({ memo: 'at:test', whyNot: null, approved: '0.00', approvalId: null });
    expect(treasury.host.engine.context.store.freeze.get()).toBeNull();
    expect((await client.get('/v1/approvals')).text).toBe(before);
  });

  it('is nothing any more once it is lost, also while everything is frozen', async () => {
    const [lost, kept] = [await newPhone(treasury), await newPhone(treasury)];
    const id = await registerPhone(treasury, lost);
    await registerPhone(treasury, kept);
    await client.post('/v1/freeze');
    expect((await client.call('DELETE', `/v1/phone-wallets/${id}`)).status).toBe(200);
    await client.post('/v1/unfreeze');
    const { test, freeze } = (await client.get('/v1/phone-wallets')).body;
    const said = await lost.say(String(freeze));
    await wordRow(treasury, await kept.say(String(test)));
    expect(treasury.host.engine.context.store.freeze.get()).toBeNull();
    expect((await client.get('/v1/phone-words')).text).not.toContain(said);
  });

  it('is told of on every channel, whatever kinds the owner wants there', async () => {
    const got: string[] = [];
    const server: Server = createServer((incoming, outgoing) => {
      let text = '';
      incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
      incoming.on('end', () => {
        got.push(text);
        outgoing.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const added = await client.post('/v1/notices/channels', {
      kind: 'webhook',
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      allowPrivate: true,
      secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
      kinds: ['deposit'],
    });
    expect(added.status).toBe(200);
    await registerPhone(treasury, await newPhone(treasury));
    await registerPhone(treasury, await newPhone(treasury));
    await until('both notices', () => got.filter((text) => text.includes('phone wallet')).length === 2);
    await new Promise<unknown>((resolve) => server.close(resolve));
  });
});
