// Checks that an RPC serves the chain that this treasury belongs to.
import { isGenesisOf } from '../contract/networks.ts';
import type { Network, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { SolanaChain } from '../solana/chain.ts';

/**
 * Without this, an RPC could have a sandbox payment signed for a network with real money.
 * @throws AppError `conflict` when the genesis hash is not the expected one
 */
export const checkGenesis = async (chain: SolanaChain, store: Store, network: Network): Promise<void> => {
  const genesis = await chain.genesisHash();
  const known = store.meta.get('genesis');
  if (isGenesisOf(network, genesis) && (known === undefined || known === genesis)) {
    if (known === undefined) store.atomically(() => store.meta.set('genesis', genesis));
    return;
  }
  throw new AppError(
    'conflict',
    known === undefined
      ? `This RPC does not serve ${network}: its genesis hash is ${genesis}.`
      : `This RPC serves another chain than the one this treasury belongs to (genesis hash ${genesis}, expected ${known}).`,
  );
};
