// Describes a provider's failure in one sentence for the agent. The provider's untrusted text is shortened, and
// stripped of addresses and of any part of the owner's key.
import { AppError } from '../errors.ts';

/** One sentence that begins with the provider’s name. */
export const failed = (name: string, what: string): AppError =>
  new AppError('generation_failed', `${name} ${what}.`);

export const refused = (name: string): AppError =>
  failed(name, 'refused the prompt, or its picture, under its content rules');

export const notAPicture = (name: string): AppError => failed(name, 'did not answer with a picture');

interface Asked {
  /** The provider's name. */
  name: string;
  prompt: string;
  apiKey: string;
  signal: AbortSignal;
}

/** `failure` is for the agent, `facts` are for the log. */
export const failureOf = (
  error: unknown,
  asked: Asked,
): { failure: AppError; facts: { status?: number; error: string; said: string } } => {
  const chain = causesOf(error);
  const status = chain.map(statusOf).find((one) => one !== undefined);
  const facts = {
    ...(status === undefined ? {} : { status }),
    error: chain.map(({ name }) => name).join(' < '),
    said: shortened(chain[0]?.message ?? '', asked.apiKey),
  };
  const ours = chain.find((one) => one instanceof AppError);
  if (ours !== undefined) return { failure: ours, facts };
  // Some providers repeat the prompt, which may itself speak of safety, or of bills.
  const words = [asked.prompt, JSON.stringify(asked.prompt).slice(1, -1)].reduce(
    (text, prompt) => text.replaceAll(prompt, ''),
    chain.map(wordsOf).join('\n'),
  );
  return { failure: failed(asked.name, whatHappened(chain, status, words, asked)), facts };
};

const contentRules =
  /moderat|content.?(policy|filter)|safety|flagged|sensitive content|nsfw|prohibited_content|blocklist|IMAGE_(SAFETY|PROHIBITED|RECITATION)/i;
const noCredit = /insufficient.?(quota|credit|fund|balance)|exhausted balance|billing|payment required/i;
const badKey = /api.?key.?(not valid|invalid)|invalid.?(api.?key|token)|unauthenticated/i;

const whatHappened = (
  chain: readonly Error[],
  status: number | undefined,
  words: string,
  { apiKey, signal }: Asked,
): string => {
  if (signal.aborted) return 'did not answer in time';
  if (status === undefined) {
    if (contentRules.test(words)) return 'refused the prompt, or its picture, under its content rules';
    if (isOf(chain, 'AI_NoImageGeneratedError')) return 'answered without a picture';
    if (isOf(chain, 'AI_InvalidResponseDataError'))
      return `could not make the picture${quote(messageOf(chain, 'AI_InvalidResponseDataError'), apiKey)}`;
    if (isOf(chain, 'AI_DownloadError')) return 'did not answer with a picture';
    if (isOf(chain, 'AI_APICallError')) return 'could not be reached';
    return 'did not make the picture';
  }
  if (status < 400) return 'did not answer with a picture';
  if (noCredit.test(words) || status === 402) return 'has no credit left on the owner’s account';
  if (status === 401 || badKey.test(words)) return 'did not accept the owner’s key';
  if (status < 500 && contentRules.test(words))
    return 'refused the prompt, or its picture, under its content rules';
  if (status === 403) return 'does not let the owner’s key use this model';
  if (status === 404) return 'does not know this model';
  if (status === 429) return 'is at its rate limit now';
  if (status >= 500) return `had an error on its side (${status})`;
  return `refused the request (${status})${quote(messageOf(chain, 'AI_APICallError'), apiKey)}`;
};

const causesOf = (error: unknown): Error[] => {
  const chain: Error[] = [];
  for (let one = error; one instanceof Error && chain.length < 10; one = one.cause) chain.push(one);
  return chain;
};

const isOf = (chain: readonly Error[], name: string): boolean => chain.some((one) => one.name === name);

const messageOf = (chain: readonly Error[], name: string): string =>
  chain.find((one) => one.name === name)?.message ?? '';

const statusOf = (error: Error): number | undefined => {
  const { statusCode } = error as { statusCode?: unknown };
  return typeof statusCode === 'number' ? statusCode : undefined;
};

/** All text of an error that comes from the provider; only searched, never shown. */
const wordsOf = (error: Error): string => {
  const { responseBody, data, calls } = error as { responseBody?: string; data?: unknown; calls?: unknown };
  return [error.message, responseBody?.slice(0, mostRead), asText(data), ...reasonsOf(calls)].join('\n');
};

/** Google's reasons for ending without a picture. */
const reasonsOf = (calls: unknown): string[] => {
  const answers: Answered[] = Array.isArray(calls) ? calls : [];
  return answers.map(({ providerMetadata: { google } = {} }) =>
    asText([google?.finishReason, google?.promptFeedback?.blockReason]),
  );
};

interface Answered {
  providerMetadata?: {
    google?: { finishReason?: unknown; promptFeedback?: { blockReason?: unknown } | null };
  };
}

const mostRead = 10_000;
const asText = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, mostRead);

const mostQuoted = 160;

/** The provider's own words, where they help. */
const quote = (message: string, apiKey: string): string => {
  const words = shortened(message, apiKey).replace(/\.$/, '');
  return words === '' ? '' : `: “${words}”`;
};

const shortened = (message: string, apiKey: string): string => {
  // Providers like to repeat a key with its middle masked.
  const pieces = [apiKey.slice(0, 6), apiKey.slice(-4)].filter(Boolean);
  const isTelling = (word: string): boolean =>
    word.includes('://') || word.length >= 24 || pieces.some((piece) => word.includes(piece));
  const plain = message
    .trim()
    .split(/\s+/)
    .map((word) => (isTelling(word) ? '…' : word))
    .join(' ');
  return plain.length > mostQuoted ? `${plain.slice(0, mostQuoted)}…` : plain;
};
