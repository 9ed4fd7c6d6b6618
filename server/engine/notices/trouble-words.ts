// The words of notices about the network, and about a key that somebody else has.
import { plainLine } from '../../lib/plain-line.ts';
import { formatUsdc, type Usdc } from '../../money.ts';

/** `agentId` null: the treasury's own wallet, or the cold one. `signature` null: no RPC shows the transaction. */
export interface ForeignDebitFacts {
  agentId: string | null;
  signature: string | null;
  amount: Usdc;
}

/** Times in Unix milliseconds. */
export interface OutageFacts {
  rpcs: readonly { host: string; why: string }[];
  since: number;
  /** When an RPC answered again; null: none does yet. */
  until: number | null;
  held: { transfers: number; amount: Usdc };
}

interface Words {
  title: string;
  text: string;
}

export const foreignDebitWords = (
  { agentId, signature, amount }: ForeignDebitFacts,
  nameOf: (agentId: string) => string,
): Words => ({
  title: 'Somebody else has a key of yours',
  text: `${formatUsdc(amount)} USDC left ${agentId === null ? 'the treasury' : `the wallet of ${plainLine(nameOf(agentId), 40)}`}, and no payment explains it (${signature === null ? 'no RPC shows the transaction' : `transaction ${plainLine(signature)}`}). Freeze everything, and move your money to a new treasury. The page “Operating” says how, under “Somebody else has a key”.`,
});

export const outageWords = ({ rpcs, since, until, held }: OutageFacts): Words => {
  const whys = rpcs.map(({ host, why }) => `${plainLine(host, 60)}: ${plainLine(why, 90)}`).join('; ');
  return until === null
    ? {
        title: 'The network cannot be reached',
        text: `No Solana RPC has answered since ${clock(since)} UTC (${whys}). Nothing is paid until one does. ${heldWords(held)}`,
      }
    : {
        title: 'The network is back',
        text: `No Solana RPC answered from ${clock(since)} to ${clock(until)} UTC. Payments go on, and open transfers are settled without you.`,
      };
};

const clock = (at: number): string => new Date(at).toISOString().slice(11, 16);

const heldWords = ({ transfers, amount }: OutageFacts['held']): string =>
  transfers === 0
    ? 'No transfer is open.'
    : `${formatUsdc(amount)} USDC of ${transfers} open ${transfers === 1 ? 'transfer' : 'transfers'} stay held until the chain shows what became of them.`;
