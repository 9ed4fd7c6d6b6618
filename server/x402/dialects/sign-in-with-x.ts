// Sign-in-with-x: an extension of x402 version 2, by which a seller asks a wallet whether it bought before.
// https://github.com/coinbase/x402/blob/main/specs/extensions/sign-in-with-x.md
import { getDomain } from 'tldts';
import { z } from 'zod';
import { x402Networks } from '../../contract/treasury/networks.ts';
import type { SellerRequest, SignInChallenge, SignInFields, SignInProof } from '../../engine/ports.ts';
import { isIsoTime, isNonce } from '../../lib/sign-in-forms.ts';
import { decodeObject, encodeJson, isObject } from '../../lib/base64-json.ts';
import type { Market, SellerResponse } from './protocol.ts';

/** The name in the specification, and the one that older servers read. */
const headerNames = ['SIGN-IN-WITH-X', 'X-Sign-In-With-X'] as const;

const extensionName = 'sign-in-with-x';
const mostChains = 32;

const time = z.string().refine(isIsoTime);
const extension = z.object({
  info: z.object({
    domain: z.string(),
    uri: z.url(),
    version: z.literal('1'),
    nonce: z.string().refine(isNonce),
    issuedAt: time,
    expirationTime: time.nullish(),
    // A proof that is not valid yet would be of no use.
    notBefore: z.null().optional(),
  }),
  supportedChains: z.array(z.object({ chainId: z.string(), type: z.string() })).max(mostChains),
});

/**
 * The challenge in a 402, if it asks for a wallet of our network at exactly the origin that was asked. Null for any
 * other, and where the request already carries such a header.
 */
export const readSignIn = (
  { network }: Pick<Market, 'network'>,
  response: SellerResponse,
  { url, headers }: Pick<SellerRequest, 'url' | 'headers'>,
): SignInChallenge | null => {
  const own = headerNames.map((name) => name.toLowerCase());
  if (Object.keys(headers).some((name) => own.includes(name.toLowerCase()))) return null;
  const required = decodeObject(response.header('payment-required') ?? '', 'base64');
  const extensions = required?.['extensions'];
  const read = extension.safeParse(isObject(extensions) ? extensions[extensionName] : undefined);
  if (!read.success) return null;
  const { info, supportedChains } = read.data;
  const asked = new URL(url);
  const isBound = info.domain === asked.host && new URL(info.uri).origin === asked.origin;
  if (!isBound || !isOnePlace(asked)) return null;
  const chainId = x402Networks[network].v2;
  if (!supportedChains.some((chain) => chain.chainId === chainId && chain.type === 'ed25519')) return null;
  const { nonce, issuedAt, expirationTime } = info;
  return { chainId, nonce, issuedAt, expirationTime: expirationTime ?? null };
};

/**
 * A host that belongs to one owner, by the public suffix list. Over plain HTTP only places on this machine are asked,
 * which the owner allowed by name.
 */
const isOnePlace = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' || getDomain(hostname, { allowPrivateDomains: true }) !== null;

/** The headers that carry the proof. */
export const signInHeaders = (
  { uri, chainId, nonce, issuedAt, expirationTime }: SignInFields,
  { address, signature }: SignInProof,
): Record<string, string> => {
  const value = encodeJson(
    {
      domain: new URL(uri).host,
      address,
      uri,
      version: '1',
      chainId,
      type: 'ed25519',
      nonce,
      issuedAt,
      expirationTime,
      signatureScheme: 'siws',
      signature,
    },
    'base64',
  );
  return Object.fromEntries(headerNames.map((name) => [name, value]));
};
