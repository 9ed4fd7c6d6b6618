// The owner's settings. A password goes only to the host that it was typed for, and encrypted.
import tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Input } from '../../server/contract/schemas.ts';
import { createCertificate } from './certificate.ts';
import { openMailServer, type TestMailServer } from './mail-server.ts';
import { openSignIn, refusalOf, url, type SignInTreasury } from './sign-in-treasury.ts';
import { createTestWallet } from './test-wallet.ts';

const password = 'correct horse battery staple';
const owner = 'owner@example.com';

let treasury: SignInTreasury;
let servers: TestMailServer[];
beforeEach(() => {
  treasury = openSignIn();
  servers = [];
  treasury.hide(password);
});
afterEach(async () => {
  treasury.close();
  await Promise.all(servers.map((server) => server.close()));
});

const open = async (options?: Parameters<typeof openMailServer>[0]): Promise<TestMailServer> => {
  const server = await openMailServer(options);
  servers.push(server);
  return server;
};
type MailServer = NonNullable<NonNullable<Input<'setMailServer'>['body']>['mailServer']>;
const set = (mailServer: MailServer | null) => treasury.call('setMailServer', { mailServer });
const settings = (port: number, change: Partial<MailServer> = {}): MailServer => ({
  host: '127.0.0.1',
  port,
  security: 'none',
  user: 'anna',
  password,
  from: 'treasury@example.com',
  ...change,
});
const withoutPassword = ({ password: _password, ...rest }: MailServer): MailServer => rest;
const test = () => treasury.call('testMailServer', { to: owner });

describe('identities', () => {
  it('are listed with their names, and no longer once removed', async () => {
    const { address } = createTestWallet();
    const wallet = await treasury.call('addIdentity', { kind: 'wallet', subject: address, label: 'phone' });
    treasury.clock.now += 1;
    const email = await treasury.call('addIdentity', { kind: 'email', subject: ' Anna@Example.COM ' });
    expect([wallet.label, email.label, email.subject]).toEqual([
      'phone',
      'anna@example.com',
      'anna@example.com',
    ]);
    expect(await treasury.call('getSignIn')).toEqual({
      identities: [wallet, email],
      mailServer: null,
      provider: null,
      redirectUri: `${url}/link`,
      publicRedirectUri: null,
    });
    const { identityId } = wallet;
    treasury.signIn.checkPath({ identityId });
    expect(await treasury.call('removeIdentity', {}, { identityId })).toEqual(wallet);
    expect(() => treasury.signIn.checkPath({ identityId })).toThrow('There is no identity');
    expect((await refusalOf(treasury.call('removeIdentity', {}, { identityId }))).code).toBe('not_found');
    expect((await treasury.call('getSignIn')).identities).toEqual([email]);
    const again = await treasury.addIdentity('wallet', address);
    expect(again).not.toBe(identityId);
  });

  it('are never a wallet of this treasury, whose proofs go to sellers', async () => {
    const { address } = createTestWallet();
    treasury.store.atomically(() => treasury.store.wallets.add({ address, index: 1, agentId: 'scout' }));
    const refused = await refusalOf(treasury.addIdentity('wallet', address));
    expect(refused.message).toContain('subject: is a wallet of this treasury');
  });

  it('are kept once each, and fifty at most', async () => {
    for (let count = 0; count < 50; count += 1) await treasury.addIdentity('email', `${count}@example.com`);
    expect((await refusalOf(treasury.addIdentity('email', '7@example.com'))).message).toContain(
      'added already',
    );
    expect((await refusalOf(treasury.addIdentity('email', 'more@example.com'))).code).toBe('conflict');
  });

  it('decide which ways to sign in are offered, once each way’s needs are met', async () => {
    const offered = async () => {
      const { wallet, email, provider } = await treasury.call('signInMethods');
      return { wallet, email, provider };
    };
    expect(await offered()).toEqual({ wallet: false, email: false, provider: null });
    await treasury.addIdentity('wallet', createTestWallet().address);
    await treasury.addIdentity('email', owner);
    expect(await offered()).toEqual({ wallet: true, email: false, provider: null });
    const { port } = await open();
    await set(settings(port, { user: null, password: undefined }));
    expect(await offered()).toEqual({ wallet: true, email: true, provider: null });
    await set(null);
    expect(await offered()).toEqual({ wallet: true, email: false, provider: null });
  });
});

