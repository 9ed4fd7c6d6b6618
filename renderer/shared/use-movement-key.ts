// The idempotency key of one transfer: made when its form opens, kept until its outcome is known.
import { useState } from 'react';
import { newKey } from '../api/owner.ts';
import { endsMovement } from './movement-key.ts';

interface MovementKey {
  key: string;
  /** Runs the transfer with the key; a new key is made only once this transfer has an outcome. */
  carryOut<R>(work: (key: string) => Promise<R>): Promise<R>;
}

export const useMovementKey = (): MovementKey => {
  const [key, setKey] = useState(newKey);
  return {
    key,
    async carryOut(work) {
      try {
        const reply = await work(key);
        setKey(newKey());
        return reply;
      } catch (error) {
        if (error instanceof Error && endsMovement(error)) setKey(newKey());
        throw error;
      }
    },
  };
};
