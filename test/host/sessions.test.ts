// Sessions of browsers on a real network: they end with the host, and with the passphrase.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { isOpen, proofOf, signInBy } from '../http/session-pages.ts';
import { hidesKeychain, openInside, openMainnet, passphrase, type Mainnet } from './support.ts';

const folder = useFolders();

describe.skipIf(!hidesKeychain)('a session on a real network (Linux alone)', () => {
  let mainnet: Mainnet;
  beforeAll(async () => {
    mainnet = await openMainnet();
  });
  afterAll(() => mainnet.close());

  it('ends with the host: none is on the disk, and the next start knows none', async () => {
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

  it('ends when the passphrase is changed, like the token of every terminal', async () => {
    const { host, client, close } = await openInside(folder(), mainnet.args);
    const session = await signInBy(client, { passphrase });
    const { body: asked } = await client.post(
      '/v1/logins',
      { terminal: 't', passphrase },
      { token: null, owner: null },
    );
    const { body: claimed } = await client.post(
      `/v1/logins/${asked['loginId']}/claim`,
      { pollSecret: asked['pollSecret'] },
      { token: null, owner: null },
    );
    const token = String(claimed['token']);
    expect([await isOpen(client, session), await isOpen(client, token)]).toEqual([true, true]);
    const next = 'another horse battery';
    expect(
      (await client.as(session).post('/v1/passphrase', { current: 'wrong horse battery', next })).status,
    ).not.toBe(200);
    expect(await isOpen(client, session)).toBe(true);
    expect((await client.as(session).post('/v1/passphrase', { current: passphrase, next })).status).toBe(200);
    expect([await isOpen(client, session), await isOpen(client, token)]).toEqual([false, false]);
    expect(await proofOf(client, host.url, session)).toBe('passphrase');
    await close();
  });
});