describe('the mail server', () => {
  it('gets the configured login; the settings do not show the password', async () => {
    const server = await open({ password, allowInsecureAuth: true });
    const shown = await set(settings(server.port));
    expect(shown.mailServer).toEqual({ ...withoutPassword(settings(server.port)), hasPassword: true });
    expect(JSON.stringify(shown)).not.toContain(password);
    expect(await test()).toEqual({ sent: true });
    expect(server.logins).toEqual([{ username: 'anna', password, secure: false }]);
    expect(server.received.map(({ to }) => to)).toEqual([[owner]]);
  });

  it('has its error shown to the owner in one line, without the password that it repeats', async () => {
    const server = await open({ password: 'another', allowInsecureAuth: true });
    await set(settings(server.port));
    const { code, message } = await refusalOf(test());
    expect(code).toBe('not_available');
    expect(message).toContain('No entry for [hidden]');
    const verbose = await open({
      onData(stream, _session, answer) {
        stream.resume();
        stream.on('end', () => answer(new Error(`full\r\n${'x'.repeat(1_000)}`)));
      },
    });
    await set(settings(verbose.port, { user: null, password: undefined }));
    const long = (await refusalOf(test())).message;
    expect(long).toContain('full');
    expect(long).toMatch(/^[^\r\n]{150,200}$/);
  });

  it('that is missing is reported to the owner, and so is a test without one set', async () => {
    expect((await refusalOf(test())).message).toContain('no mail server');
    const server = await open();
    await server.close();
    servers = [];
    await set(settings(server.port));
    expect((await refusalOf(test())).message).toContain('ECONNREFUSED');
  });

  it('is used without encryption on this computer alone', async () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '::1'])
      await set(settings(25, { host }));
    for (const host of [
      'mail.example.com',
      '10.0.0.1',
      '127.0.0.1.example.com',
      '128.0.0.1',
      '0.0.0.0',
      '::2',
    ])
      expect((await refusalOf(set(settings(25, { host })))).message, host).toMatch(
        /^mailServer\.security: must/,
      );
  });

  it('keeps its password while host and user stay, and the password is sent nowhere else', async () => {
    const [server, elsewhere] = [
      await open({ password, allowInsecureAuth: true }),
      await open({ password, allowInsecureAuth: true }),
    ];
    await set(settings(server.port));
    await set(withoutPassword(settings(server.port, { from: 'other@example.com' })));
    await test();
    expect(server.logins.map((login) => login.password)).toEqual([password]);
    for (const change of [{ host: 'localhost' }, { user: 'berta' }])
      expect((await refusalOf(set(withoutPassword(settings(elsewhere.port, change))))).message).toMatch(
        /^mailServer\.password: is required/,
      );
    expect((await refusalOf(set(settings(elsewhere.port, { user: null })))).message).toMatch(
      /^mailServer\.user/,
    );
    // Without a user there is no login at all, and the password has gone for good.
    await set(withoutPassword(settings(elsewhere.port, { user: null })));
    await refusalOf(test());
    expect(elsewhere.logins).toEqual([]);
    expect((await refusalOf(set(withoutPassword(settings(server.port))))).message).toContain('is required');
    await set(settings(server.port));
    await set(null);
    expect(treasury.secrets.get('sign-in-mail-password')).toEqual(Buffer.alloc(0));
    expect((await refusalOf(set(withoutPassword(settings(server.port))))).message).toContain('is required');
  });

  it('never gets another server’s password when the power fails in between', async () => {
    for (const failsAfter of [0, 1, 2]) {
      const [server, elsewhere] = [
        await open({ password, allowInsecureAuth: true }),
        await open({ password, allowInsecureAuth: true }),
      ];
      treasury.breakOffAfter.writes = Infinity;
      await set(settings(server.port));
      treasury.writes.length = 0;
      treasury.breakOffAfter.writes = failsAfter;
      await expect(set(settings(elsewhere.port, { host: 'localhost', password: 'new one' }))).rejects.toThrow(
        'the power failed',
      );
      await test().catch(() => undefined);
      const sent = [...server.logins, ...elsewhere.logins].map((login) => login.password);
      expect(elsewhere.logins.map((login) => login.password)).not.toContain(password);
      expect(server.logins.map((login) => login.password)).not.toContain('new one');
      // It still logs in only if nothing was written yet.
      expect(sent.filter((one) => one === password)).toHaveLength(failsAfter === 0 ? 1 : 0);
    }
    treasury.breakOffAfter.writes = Infinity;
  });
});

describe('encryption on the way to the mail server', () => {
  const trusted = tls.getCACertificates('default');
  const { key, cert } = createCertificate();
  const certificate = { key, cert, password };
  afterEach(() => tls.setDefaultCACertificates(trusted));

  it.each(['tls', 'starttls'] as const)(
    'by %s needs a server with a trusted certificate',
    async (security) => {
      const server = await open({ ...certificate, secure: security === 'tls' });
      await set(settings(server.port, { security, host: 'localhost' }));
      expect((await refusalOf(test())).message).toMatch(/self.signed certificate/);
      expect([server.logins, server.received]).toEqual([[], []]);
      tls.setDefaultCACertificates([...trusted, cert]);
      expect(await test()).toEqual({ sent: true });
      expect(server.logins).toEqual([{ username: 'anna', password, secure: true }]);
      expect(server.received.map(({ secure }) => secure)).toEqual([true]);
    },
  );

  it('is refused with a certificate for another name', async () => {
    tls.setDefaultCACertificates([...trusted, cert]);
    const server = await open({ ...certificate, secure: true });
    await set(settings(server.port, { security: 'tls', host: '127.0.0.2' }));
    await refusalOf(test());
    expect(server.logins).toEqual([]);
  });

  it('is never left out because a server, or an attacker in between, does not offer STARTTLS', async () => {
    const server = await open({ password, allowInsecureAuth: true, disabledCommands: ['STARTTLS'] });
    await set(settings(server.port, { security: 'starttls', host: 'localhost' }));
    const { code, message } = await refusalOf(test());
    expect(code).toBe('not_available');
    expect(message).toContain('STARTTLS');
    expect([server.connections(), server.logins, server.received]).toEqual([1, [], []]);
  });
});
