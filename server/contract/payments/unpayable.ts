// What a seller asked for that this treasury cannot pay with, in the same words on the page and in the command.
import { formatUsdc, usdc } from '../../money.ts';

interface Demand {
  network: string;
  asset: string;
  price: string;
}

/** By the names that sellers give them: CAIP-2 ids, and those of version 1 of x402. */
const networks: readonly (readonly [label: string, names: readonly string[], usdc?: string])[] = [
  ['Base', ['eip155:8453', 'base'], '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'],
  ['Base Sepolia', ['eip155:84532', 'base-sepolia'], '0x036cbd53842c5426634e7929541ec2318f3dcf7e'],
  ['Polygon', ['eip155:137', 'polygon'], '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359'],
  ['Solana', ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'solana']],
  ['Solana devnet', ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet']],
];

/** `0.01 USDC on Base`. The decimals of any other token are not known: its price is in the seller's own units. */
export const demandWords = ({ network, asset, price }: Demand): string => {
  const [label = network, , token = ''] = networks.find(([, names]) => names.includes(network)) ?? [];
  const isUsdc = asset === 'USDC' || asset.toLowerCase() === token.toLowerCase();
  return `${isUsdc ? `${formatUsdc(usdc(BigInt(price)))} USDC` : `${price} units of ${asset}`} on ${label}`;
};
