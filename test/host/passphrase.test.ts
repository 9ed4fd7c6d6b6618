// On a real network no owner token is kept: the person who types the vault's passphrase is the owner, for as long as a
// session of a browser or a terminal's token lasts. On the machine's real keychain (a gnome-keyring of the test's own, in
// D-Bus sessions of its own, one for each login) the root secret lies under the passphrase too.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { createClient, type Client } from '../harness/http-client.ts';
import { hasKeychain, inSession, withKeychain } from '../harness/programs/keychain.ts';
import { deploy } from '../harness/treasury.ts';
import { isOpen, openSession, proofOf, signInBy } from '../http/door/session-pages.ts';
import {
  addService,
  hidesKeychain,
  openInside,
  openMainnet,
  openWithPassphrase,
  passphrase,
  protectionOf,
  refusedStart,
  spawnHost,
  type Mainnet,
  type WithPassphrase,
} from './support.ts';

const folder = useFolders();
let mainnet: Mainnet;
beforeAll(async () => {
  mainnet = await openMainnet();
});
afterAll(() => mainnet.close());

describe.skipIf(!hidesKeychain)('a headless host on mainnet (Linux alone)', () => {
  const wrong = 'wrong horse battery';
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
  const signIn = async (): Promise<Client> => nobody.as(await signInBy(nobody, { passphrase }));

  it('lets in a caller with the passphrase, also when it is locked, and nobody else', async () => {
    expect(host.cookieFile).toBeNull();
    const refused = await openSession(nobody, { passphrase: wrong });
    expect([refused.status, refused.body['details'].reason]).toEqual([403, 'wrong_passphrase']);

    const session = await signIn();
    expect((await session.get('/v1/dashboard')).body).toMatchObject({ locked: false, needsPassphrase: true });
    expect((await session.post('/v1/lock')).status).toBe(200);
    expect((await session.get('/v1/dashboard')).status).toBe(401);

    const again = await signIn();
    expect((await again.get('/v1/dashboard')).body['locked']).toBe(true);
    expect((await again.post('/v1/unlock', { passphrase })).body).toEqual({ locked: false });
  });

  it('asks for the passphrase before a phone pays for its registration', async () => {
    const owner = await signIn();
    const address = Keypair.generate().publicKey.toBase58();
    const { nonce } = (await owner.post('/v1/phone-wallets/text', { address })).body;
    const register = (more: object) =>
      owner.post('/v1/phone-wallets', { name: 'P', address, nonce, ...more });
    expect((await register({})).status).toBe(403);
    expect((await register({ passphrase: wrong })).status).toBe(403);
    const unpaid = await register({ passphrase });
    expect([unpaid.status, unpaid.body['details']], unpaid.text).toEqual([409, { isPaid: false }]);
  });

  it('changes its passphrase for a caller with the old one, which ends each session and the token of every terminal', async () => {
    const session = await signInBy(nobody, { passphrase });
    const anybody = { token: null, owner: null };
    const { body: asked } = await nobody.post('/v1/logins', { terminal: 't', passphrase }, anybody);
    const { pollSecret } = asked;
    const claim = await nobody.post(`/v1/logins/${asked['loginId']}/claim`, { pollSecret }, anybody);
    const token = String(claim.body['token']);
    const areOpen = async () => [await isOpen(nobody, session), await isOpen(nobody, token)];
    const next = 'another horse battery';
    const change = (current: string) => nobody.as(session).post('/v1/passphrase', { current, next });
    expect((await change(wrong)).status).toBe(403);
    expect(await areOpen()).toEqual([true, true]);
    expect((await change(passphrase)).body).toEqual({ changed: true });
    expect(await areOpen()).toEqual([false, false]);
    expect(await proofOf(nobody, host.url, session)).toBe('passphrase');
    expect((await openSession(nobody, { passphrase })).status).toBe(403);
    expect((await openSession(nobody, { passphrase: next })).status).toBe(200);
  });

  it('ends its sessions with itself: none is on the disk, and the next start knows none', async () => {
    const dataDir = folder();
    const first = await openInside(dataDir, mainnet.args);
    const session = await signInBy(first.client, { passphrase });
    expect(await isOpen(first.client, session)).toBe(true);
    expect(existsSync(join(dataDir, 'mainnet', 'sessions.json'))).toBe(false);
    await first.close();
    const port = new URL(first.host.url).port;
    const second = await openInside(dataDir, [...mainnet.args, '--port', port]);
    expect(second.host.url).toBe(first.host.url);
    expect(await isOpen(second.client, session)).toBe(false);
    expect(await proofOf(second.client, second.host.url, session)).toBeNull();
    await second.close();
  });
});

describe.skipIf(!hasKeychain)(withKeychain('a host on the keychain'), () => {
  it('keeps its root secret there under the passphrase, and after a new login unlocks and pays', async () => {
    const home = folder();
    const [dataDir, session] = [join(home, 'data'), inSession(home)];
    const args = [...mainnet.args, '--owner-cookie'];
    const payee = Keypair.generate().publicKey.toBase58();
    const first = await spawnHost(dataDir, [...args, '--passphrase-fd', '3'], {
      ...session,
      descriptors: [passphrase],
    });
    expect(protectionOf(dataDir)).toBe('keychain+seal');
    expect(existsSync(join(dataDir, 'mainnet', 'vault-root.json'))).toBe(false);
    await mainnet.fund(first.ready.owner, 20_000_000n, 1_000_000_000n);
    await mainnet.fund(payee, 0n);
    const { key } = await deploy(first.client, 'buyer', { allocate: '5' });
    await first.stop();

    const outside = await refusedStart(dataDir, [...args, '--passphrase-fd', '3'], {
      descriptors: [passphrase],
    });
    expect([outside.code, outside.said]).toEqual([1, expect.stringContaining('keychain cannot be used')]);
    expect(outside.said).toContain('Start the treasury in a desktop session, or with dbus-run-session.');
    const locked = await openInside(dataDir, mainnet.args, { locked: true });
    addService(locked.host, 'shop', payee);
    await locked.close();

    const second = await spawnHost(dataDir, args, session);
    expect(second.ready.owner).toBe(first.ready.owner);
    const pay = () =>
      second.client
        .as(key)
        .post('/v1/agents/buyer/pay', { service: 'shop', amount: '0.25', currency: 'USDC' });
    expect((await pay()).status).toBe(503);
    const wrong = await second.client.post('/v1/unlock', { passphrase: 'something else' });
    expect([wrong.status, wrong.body['code']]).toEqual([403, 'forbidden']);
    expect((await second.client.post('/v1/unlock', { passphrase })).body).toEqual({ locked: false });
    const paid = await pay();
    expect(paid.status, paid.text).toBe(200);
    await second.stop();
  });
});
