// Proof that the owner has a wallet: a signature over a fresh text of this treasury, which is used once.
import { randomBytes } from 'node:crypto';
import { fieldError } from '../../errors.ts';
import { isSignature } from '../../lib/wallet-signature.ts';
import type { EngineContext } from '../calls/call.ts';
import { possessionText, type Possession } from '../domain/phone.ts';

export interface Possessions {
  /** A new text to sign; the oldest open one gives way when there are many. */
  ask(address: string): { text: string; nonce: string; expiresAt: number };
  /** Uses the text of this nonce up. @throws AppError naming the field */
  prove(signed: { address: string; nonce: string; signature: string }): void;
}

const validMs = 10 * 60_000;
const mostOpen = 20;

export const createPossessions = ({
  settings,
  time,
}: Pick<EngineContext, 'settings' | 'time'>): Possessions => {
  const open = new Map<string, Possession>();
  const unexpired = (nonce: string): Possession | undefined => {
    const asked = open.get(nonce);
    open.delete(nonce);
    return asked === undefined || asked.expiresAt <= time.now() ? undefined : asked;
  };
  return {
    ask(address) {
      const nonce = randomBytes(16).toString('hex');
      const { owner: treasury, network } = settings;
      const asked = { treasury, network, address, nonce, expiresAt: time.now() + validMs };
      open.set(nonce, asked);
      for (const oldest of [...open.keys()].slice(0, -mostOpen)) open.delete(oldest);
      return { text: possessionText(asked), nonce, expiresAt: asked.expiresAt };
    },
    prove({ address, nonce, signature }) {
      const asked = unexpired(nonce);
      if (asked === undefined || asked.address !== address)
        throw fieldError('nonce', 'was used, is over, or is of another wallet. Ask for a new text to sign');
      if (!isSignature(Buffer.from(signature, 'base64'), Buffer.from(possessionText(asked)), address))
        throw fieldError('signature', 'was not made by this wallet over the text of this nonce');
    },
  };
};
