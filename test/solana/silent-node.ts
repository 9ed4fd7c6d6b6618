// A signed transfer, and what a node answers that shows no trace of it long after its lifetime.
import bs58 from 'bs58';
import type { Transfer } from '../../server/engine/ports.ts';

export const usdcMint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const signature = bs58.encode(Buffer.alloc(64, 7));

export const signedTransfer = {
  wallet: 'GokivDYuQXPZCWRkwMhdH2h91KpDQXBEmpgBgs55bnpH',
  asset: 'USDC',
  source: null,
  purchase: null,
  signed: {
    messageHash: 'message',
    signature,
    lifetime: { blockhash: 'hash', slot: 1_000, height: 900, lastValidHeight: 1_050 },
  },
} as unknown as Transfer;

export const silentNode = {
  getEpochInfo: { absoluteSlot: 2_000, blockHeight: 1_900 },
  getSignatureStatuses: { context: { slot: 2_000 }, value: [null] },
  isBlockhashValid: { context: { slot: 2_000 }, value: false },
  getFirstAvailableBlock: 1_000,
  getSignaturesForAddress: [],
};
