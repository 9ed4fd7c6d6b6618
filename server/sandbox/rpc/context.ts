// The context of every method.
import type { Chain } from '../chain/chain.ts';
import type { Commitment } from '../chain/clock.ts';
import { RpcError } from './errors.ts';
import { commitmentOf, optionalInteger, type Config, type Params } from './params.ts';

export type Method = (params: Params) => unknown;
export type Methods = Readonly<Record<string, Method>>;

/** The node version that these answers imitate. */
export const apiVersion = '3.0.0';

interface WithContext<T> {
  context: { slot: number; apiVersion: string };
  value: T;
}

export const withContext = <T>(slot: number, value: T): WithContext<T> => ({
  context: { slot, apiVersion },
  value,
});

/** The requested commitment and its slot. Refuses when that slot is below `minContextSlot`. */
export const readPoint = (chain: Chain, config: Config): { commitment: Commitment; slot: number } => {
  const commitment = commitmentOf(config);
  const slot = chain.clock.slot(commitment);
  requireSlot(config, slot);
  return { commitment, slot };
};

export const requireSlot = (config: Config, slot: number): void => {
  const minimum = optionalInteger(config['minContextSlot']);
  if (minimum !== undefined && slot < minimum) {
    throw new RpcError('minContextSlot', 'Minimum context slot has not been reached', { contextSlot: slot });
  }
};
