// Where a supplier of language models may be: at a public address over https, or, where its owner allows that, on this
// machine or network.
import { isIP, type LookupFunction } from 'node:net';
import { bareHost } from './bare-host.ts';
import { isPublicAddress, privateLookup, publicLookup } from './public-host.ts';
import { isOwnOrigin, type OwnOrigins } from './public-url.ts';

export interface AddressRules {
  /** Origins on this machine that may be asked in any case. */
  allowOrigins: readonly string[];
  /** The treasury is no supplier of its own. */
  ownOrigins: OwnOrigins;
}

interface Address {
  baseUrl: string;
  allowPrivate: boolean;
}

/** The fault of such an address, as half a sentence; null: it may be asked. A name is not resolved here. */
export const addressFault = ({ baseUrl, allowPrivate }: Address, rules: AddressRules): string | null => {
  const url = new URL(baseUrl);
  if (url.username !== '' || url.password !== '') return 'must hold no user name and no password';
  if (isOwnOrigin(rules.ownOrigins, url)) return 'is the treasury itself';
  if (rules.allowOrigins.includes(url.origin)) return null;
  if (url.protocol !== 'https:' && !allowPrivate) return 'must begin with https://';
  const host = bareHost(url);
  // A literal address is never looked up.
  if (isIP(host) === 0) return null;
  if (!isPublicAddress(host)) return allowPrivate ? null : 'must not be on this machine or network';
  return url.protocol === 'https:' ? null : needsTls;
};

const needsTls = 'must begin with https:// outside this machine and network';

/** Resolves the name of such an address only to places that it may have. */
export const addressLookup = (
  { baseUrl, allowPrivate }: Address,
  rules: AddressRules,
): LookupFunction | undefined => {
  const url = new URL(baseUrl);
  if (rules.allowOrigins.includes(url.origin)) return undefined;
  if (url.protocol !== 'https:') return privateLookup(() => new Error(`The address ${needsTls}.`));
  return allowPrivate ? undefined : publicLookup(() => new Error('The name leads into a private network.'));
};
