// How networks differ on the chain.
import type { Config } from '../../config.ts';

type Network = Config['network'];

const mainnetUsdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';

/** Circle's USDC. The sandbox's is at mainnet's address. */
export const usdcMints: Readonly<Record<Network, string>> = {
  sandbox: mainnetUsdc,
  mainnet: mainnetUsdc,
  devnet: '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
};

/** x402's names of the networks: CAIP-2 ids, and version 1's. The sandbox uses mainnet's, which the official packages know. */
export const x402Networks: Readonly<Record<Network, { v1: string; v2: string }>> = {
  sandbox: { v1: 'solana', v2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  mainnet: { v1: 'solana', v2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' },
  devnet: { v1: 'solana-devnet', v2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' },
};

const mainnetGenesis = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';
const devnetGenesis = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrtBG';
const testnetGenesis = '4uhcVJyU9pJkvQyS88uRDiswHScsszNdc8sFMBAGpCzY';

/** The public network of this genesis hash; null: it is of none of them. */
export const publicNetworkOf = (hash: string): string | null =>
  ({ [mainnetGenesis]: 'mainnet', [devnetGenesis]: 'devnet', [testnetGenesis]: 'testnet' })[hash] ?? null;

/** Whether this genesis hash fits `network`; any chain that is not a public one can be a sandbox. */
export const isGenesisOf = (network: Network, hash: string): boolean => {
  if (network === 'mainnet') return hash === mainnetGenesis;
  if (network === 'devnet') return hash === devnetGenesis;
  return publicNetworkOf(hash) === null;
};
