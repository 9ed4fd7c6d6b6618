// Sign In With Solana. The library's own check accepts a message of another address, an expired one and, where its
// input omits them, any domain and address. So we trust nothing that comes back: it must equal, byte for byte, the
// message that we build ourselves from our challenge and the address.
import { randomBytes } from 'node:crypto';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import type { Body, Reply } from '../contract/schemas.ts';
import type { Link, Network } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { Door } from '../lib/net/public-url.ts';
import { isSignature } from '../lib/solana/wallet-signature.ts';
import { createOpenAsks, type Ask } from './open-asks.ts';
import { machineInStatement } from './words.ts';

interface WalletSignIn {
  /** The message for the wallet to sign; valid for five minutes and one try. */
  ask(link: Pick<Link, 'id' | 'code' | 'machine' | 'expiresAt'>, door: Door): Reply<'askWallet'>;
  /** Returns if the address's key has signed a challenge of this link. @throws AppError `unauthorized` */
  prove(linkId: string, proof: Body<'proveWallet'>): void;
  clear(): void;
}

interface Challenge extends Ask {
  issuedAt: number;
  fields: Reply<'askWallet'>;
}

const challengeMs = 5 * 60_000;
const mostOpen = 5;

const chainIds = { sandbox: 'solana:localnet', devnet: 'solana:devnet', mainnet: 'solana:mainnet' } as const;

export const createWalletSignIn = (network: Network, now: () => number): WalletSignIn => {
  const open = createOpenAsks<Challenge>(mostOpen, now);
  return {
    ask(link, { url }) {
      const issuedAt = now();
      const expiresAt = Math.min(issuedAt + challengeMs, link.expiresAt);
      const fields = {
        domain: new URL(url).host,
        statement: `Link ${machineInStatement(link.machine)} to your Agent Treasury. The terminal shows the code ${link.code}.`,
        // Without the link's token: wallets display this, and may log it.
        uri: `${url}/link`,
        version: '1' as const,
        chainId: chainIds[network],
        nonce: randomBytes(16).toString('hex'),
        issuedAt: new Date(issuedAt).toISOString(),
        notBefore: new Date(issuedAt).toISOString(),
        expirationTime: new Date(expiresAt).toISOString(),
        requestId: link.id,
      };
      open.add({ linkId: link.id, issuedAt, expiresAt, fields });
      return fields;
    },
    prove(linkId, { address, message, signature }) {
      const signed = Buffer.from(message, 'base64');
      const nonce = /^Nonce: ([0-9a-f]{32})$/m.exec(signed.toString('latin1'))?.[1];
      const challenge = open.of(linkId).find(({ fields }) => fields.nonce === nonce);
      if (challenge === undefined)
        throw refusal('This request was used before, is too old, or belongs to another link.');
      // Removed before the checks: a failed proof needs a new challenge.
      open.remove(challenge);
      if (now() < challenge.issuedAt) throw refusal('This computer’s clock went back.');
      if (!signed.equals(Buffer.from(createSignInMessageText({ ...challenge.fields, address }))))
        throw refusal('The wallet signed a different message.');
      if (!isSignature(Buffer.from(signature, 'base64'), signed, address))
        throw refusal('The signature was not made by this address.');
    },
    clear: open.clear,
  };
};

const refusal = (why: string): AppError =>
  new AppError(
    'unauthorized',
    `${why} Ask at the page again, and sign with the wallet that you choose there.`,
  );
