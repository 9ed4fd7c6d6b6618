// The look for secrets of ours in what an agent sends to a seller, through the proxy or by a paid fetch.
import type { Caller } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';

/** The form of each token of ours: see `newToken`. Another word with an underscore may stand right before it. */
const token = /(?=([a-z]{3}_[\w-]{43}))/g;
/** Each of that form is looked up, and meanwhile nothing else is done, not even a stop. */
const mostLookedUp = 256;

interface Sent {
  headers: Readonly<Record<string, string | readonly string[]>>;
  url: string;
  /** The URL as the agent wrote it. */
  address?: string;
}

interface SecretsDeps {
  /** Whether a token of ours, of any kind, is in force. */
  isLive(token: string): boolean;
  /** A secret of ours was about to leave. */
  leaking(caller: Caller, agentId: string, origin: string): void;
}

/** @throws AppError `bad_request` when the request holds one of our secrets, of which the owner is warned, or too much that could be one */
export type RefuseSecrets = (caller: Caller, agentId: string, sent: Sent) => void;

export const createRefuseSecrets =
  ({ isLive, leaking }: SecretsDeps): RefuseSecrets =>
  (caller, agentId, sent) => {
    if (!holdsSecret(sent, isLive)) return;
    leaking(caller, agentId, new URL(sent.url).origin);
    throw new AppError(
      'bad_request',
      'A header or the address holds a secret of this treasury, which must not reach a seller. Nothing was sent.',
    );
  };

/** Plainly, percent-encoded, or in Basic credentials. @throws AppError `bad_request` for more than is looked up */
const holdsSecret = ({ headers, url, address = url }: Sent, isLive: (token: string) => boolean): boolean => {
  const texts = [...Object.entries(headers).flat(2), address].flatMap((text) => [
    text,
    unescaped(text),
    unbased(text),
  ]);
  const found = new Set(texts.flatMap((text) => [...text.matchAll(token)].map(([, one = '']) => one)));
  if (found.size > mostLookedUp)
    throw fieldError(
      'headers',
      `must, with the address, hold at most ${mostLookedUp} words in the form of a secret of this treasury`,
    );
  return [...found].some(isLive);
};

const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const unbased = (text: string): string => {
  const encoded = /^Basic\s+(\S+)$/i.exec(text)?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('latin1');
};
