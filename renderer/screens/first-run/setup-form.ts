// The form for the first start of a network's treasury, and the request made of it.
import { shortestPassphrase } from './passphrase-strength.ts';

export type Network = 'sandbox' | 'devnet' | 'mainnet';

export interface SetUpValues {
  network: Network;
  rpcUrl: string;
  way: 'create' | 'import';
  phrase: string;
  passphrase: string;
  again: string;
}

export const publicRpc = {
  devnet: 'https://api.devnet.solana.com',
  mainnet: 'https://api.mainnet-beta.solana.com',
} satisfies Record<Exclude<Network, 'sandbox'>, string>;

export const wordsOf = (phrase: string): string[] =>
  phrase
    .toLowerCase()
    .split(/[\s,\d.]+/)
    .filter((word) => word !== '');

const phraseWords = 24;

const rpcRule = (text: string): string | null =>
  URL.canParse(text.trim()) && /^https?:\/\//.test(text.trim())
    ? null
    : 'Enter an address that begins with https://.';

/** @param isKnown this network's treasury is on this machine: it is only started, nothing is created */
export const setUpErrors = (
  { network, rpcUrl, way, phrase, passphrase, again }: SetUpValues,
  isKnown: boolean,
): Partial<Record<keyof SetUpValues, string>> => {
  if (network === 'sandbox') return {};
  const isNew = !isKnown;
  const hasPassphrase = network === 'mainnet' || passphrase !== '';
  const found = {
    rpcUrl: rpcRule(rpcUrl),
    phrase:
      isNew && way === 'import' && wordsOf(phrase).length !== phraseWords
        ? `A recovery phrase has 24 words; these are ${wordsOf(phrase).length}.`
        : null,
    passphrase:
      isNew && hasPassphrase && passphrase.length < shortestPassphrase
        ? `At least ${shortestPassphrase} characters.`
        : null,
    again: isNew && hasPassphrase && again !== passphrase ? 'The two don’t match.' : null,
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== null));
};

export interface SetUpInput {
  network: Network;
  rpcUrl?: string;
  passphrase?: string;
  phrase?: string;
}

export const setUpInput = (values: SetUpValues, isKnown: boolean): SetUpInput => {
  const { network, rpcUrl, way, phrase, passphrase } = values;
  if (network === 'sandbox') return { network };
  return {
    network,
    rpcUrl: rpcUrl.trim(),
    ...(passphrase === '' ? {} : { passphrase }),
    ...(!isKnown && way === 'import' ? { phrase: wordsOf(phrase).join(' ') } : {}),
  };
};
