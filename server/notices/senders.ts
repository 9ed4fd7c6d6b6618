// Sends one notice to one channel: https://www.standardwebhooks.com, https://docs.ntfy.sh/publish, SMTP, the desktop.
import { Webhook } from 'standardwebhooks';
import { isUrgent } from '../engine/domain/notice.ts';
import type { Channel, Place } from '../engine/ports.ts';
import type { Message } from './message.ts';
import { failed, outcomeOf, type HttpAnswer, type Outcome } from './outcome.ts';

export interface Post {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The owner says that the address may be a private one. */
  allowPrivate: boolean;
  signal: AbortSignal;
}

export interface SenderDeps {
  /** Follows no redirect. @throws AppError when no usable answer came, or the address must not be asked */
  post(request: Post): Promise<HttpAnswer>;
  /** Through the owner's SMTP server. @throws AppError with its reason; `not_available` when there is none, `locked` */
  mail(message: { to: string; subject: string; text: string; id: string }): Promise<void>;
  /** Shows it on this desktop; null in a host without one. */
  desktop: ((message: Message) => void) | null;
  /** The channel's secret; null when it has none. @throws AppError `locked` */
  secretOf(channelId: string): string | null;
  /** Unix milliseconds. */
  now(): number;
}

/** Never rejects but with a defect. */
export type Send = (
  channel: Pick<Channel, 'id' | 'place'>,
  message: Message,
  signal: AbortSignal,
) => Promise<Outcome>;

export const createSend =
  (deps: SenderDeps): Send =>
  async ({ id, place }, message, signal) => {
    try {
      switch (place.kind) {
        case 'desktop':
          return show(deps, message);
        case 'webhook':
          return await sendWebhook(deps, { id, place }, message, signal);
        case 'ntfy':
          return await sendNtfy(deps, { id, place }, message, signal);
        case 'email':
          return await sendMail(deps, place, message);
      }
    } catch (error) {
      return failed(error);
    }
  };

type At<K extends Place['kind']> = { id: string; place: Extract<Place, { kind: K }> };

const show = ({ desktop }: SenderDeps, message: Message): Outcome => {
  if (desktop === null) return { kind: 'failed', answer: 'The desktop application is not running.' };
  desktop(message);
  return { kind: 'delivered', answer: 'Handed to this desktop.' };
};

const sendWebhook = async (
  { post, secretOf, now }: SenderDeps,
  { id, place: { url, allowPrivate } }: At<'webhook'>,
  { at, kind, ...message }: Message,
  signal: AbortSignal,
): Promise<Outcome> => {
  const words = inChat(message);
  const said = { type: `treasury.${kind}`, timestamp: at, data: message, text: words, content: words };
  const body = JSON.stringify(said);
  const secret = secretOf(id);
  if (secret === null) return { kind: 'failed', answer: 'The channel has no signing secret. Set one.' };
  const sentAt = new Date(now());
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'agent-treasury',
    'webhook-id': message.id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(message.id, sentAt, body),
  };
  return outcomeOf(await post({ url, headers, body, allowPrivate, signal }));
};

/** What Slack shows of an incoming webhook (`text`), and Discord (`content`), which takes no more than 2,000 characters. */
const inChat = ({ title, text }: Pick<Message, 'title' | 'text'>): string =>
  [...`${title}\n${text}`].slice(0, 1_000).join('');

/** As JSON to the server's root: no text of a notice is ever part of a header. */
const sendNtfy = async (
  { post, secretOf }: SenderDeps,
  { id, place: { server, topic, allowPrivate, hasToken } }: At<'ntfy'>,
  { kind, title, text }: Message,
  signal: AbortSignal,
): Promise<Outcome> => {
  const priority = kind !== 'test' && isUrgent(kind) ? 5 : kind === 'approval' ? 4 : 3;
  const body = JSON.stringify({ topic, title, message: text, priority });
  const token = hasToken ? secretOf(id) : null;
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'agent-treasury',
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  return outcomeOf(await post({ url: server, headers, body, allowPrivate, signal }), token);
};

const sendMail = async (
  { mail }: SenderDeps,
  { to }: Extract<Place, { kind: 'email' }>,
  { id, title, text }: Message,
): Promise<Outcome> => {
  await mail({ to, subject: title, text: `${text}\n\n${footer}\n`, id });
  return { kind: 'delivered', answer: 'The mail server took it.' };
};

const footer = 'Sent by your Agent Treasury. Settings, Notices says what is sent.';
