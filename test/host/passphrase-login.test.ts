// On a real network no owner token is kept: the person who types the vault's passphrase is the owner.
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient, type Client } from '../harness/http-client.ts';
import { hidesKeychain, openWithPassphrase, passphrase, type WithPassphrase } from './support.ts';

describe.skipIf(!hidesKeychain)('a headless host on mainnet', () => {
  let opened: WithPassphrase;
  let host: WithPassphrase['host'];
  let nobody: Client;
  beforeAll(async () => {
    opened = await openWithPassphrase();
    ({ host } = opened);
    nobody = createClient(host.url, host.owner, null);
  });
  afterAll(async () => {
    nobody.close();
    await opened.close();
  });

  it('lets in a caller with the passphrase, also when it is locked, and nobody else', async () => {
    expect(host.cookieFile).toBeNull();
    const wrong = await nobody.post('/v1/session', { passphrase: 'wrong horse battery' }, { owner: null });
    expect([wrong.status, wrong.body['details'].reason]).toEqual([403, 'wrong_passphrase']);

    const first = await nobody.post('/v1/session', { passphrase }, { owner: null });
    const session = nobody.as(String(first.body['session']));
    expect((await session.get('/v1/dashboard')).body).toMatchObject({ locked: false, needsPassphrase: true });
    expect((await session.post('/v1/lock')).status).toBe(200);
    expect((await session.get('/v1/dashboard')).status).toBe(401);

    const second = await nobody.post('/v1/session', { passphrase }, { owner: null });
    const again = nobody.as(String(second.body['session']));
    expect((await again.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await again.post('/v1/unlock', { passphrase })).body).toEqual({ locked: false });
  });

  it('asks for the passphrase before a phone pays for its registration', async () => {
    const { body } = await nobody.post('/v1/session', { passphrase }, { owner: null });
    const owner = nobody.as(String(body['session']));
    const address = Keypair.generate().publicKey.toBase58();
    const { nonce } = (await owner.post('/v1/phone-wallets/text', { address })).body;
    const register = (more: object) =>
      owner.post('/v1/phone-wallets', { name: 'P', address, nonce, ...more });
    expect((await register({})).status).toBe(403);
    expect((await register({ passphrase: 'wrong horse battery' })).status).toBe(403);
    const unpaid = await register({ passphrase });
    expect([unpaid.status, unpaid.body['details']], unpaid.text).toEqual([409, { isPaid: false }]);
  });

  it('changes its passphrase for a caller with the old one', async () => {
    const { body } = await nobody.post('/v1/session', { passphrase }, { owner: null });
    const owner = nobody.as(String(body['session']));
    const next = 'another horse battery';
    expect((await owner.post('/v1/passphrase', { current: 'wrong horse battery', next })).status).toBe(403);
    expect((await owner.post('/v1/passphrase', { current: passphrase, next })).body).toEqual({
      changed: true,
    });
    expect((await nobody.post('/v1/session', { passphrase }, { owner: null })).status).toBe(403);
    expect((await nobody.post('/v1/session', { passphrase: next }, { owner: null })).status).toBe(200);
  });
});
