// The text of a sign-in at a seller, composed from parsed fields alone: nothing that a seller wrote is signed as it came.
import { createSignInMessageText } from '@solana/wallet-standard-util';
import type { SignInFields } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { isIsoTime, isNonce } from '../lib/sign-in-forms.ts';

const chainForm = /^solana:([1-9A-HJ-NP-Za-km-z]{32})$/;
/** Longer than any seller needs, and than any caller of ours asks for. */
const mostMs = 5 * 60_000;

/**
 * The text as Sign In With Solana writes it, without a statement. It cannot be read as a transaction: it begins with a
 * host name, whose first byte, read as a message, asks for at least 48 signatures (`0`), and no packet holds them.
 * @param address the wallet's
 * @throws Error (an invariant) for a field that is not in its strict form, or a validity of more than five minutes
 */
export const signInText = (
  { uri, chainId, nonce, issuedAt, expirationTime }: SignInFields,
  address: string,
): string => {
  const place = URL.canParse(uri) ? new URL(uri) : null;
  invariant(
    place !== null && /^https?:$/.test(place.protocol) && place.href === uri,
    'the uri is an address in its normal form',
  );
  invariant(/^[0-9a-z[]/.test(place.host), 'the text begins with a host name');
  invariant(`${place.search}${place.hash}${place.username}` === '', 'the uri names a place alone');
  const chain = chainForm.exec(chainId)?.[1];
  invariant(chain !== undefined, 'the chain is one of Solana');
  invariant(isNonce(nonce), 'the nonce is 8 to 64 letters and digits');
  invariant(isIsoTime(issuedAt) && isIsoTime(expirationTime), 'both times are ISO 8601');
  const validMs = Date.parse(expirationTime) - Date.parse(issuedAt);
  invariant(validMs > 0 && validMs <= mostMs, 'the proof is valid for at most five minutes');
  return createSignInMessageText({
    domain: place.host,
    address,
    uri,
    version: '1',
    chainId: chain,
    nonce,
    issuedAt,
    expirationTime,
  });
};
