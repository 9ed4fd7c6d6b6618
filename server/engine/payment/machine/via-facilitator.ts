// Finds the transactions that facilitators submit: we know their messages, but not their signatures. The search reads
// the history of the agent's token account; the seller's word is only a hint where to look first.
import type { Context } from '../context.ts';
import type { Machine } from './machine.ts';
import type { Transfer } from '../../ports.ts';

export interface ViaFacilitator {
  /** Searches for these and records those found. Returns those not found. @throws AppError `chain_unreachable` */
  find(rows: readonly Transfer[]): Promise<Transfer[]>;
  /** If the signature `hint` is the row's, records what the chain shows of it. Never rejects. */
  follow(row: Transfer, hint: string): Promise<void>;
}

export const createViaFacilitator = ({ chain, log }: Context, machine: Machine): ViaFacilitator => {
  const enter = async (row: Transfer, signature: string): Promise<void> => {
    const { found } = await chain.sightings([signature]);
    const sighting = found[0] ?? null;
    if (sighting !== null) await machine.observe(row.id, sighting, signature);
  };

  return {
    async find(rows) {
      const missing: Transfer[] = [];
      for (const wallet of new Set(rows.map((row) => row.wallet))) {
        const own = rows.filter((row) => row.wallet === wallet);
        const first = Math.min(...own.map(({ signed }) => signed?.lifetime.slot ?? 0));
        const names = new Map(
          (await chain.landed(wallet, first)).map(({ messageHash, signature }) => [messageHash, signature]),
        );
        for (const row of own) {
          const name = names.get(row.signed?.messageHash ?? '');
          if (name === undefined) missing.push(row);
          else await enter(row, name);
        }
      }
      return missing;
    },
    async follow(row, hint) {
      try {
        if ((await chain.messageHash(hint)) === row.signed?.messageHash) await enter(row, hint);
      } catch (error) {
        log.debug({ err: error, transfer: row.id }, 'a signature named by a seller will be looked up later');
      }
    },
  };
};
