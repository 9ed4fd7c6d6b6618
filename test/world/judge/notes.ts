// The judge's notes on a life: every payment as requested and as last seen, and the findings.
import type { Transfer, TransferState } from '../../../server/engine/ports.ts';
import { payeeOf, serviceIds, treasury, walletOf } from '../keys.ts';
import type { Reference, Wish } from './reference.ts';
import type { World } from '../world.ts';

export type State = TransferState;
export const released: readonly State[] = ['denied', 'cancelled', 'dead', 'failed'];
export const ended: readonly State[] = [...released, 'final'];

/** What the owner moves, whatever the limits of agents. */
export const movements = ['allocation', 'recall', 'withdrawal'] as const;
type Movement = (typeof movements)[number];

export interface Ask extends Wish {
  key: string;
  /** By POST /pay, by a fetch of a seller that asks for a receipt or for x402, or by the owner. */
  via: 'pay' | 'receipt' | 'x402' | Movement;
}
export const isMovement = ({ via }: Pick<Ask, 'via'>): boolean =>
  (movements as readonly string[]).includes(via);
/** Money that comes home, or goes where the owner sends it, goes on under every stop. */
export const isStopped = ({ via }: Pick<Ask, 'via'>): boolean => via !== 'recall' && via !== 'withdrawal';

/** An idempotency key is of the agent, of its delegated key, or of the treasury. */
export const principalOf = ({ agentId, keyId, via }: Pick<Ask, 'agentId' | 'keyId' | 'via'>): string =>
  keyId !== null ? `key:${keyId}` : via === 'withdrawal' ? 'treasury' : `agent:${agentId}`;

/** Who pays, and who is paid. */
export const endsOf = ({ agentId, service, via }: Ask): { wallet: string; payee: string } => {
  const agents = walletOf(agentId);
  if (via === 'allocation') return { wallet: treasury, payee: agents };
  if (via === 'recall') return { wallet: agents, payee: treasury };
  if (via === 'withdrawal') return { wallet: treasury, payee: payeeOf(serviceIds[0]) };
  return { wallet: agents, payee: payeeOf(service) };
};
export const nameOf = (ask: Ask): string => `${principalOf(ask)}/${ask.key}`;
export interface Bound extends Ask {
  id: string;
}
export interface Known {
  ask: Ask;
  state: State;
  /** The state that is at least on the disk. */
  durable: State;
  signature: string | null;
  held: { approvalId: string; expiresAt: number } | null;
  lastValidHeight: number;
}
export interface Decision {
  id: string;
  at: number;
  amount: bigint;
  /** The nodes that it was charged to, with the daily budget of each at that time. */
  path: readonly { node: string; budget: bigint | null }[];
}

/** The owner's acts in this step, as far as they explain changes of rows. */
export interface Doings {
  asks: Ask[];
  /** When they were made. */
  times: Set<number>;
  denied: Set<string>;
  granted: Set<string>;
  stops: Set<string>;
  /** Agents whose rules, or whose ceiling, changed. */
  policies: Set<string>;
  /** The most approvals of each agent, and of each delegated key, that waited at the same time. */
  waiting: Map<string, number>;
}
export const nothing = (): Doings => ({
  asks: [],
  times: new Set(),
  denied: new Set(),
  granted: new Set(),
  stops: new Set(),
  policies: new Set(),
  waiting: new Map(),
});

/** What the phone said. */
export interface PhoneNotes {
  /** Stops, by the slot of each. */
  stops: { signature: string; slot: number }[];
  /** The signatures of all words. */
  said: string[];
  /** `approve ID` and `deny ID` of approvals. */
  answers: Set<string>;
  /** What it approved. */
  approved: { at: number; amount: bigint }[];
}

export interface Notes {
  world(): World;
  reference: Reference;
  findings: string[];
  doings: Doings;
  known: Map<string, Known>;
  keys: Map<string, Bound>;
  decisions: Decision[];
  /** The bytes that left last, by payment. */
  wires: Map<string, string>;
  phone: PhoneNotes;
  /** Every approval so far, in order. */
  approvals: string[];
  find(text: string): void;
  /** Of an agent, or of a delegated key. */
  pending(of: string): number;
}

export const createNotes = (world: () => World, reference: Reference): Notes => {
  const findings: string[] = [];
  const known = new Map<string, Known>();
  return {
    world,
    reference,
    findings,
    doings: nothing(),
    known,
    keys: new Map(),
    decisions: [],
    wires: new Map(),
    phone: { stops: [], said: [], answers: new Set(), approved: [] },
    approvals: [],
    find(text) {
      if (findings.length < 8) findings.push(text);
    },
    pending: (of) =>
      [...known.values()].filter(
        ({ ask, state }) => (ask.agentId === of || ask.keyId === of) && state === 'awaiting_approval',
      ).length,
  };
};

/** Nothing was signed and the chain could not be reached: the same key may try again. */
export const isFreed = (row: Transfer | undefined): boolean =>
  row?.state === 'cancelled' && row.refusal?.code === 'chain_unreachable';
