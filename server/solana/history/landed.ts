// Finds transactions by their messages: somebody else signs them first, so we cannot know their signatures beforehand.
import type { Chain } from '../../engine/ports.ts';
import { transactionAnswer } from '../rpc/answers.ts';
import { listSignatures, messageHash } from './moves.ts';
import type { Rpc } from '../rpc/rpc.ts';

const remembered = 4_096;

/** Reads each transaction once: its message never changes. */
export const createLanded = (rpc: Rpc, mint: string): Pick<Chain, 'landed' | 'messageHash'> => {
  const known = new Map<string, string>();

  const hashOf = async (signature: string): Promise<string | null> => {
    const before = known.get(signature);
    if (before !== undefined) return before;
    const options = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const found = await rpc.call('getTransaction', [signature, options], transactionAnswer({ signature }));
    if (found === null) return null;
    const hash = messageHash(Buffer.from(found.transaction[0], 'base64'));
    if (known.size >= remembered) known.clear();
    known.set(signature, hash);
    return hash;
  };

  return {
    messageHash: hashOf,
    async landed(wallet, fromSlot) {
      const listed = await listSignatures(rpc, {
        wallet,
        mint,
        commitment: 'confirmed',
        until: null,
        fromSlot,
      });
      const found = await Promise.all(
        listed.map(async ({ signature }) => ({ signature, messageHash: await hashOf(signature) })),
      );
      return found.flatMap((one) =>
        one.messageHash === null ? [] : [{ ...one, messageHash: one.messageHash }],
      );
    },
  };
};
