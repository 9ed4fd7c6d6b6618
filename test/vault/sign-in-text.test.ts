// The text of a sign-in at a seller: composed from strict fields, signed by the wallet, and never a transaction.
import { Message, VersionedMessage } from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import type { SignInFields } from '../../server/engine/ports.ts';
import { isSignature } from '../../server/lib/solana/wallet-signature.ts';
import { signInText } from '../../server/vault/sign-in-text.ts';
import { createSigner } from '../../server/vault/signer.ts';
import { keyOf, treasury, walletOf } from './transfers.ts';
import bs58 from 'bs58';

const fields: SignInFields = {
  uri: 'https://api.example.com/v1/books',
  chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  nonce: '00112233445566778899aabbccddeeff',
  issuedAt: '2026-11-25T12:00:00.000Z',
  expirationTime: '2026-11-25T12:05:00.000Z',
};
const signer = createSigner({ keys: keyOf, readTransfer: () => undefined, treasury });

it('is Sign In With Solana’s, without a statement', () => {
  const { address } = signer.signSignIn(1, fields);
  expect(signInText(fields, address)).toBe(
    [
      'api.example.com wants you to sign in with your Solana account:',
      address,
      '',
      'URI: https://api.example.com/v1/books',
      'Version: 1',
      'Chain ID: 5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
      'Nonce: 00112233445566778899aabbccddeeff',
      'Issued At: 2026-11-25T12:00:00.000Z',
      'Expiration Time: 2026-11-25T12:05:00.000Z',
    ].join('\n'),
  );
});

it('is signed by the wallet that it names', () => {
  const { address, signature } = signer.signSignIn(1, fields);
  expect(address).toBe(walletOf(1));
  expect(isSignature(bs58.decode(signature), Buffer.from(signInText(fields, address)), address)).toBe(true);
});

it.each(['0.example', 'api.example.com', 'xn--e1afmkfd.example', '[2001:db8::1]', '127.0.0.1:8080'])(
  'of the host %s is read by web3.js as no transaction',
  (host) => {
    const text = Buffer.from(signInText({ ...fields, uri: `https://${host}/` }, walletOf(1)));
    for (const read of [VersionedMessage.deserialize, Message.from]) expect(() => read(text)).toThrow();
  },
);

describe('fields that are not in their strict form are not signed', () => {
  it.each<[string, Partial<SignInFields>]>([
    ['a uri that is no address', { uri: 'api.example.com' }],
    ['a uri that another reader may read otherwise', { uri: 'https://api.example.com/a b' }],
    ['a line in the uri', { uri: 'https://api.example.com/\nURI: https://other.example' }],
    ['a query in the uri', { uri: 'https://api.example.com/?a=1' }],
    ['a user in the uri', { uri: 'https://a@api.example.com/' }],
    ['another scheme', { uri: 'ftp://api.example.com/' }],
    ['another chain', { chainId: 'eip155:1' }],
    ['a line in the chain', { chainId: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp\nNonce: 1' }],
    ['a short nonce', { nonce: '1234567' }],
    ['a long nonce', { nonce: 'a'.repeat(65) }],
    ['a line in the nonce', { nonce: '12345678\n' }],
    ['no time', { issuedAt: 'now' }],
    ['a line in a time', { issuedAt: '2026-11-25T12:00:00Z\n' }],
    ['a time without a zone', { expirationTime: '2026-11-25T12:01:00' }],
    ['an end before its beginning', { expirationTime: '2026-11-25T11:59:59Z' }],
    ['more than five minutes', { expirationTime: '2026-11-25T12:05:00.001Z' }],
  ])('%s', (_what, change) => {
    expect(() => signer.signSignIn(1, { ...fields, ...change })).toThrow();
  });
});
