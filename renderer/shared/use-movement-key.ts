// The Idempotency-Key of one movement of money: made when its form opens, kept until it is known what became of it.
import { useState } from 'react';
import { newKey } from '../api/owner.ts';
import { endsMovement } from './movement-key.ts';

interface MovementKey {
  key: string;
  /** Makes the movement with the key; the next one gets another only when this one is over. */
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
