// Proof that the owner has a wallet: its signature over a fresh text of this treasury, or its payment of a fresh request.
// Each is used once.
import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { AppError, fieldError } from '../../../errors.ts';
import { isSignature } from '../../../lib/solana/wallet-signature.ts';
import type { EngineContext } from '../../calls/call.ts';
import { mailboxOf, payRequest, possessionText, registerMemo, type Possession } from '../../domain/phone.ts';

export interface Possessions {
  /** A new text to sign and a new request to pay; the oldest open ones give way when there are many. */
  ask(address: string): { text: string; request: string; nonce: string; expiresAt: number };
  /**
   * Checks the owner's passphrase once for each request, before anything is paid for it.
   * @throws AppError naming the field, and as `proveOwner` does
   */
  proveOwner(proof: Proof, proveOwner: () => Promise<void>): Promise<void>;
  /** @throws AppError naming the field; `conflict` while the payment is missing, or not final */
  refuseUnpaid(proof: Proof): Promise<void>;
  /** Call it after `refuseUnpaid`: uses the text and the request up. @throws AppError naming the field */
  prove(proof: Proof): void;
}

interface Proof {
  address: string;
  nonce: string;
  /** Without it, the request was paid. */
  signature?: string | undefined;
}

const validMs = 10 * 60_000;
const mostOpen = 20;
/** Strangers may copy the reference once it is on the chain. */
const mostRead = 10;

type Asked = Possession & { reference: string; isOwners: boolean };
type Context = Pick<EngineContext, 'settings' | 'time' | 'chain'>;

export const createPossessions = (context: Context): Possessions => {
  const { settings, time } = context;
  const open = new Map<string, Asked>();
  const askedFor = ({ address, nonce }: Proof): Asked => {
    const asked = open.get(nonce);
    if (asked === undefined || asked.address !== address || asked.expiresAt <= time.now())
      throw fieldError(
        'nonce',
        'has been used, has expired, or belongs to another wallet. Request a new text to sign',
      );
    return asked;
  };
  return {
    ask(address) {
      const nonce = randomBytes(16).toString('hex');
      const reference = bs58.encode(randomBytes(32));
      const { owner: treasury, network } = settings;
      const asked = {
        treasury,
        network,
        address,
        nonce,
        reference,
        expiresAt: time.now() + validMs,
        isOwners: false,
      };
      open.set(nonce, asked);
      for (const oldest of [...open.keys()].slice(0, -mostOpen)) open.delete(oldest);
      const references = [reference, mailboxOf(treasury)];
      const request = payRequest(treasury, references, registerMemo(nonce));
      return { text: possessionText(asked), request, nonce, expiresAt: asked.expiresAt };
    },
    async proveOwner(proof, proveOwner) {
      const asked = askedFor(proof);
      if (asked.isOwners) return;
      await proveOwner();
      asked.isOwners = true;
    },
    async refuseUnpaid({ signature, ...proof }) {
      const asked = askedFor(proof);
      if (signature === undefined && !(await isPaid(context, asked)))
        throw new AppError(
          'conflict',
          'This wallet has not paid the request yet, or the payment is not final. Try again in a moment.',
          { isPaid: false },
        );
    },
    prove({ signature, ...proof }) {
      const asked = askedFor(proof);
      open.delete(proof.nonce);
      if (signature === undefined) return;
      if (!isSignature(Buffer.from(signature, 'base64'), Buffer.from(possessionText(asked)), proof.address))
        throw fieldError('signature', 'is not this wallet’s signature of the text with this nonce');
    },
  };
};

const isPaid = async (
  { chain }: Context,
  { treasury, address, nonce, reference }: Asked,
): Promise<boolean> => {
  const lines = (await chain.linesOf(reference, {})).slice(-mostRead);
  for (const { signature } of lines) {
    const word = await chain.remoteWord(signature, 'finalized').catch((error: unknown) => {
      // It is listed at `confirmed`, and is not shown before it is final.
      if (error instanceof AppError && error.code === 'chain_unreachable') return null;
      throw error;
    });
    const [first, second, ...more] = word?.references ?? [];
    const isExact = first === reference && second === mailboxOf(treasury) && more.length === 0;
    if (word?.wallet === address && word.memo === registerMemo(nonce) && isExact) return true;
  }
  return false;
};
