// The idempotency key of one transfer: made when its form opens, kept until its outcome is known.
import { useState } from 'react';
import { newKey } from '../../api/owner.ts';
import { endsTransfer } from '../transfer-key.ts';

interface TransferKey {
  key: string;
  /** Runs the transfer with the key; a new key is made only once this transfer has an outcome. */
  carryOut<R>(work: (key: string) => Promise<R>): Promise<R>;
}

export const useTransferKey = (): TransferKey => {
  const [key, setKey] = useState(newKey);
  return {
    key,
    async carryOut(work) {
      try {
        const reply = await work(key);
        setKey(newKey());
        return reply;
      } catch (error) {
        if (error instanceof Error && endsTransfer(error)) setKey(newKey());
        throw error;
      }
    },
  };
};
