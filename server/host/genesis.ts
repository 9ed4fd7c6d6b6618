// Checks that an RPC serves the chain that this treasury belongs to.
import { isGenesisOf, publicNetworkOf } from '../contract/treasury/networks.ts';
import type { Network, Store } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { SolanaChain } from '../solana/chain.ts';

/**
 * Without this, an RPC could have a sandbox payment signed for a network with real money.
 * @param host of the RPC
 * @throws AppError `conflict` when the genesis hash is not the expected one, `chain_unreachable`
 */
export const checkGenesis = async (
  chain: SolanaChain,
  store: Store,
  { network, host }: { network: Network; host: string },
): Promise<void> => {
  const genesis = await chain.genesisHash();
  const known = store.meta.get('genesis');
  if (isGenesisOf(network, genesis) && (known === undefined || known === genesis)) {
    if (known === undefined) store.atomically(() => store.meta.set('genesis', genesis));
    return;
  }
  const publicNetwork = publicNetworkOf(genesis);
  const served = publicNetwork === null ? '' : `: it serves ${publicNetwork}`;
  throw new AppError(
    'conflict',
    known === undefined
      ? `This RPC does not serve ${network}${served}. The genesis hash of ${host} is ${genesis}. Give --rpc the URL of an RPC of ${network}.`
      : `This RPC serves another chain than the one this treasury belongs to (genesis hash ${genesis}, expected ${known})${served}. Give --rpc the URL of an RPC of ${publicNetworkOf(known) ?? 'that chain'} in place of ${host}.`,
  );
};

/** At a first start there is nothing that could be shown without the chain. */
export const unreachedAtFirst = (error: unknown, host: string, why = ''): unknown =>
  error instanceof AppError && error.code === 'chain_unreachable'
    ? new AppError(
        'chain_unreachable',
        `The RPC at ${host} cannot be used: ${why === '' ? error.message.replace(/\.$/, '') : why}. ${nextOf(why)} Then start again. No money was moved.`,
        error.details,
        { cause: error },
      )
    : error;

const nextOf = (why: string): string => {
  if (/status 40[13]/.test(why)) return 'Check the API key in the URL of --rpc.';
  if (/status 429/.test(why)) return 'Wait a minute, or give --rpc another RPC or a larger plan of this one.';
  if (/no JSON-RPC/.test(why))
    return 'Check the URL of --rpc, and open a page in a browser: your network may ask for a login.';
  return 'Check the URL of --rpc and this machine’s network.';
};
