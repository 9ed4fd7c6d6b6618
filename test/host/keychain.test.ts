// The host from end to end on the machine's real keychain: a gnome-keyring of the test's own, in D-Bus sessions of its
// own, one for each login.
import { Keypair } from '@solana/web3.js';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasKeychain, inSession, withKeychain } from '../harness/keychain.ts';
import { deploy, removeFolder, temporaryFolder } from '../harness/treasury.ts';
import {
  addService,
  openInside,
  openMainnet,
  passphrase,
  protectionOf,
  refusedStart,
  spawnHost,
  type Mainnet,
} from './support.ts';

const home = temporaryFolder();
const dataDir = join(home, 'data');
const session = inSession(home);

describe.skipIf(!hasKeychain)(withKeychain('a host on the keychain'), () => {
  let mainnet: Mainnet;
  beforeAll(async () => {
    mainnet = await openMainnet();
  });
  afterAll(async () => {
    await mainnet.close();
    removeFolder(home);
  });

  it('keeps its root secret there under the passphrase, and after a new login unlocks and pays', async () => {
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
