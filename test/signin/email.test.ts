// Signing in by e-mail: a code or a link, sent through a real SMTP server to addresses that the owner added.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../harness/treasury.ts';
import { addressIn, codeIn, openMailServer, secretIn, type TestMailServer } from './mail-server.ts';
import {
  hour,
  minute,
  openSignIn,
  refusalOf,
  url,
  type SignInTreasury,
  type TestLink,
} from './sign-in-treasury.ts';

let server: TestMailServer;
let treasury: SignInTreasury;
let annaId: string;
const anna = 'anna@example.com';
const nobody = 'nobody@example.com';

beforeAll(async () => {
  server = await openMailServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  server.received.length = 0;
  treasury = openSignIn();
  annaId = await treasury.addIdentity('email', anna);
  await treasury.call('setMailServer', { mailServer: settings() });
  return () => treasury.close();
});

const settings = () => ({
  host: '127.0.0.1',
  port: server.port,
  security: 'none' as const,
  user: null,
  from: 'treasury@example.com',
});
const ask = (link: TestLink, email = anna) => treasury.at(link, 'askEmail', { email });
const prove = (link: TestLink, proof: { code?: string; secret?: string }) =>
  treasury.at(link, 'proveEmail', proof);
/** Asks for a code, and reads the message that comes. */
const receive = async (link: TestLink, count = 1) => {
  await ask(link);
  const email = await server.mailTo(anna, count);
  treasury.hide(codeIn(email), secretIn(email));
  return email;
};
const otherThan = (code: string): string => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('the message', () => {
  it('has a code, a link for a browser on this computer, and the name of the machine that asks', async () => {
    const link = treasury.newLink('laptop, zsh');
    const { expiresAt } = await ask(link, 'Anna@Example.com');
    const email = await server.mailTo(anna);
    treasury.hide(codeIn(email), secretIn(email));
    expect([email.from?.address, email.subject]).toEqual([
      'treasury@example.com',
      'Signing in to your Agent Treasury',
    ]);
    for (const text of [email.text ?? '', email.html ?? '']) {
      expect(text).toContain('laptop, zsh');
      expect(text).toContain(link.code);
      expect(text).toContain('same computer');
      expect(text).toContain('did not ask');
      expect(text).toContain(`${expiresAt.slice(11, 16)} UTC`);
    }
    const address = addressIn(email);
    expect(address.origin + address.pathname + address.search).toBe(`${url}/link?token=${link.token}`);
    expect(address.hash).toMatch(/^#email=[\w-]{43}$/);
    expect(email.html).toContain(`<a href="${address.href}">`);
    expect(email.headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated');
  });

  it('makes no link and no markup of a machine’s name', async () => {
    const link = treasury.newLink('<b>x</b> https://evil.example/login me@evil.example "&');
    const { text = '', html = '' } = await receive(link);
    expect(text).not.toContain('evil.example');
    expect(html).toContain('&amp;');
    expect(html).not.toMatch(/<b>x|evil\.example/);
    expect(text.match(/https?:/g)).toHaveLength(1);
  });
});

describe('a person with the message', () => {
  it.each(['code', 'secret'] as const)('signs in with its %s, once', async (what) => {
    const link = treasury.newLink();
    const email = await receive(link);
    const proof = what === 'code' ? { code: codeIn(email) } : { secret: secretIn(email) };
    const { token, identity } = await prove(link, proof);
    expect(treasury.signIn.identityOf(token)).toEqual({ identityId: annaId, linkId: link.id });
    expect(identity).toEqual({ kind: 'email', label: anna });
    for (const again of [{ code: codeIn(email) }, { secret: secretIn(email) }])
      expect((await refusalOf(prove(link, again))).code).toBe('unauthorized');
  });

  it('gets in once when a hundred right codes come at once', async () => {
    const link = treasury.newLink();
    const code = codeIn(await receive(link));
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, () => prove(link, { code })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('cannot use it at another link, nor after the next code was requested', async () => {
    const [link, other] = [treasury.newLink(), treasury.newLink()];
    const first = await receive(link);
    expect((await refusalOf(prove(other, { code: codeIn(first) }))).code).toBe('unauthorized');
    await ask(other, nobody);
    for (const proof of [{ code: codeIn(first) }, { secret: secretIn(first) }])
      expect((await refusalOf(prove(other, proof))).code).toBe('unauthorized');
    const second = await receive(link, 2);
    for (const proof of [{ code: codeIn(first) }, { secret: secretIn(first) }])
      if (proof.code !== codeIn(second))
        expect((await refusalOf(prove(link, proof))).code).toBe('unauthorized');
    expect((await prove(link, { code: codeIn(second) })).token).toMatch(/^sin_/);
  });

  it('is too late after ten minutes, and when the link has ended', async () => {
    const link = treasury.newLink();
    treasury.clock.now += 2 * minute;
    const { expiresAt } = await ask(link);
    expect(Date.parse(expiresAt)).toBe(link.expiresAt);
    const code = codeIn(await server.mailTo(anna));
    treasury.clock.now = link.expiresAt;
    expect((await refusalOf(prove(link, { code }))).code).toBe('not_found');
  });

  it('is too late after ten minutes even when the link lasts longer', async () => {
    const link = Object.assign(treasury.newLink(), { expiresAt: treasury.clock.now + hour });
    const asked = treasury.clock.now;
    const first = codeIn(await receive(link));
    treasury.clock.now = asked + 10 * minute;
    expect((await refusalOf(prove(link, { code: first }))).code).toBe('unauthorized');
    const second = codeIn(await receive(link, 2));
    treasury.clock.now += 10 * minute - 1;
    const { token, expiresAt } = await prove(link, { code: second });
    const end = treasury.clock.now + 10 * minute;
    expect(Date.parse(expiresAt)).toBe(end);
    treasury.clock.now = end - 1;
    expect(treasury.signIn.identityOf(token)).toBeDefined();
    treasury.clock.now = end;
    expect(treasury.signIn.identityOf(token)).toBeUndefined();
  });

  it('is no longer let in once the owner has removed the address', async () => {
    const link = treasury.newLink();
    const code = codeIn(await receive(link));
    await treasury.call('removeIdentity', {}, { identityId: annaId });
    expect((await refusalOf(prove(link, { code }))).code).toBe('forbidden');
  });
});

describe('a person who guesses', () => {
  it('has five tries for a code, after which even the right one is refused', async () => {
    const link = treasury.newLink();
    const code = codeIn(await receive(link));
    for (let tries = 0; tries < 4; tries += 1) await refusalOf(prove(link, { code: otherThan(code) }));
    expect((await prove(link, { code })).token).toMatch(/^sin_/);
    const other = treasury.newLink();
    const second = codeIn(await receive(other, 2));
    for (let tries = 0; tries < 5; tries += 1) await refusalOf(prove(other, { code: otherThan(second) }));
    expect((await refusalOf(prove(other, { code: second }))).message).toContain('Ask for a new one');
  });

  it('gets in 0 times in 10,000 guesses, of which no more than 25 an hour are checked', async () => {
    // As many links and codes as needed; every guess that could count is wrong, so that luck plays no part.
    let [looked, guesses] = [0, 0];
    while (guesses < 10_000) {
      const link = treasury.newLink();
      for (let codes = 0; codes < 4; codes += 1) {
        const sent = await ask(link).then(
          () => true,
          () => false,
        );
        const code = sent ? codeIn(await server.mailTo(anna, server.received.length + 1)) : '000000';
        for (let tries = 0; tries < 25; tries += 1) {
          const { code: refused, message } = await refusalOf(prove(link, { code: otherThan(code) }));
          expect(refused).toBe('unauthorized');
          if (/Tries left|last try/.test(message)) looked += 1;
          guesses += 1;
        }
      }
    }
    expect([guesses, looked]).toEqual([10_000, 25]);
  });

  it('gets codes for a link three times, and for an address five times an hour', async () => {
    const link = treasury.newLink();
    for (let count = 0; count < 3; count += 1) await ask(link);
    const refusal = await refusalOf(ask(link));
    expect([refusal.code, refusal.details]).toEqual(['too_many_requests', { retryAfterSeconds: 3_600 }]);
    treasury.clock.now += minute;
    const other = treasury.newLink();
    await ask(other);
    await ask(other);
    const third = await refusalOf(ask(other));
    expect([third.code, third.details]).toEqual(['too_many_requests', { retryAfterSeconds: 3_540 }]);
    // Another address is not affected.
    await ask(other, nobody);
    treasury.clock.now += hour - minute;
    expect((await ask(treasury.newLink())).sent).toBe(true);
  });

  it('cannot use up the five codes of a link that a known terminal opened', async () => {
    const knownLink = () => Object.assign(treasury.newLink(), { isKnown: true });
    for (let links = 0; links < 5; links += 1) await ask(treasury.newLink());
    expect((await refusalOf(ask(treasury.newLink()))).code).toBe('too_many_requests');
    for (let links = 0; links < 5; links += 1) expect((await ask(knownLink())).sent).toBe(true);
    expect((await refusalOf(ask(knownLink()))).code).toBe('too_many_requests');
  });
});

/** All answers to a person who asks for codes and guesses at them. */
const story = async (email: string): Promise<unknown[]> => {
  const heard: unknown[] = [];
  const hear = async (call: Promise<unknown>): Promise<void> => {
    heard.push(
      await call.catch((error: unknown) => {
        const { code, message, details } = error as { code: string; message: string; details: unknown };
        return { code, message, details };
      }),
    );
  };
  for (let links = 0; links < 2; links += 1) {
    const link = treasury.newLink();
    for (let codes = 0; codes < 4; codes += 1) {
      await hear(ask(link, email));
      // Codes with letters never reach the engine; this one is right once in a million.
      for (let tries = 0; tries < 6; tries += 1) await hear(prove(link, { code: '123456' }));
      await hear(prove(link, { secret: 'x'.repeat(43) }));
    }
  }
  return heard;
};

describe('a person who does not know the known addresses', () => {
  it('gets the same answers, including refusals and limits', async () => {
    const [known, unknown] = [await story(anna), await story(nobody)];
    expect(unknown).toEqual(known);
    await server.mailTo(anna, 5);
    expect(server.received.filter(({ to }) => !to.includes(anna))).toEqual([]);
  });

  it('is answered before the mail server has replied', async () => {
    const greeted: (() => void)[] = [];
    const silent = await openMailServer({ onConnect: (_session, answer) => void greeted.push(answer) });
    await treasury.call('setMailServer', { mailServer: { ...settings(), port: silent.port } });
    const before = server.received.length;
    for (let round = 0; round < 5; round += 1)
      for (const email of [anna, nobody]) await ask(treasury.newLink(), email);
    // All are answered, while the mail to the known address still waits for the server's greeting.
    await until('a connection', () => greeted.length > 0);
    expect([silent.received, server.received.length]).toEqual([[], before]);
    treasury.signIn.close();
    await silent.close();
    // Less than the limit for the mail server's greeting: nothing waited for that.
  }, 8_000);

  it('is told that the vault is locked when it holds the mail server’s password', async () => {
    const withLogin = { ...settings(), user: 'anna', password: 'a password' };
    await treasury.call('setMailServer', { mailServer: withLogin });
    treasury.vault.locked = true;
    for (const email of [anna, nobody])
      expect((await refusalOf(ask(treasury.newLink(), email))).code).toBe('locked');
    const { password: _password, ...unchanged } = { ...withLogin, host: 'localhost' };
    for (const mailServer of [{ ...unchanged, password: 'another' }, null])
      expect((await refusalOf(treasury.call('setMailServer', { mailServer }))).code).toBe('locked');
    expect(treasury.store.signIn.get().mailServer?.host).toBe('127.0.0.1');
  });

  it('is told that e-mail is not available when the owner has set no mail server', async () => {
    await treasury.call('setMailServer', { mailServer: null });
    for (const email of [anna, nobody])
      expect((await refusalOf(ask(treasury.newLink(), email))).code).toBe('not_available');
  });
});

describe('a mail server that fails', () => {
  it('reveals nothing to the person who asked; the log has only the kind of failure', async () => {
    const refusing = await openMailServer({
      onData(stream, _session, answer) {
        stream.resume();
        stream.on('end', () => answer(new Error('no room for 123456')));
      },
    });
    await treasury.call('setMailServer', { mailServer: { ...settings(), port: refusing.port } });
    expect((await ask(treasury.newLink())).sent).toBe(true);
    await expect.poll(() => treasury.logged()).toContain('could not be sent');
    expect(treasury.logged()).toContain('EMESSAGE');
    expect(treasury.logged()).not.toContain('no room');
    await refusing.close();
  });
});
