// Sign-in by e-mail: a six-digit code, or the secret of a link. The reply reveals neither which addresses are known
// here nor whether the message was sent.
import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Body, Reply } from '../contract/schemas.ts';
import type { Identity, Link } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Door } from '../lib/net/public-url.ts';
import { createTryLimit } from '../lib/try-limit.ts';
import type { Mailer, MailServer } from './mailer.ts';
import { codeMessage } from './messages.ts';
import { createOpenAsks, type Ask } from './open-asks.ts';
import { digestOf, newSecret } from '../lib/token.ts';

export interface AskingLink extends Pick<Link, 'id' | 'code' | 'machine' | 'expiresAt'> {
  /** Opened by a terminal that can read the data folder: strangers cannot use up its codes. */
  isKnown: boolean;
}

interface EmailSignIn {
  /** The reply is the same for every address. @throws AppError `too_many_requests` with `retryAfterSeconds` */
  ask(asked: {
    link: AskingLink;
    token: string;
    email: string;
    server: MailServer;
    identity: Identity | undefined;
    door: Door;
  }): Reply<'askEmail'>;
  /** The id of the identity that the code was sent to; works once. @throws AppError `unauthorized` */
  prove(linkId: string, proof: Body<'proveEmail'>): string;
  clear(): void;
}

interface Sent extends Ask {
  /** Null when no identity has the address: then no guess is right. */
  identityId: string | null;
  codeHash: Buffer;
  secretHash: Buffer;
  triesLeft: number;
}

const codeMs = 600_000;
const hourMs = 3_600_000;
const mostTries = 5;
const mostPerLink = 3;
const mostPerAddress = 5;

export const createEmailSignIn = (mailer: Mailer, now: () => number): EmailSignIn => {
  const open = createOpenAsks<Sent>(1, now);
  const perLink = createTryLimit(mostPerLink, hourMs, now);
  const perAddress = createTryLimit(mostPerAddress, hourMs, now);
  return {
    ask({ link, token, email, server, identity, door }) {
      perLink.check(link.id, 'This link has used up its codes. Start again in the terminal.');
      const address = `${link.isKnown ? 'known' : 'strangers'} at ${door.name} ${email}`;
      perAddress.check(address, 'This address was sent several codes within the hour. Try again later.');
      perLink.count(link.id);
      perAddress.count(address);
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const secret = newSecret();
      const expiresAt = Math.min(now() + codeMs, link.expiresAt);
      open.add({
        linkId: link.id,
        identityId: identity?.id ?? null,
        codeHash: digestOf(code),
        secretHash: digestOf(secret),
        triesLeft: mostTries,
        expiresAt,
      });
      const page = `${door.url}/link?token=${encodeURIComponent(token)}#email=${secret}`;
      if (identity !== undefined)
        mailer.sendLater(server, codeMessage({ to: identity.subject, link, code, address: page, expiresAt }));
      return { sent: true, expiresAt: new Date(expiresAt).toISOString() };
    },
    prove(linkId, { code, secret }) {
      const [sent] = open.of(linkId);
      if (sent === undefined)
        throw new AppError('unauthorized', 'This code no longer works. Ask for a new one.');
      const isRight =
        code === undefined
          ? timingSafeEqual(sent.secretHash, digestOf(secret ?? ''))
          : timingSafeEqual(sent.codeHash, digestOf(code));
      sent.triesLeft -= 1;
      if (isRight || sent.triesLeft === 0) open.remove(sent);
      if (isRight && sent.identityId !== null) return sent.identityId;
      throw new AppError(
        'unauthorized',
        sent.triesLeft === 0
          ? 'This was the last try for this code. Ask for a new one.'
          : `This is not the code of the newest e-mail. Tries left: ${sent.triesLeft}.`,
      );
    },
    clear: open.clear,
  };
};
