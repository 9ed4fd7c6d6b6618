// A demand that this treasury cannot pay, in the same words on the page and in the command.
import { formatUsdc, usdc } from '../../money.ts';
import type { Reply } from '../schemas.ts';

type Demand = Pick<Reply<'unpayableSellers'>['sellers'][number], 'network' | 'asset' | 'price'>;

/** By the names that sellers give them: in x402 version 2, in version 1, and elsewhere. */
const networks: readonly (readonly [label: string, names: readonly string[], usdc: string])[] = [
  ['Base', ['eip155:8453', 'base'], '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  ['Base Sepolia', ['eip155:84532', 'base-sepolia'], '0x036cbd53842c5426634e7929541ec2318f3dcf7e'],
  [
    'Solana',
    ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana', 'mainnet'],
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ],
  [
    'Solana devnet',
    ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet', 'devnet'],
    '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU',
  ],
];

/** `0.01 USDC on Base`. The decimals of any other token are not known: its price is in the seller's own units. */
export const demandWords = ({ network, asset, price }: Demand): string => {
  const [label = network, , token] = networks.find(([, names]) => names.includes(network)) ?? [];
  const isUsdc = token !== undefined && ['usdc', token.toLowerCase()].includes(asset.toLowerCase());
  return `${isUsdc ? `${formatUsdc(usdc(BigInt(price)))} USDC` : `${price} units of ${asset}`} on ${label}`;
};
