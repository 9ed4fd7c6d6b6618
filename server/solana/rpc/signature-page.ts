// A page of the transactions that name an address, as an RPC lists them.
import { pageLength, signaturesAnswer, type Listed, type SignatureRange } from './answers.ts';
import type { Rpc } from './rpc.ts';

/** `limit`: at most 1,000, which is the default. */
interface Range extends Partial<SignatureRange> {
  commitment: 'confirmed' | 'finalized';
  /** An RPC that has not reached this slot at the commitment refuses. */
  minContextSlot?: number | undefined;
}

/** Newest first. @throws what `Rpc.call` throws */
export const signaturePage = (rpc: Rpc, address: string, range: Range): Promise<Listed[]> => {
  const asked = { limit: pageLength, ...range };
  return rpc.call('getSignaturesForAddress', [address, asked], signaturesAnswer(asked));
};
