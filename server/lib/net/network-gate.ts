// The gate between this treasury and its chain. It is closed from the start until an RPC has shown that it serves the
// chain that the treasury belongs to, and until the rest of the start is done: nothing is signed or sent before.
import { AppError } from '../../errors.ts';

/** Why the start waits for the network. */
export interface NetworkWait {
  /** Unix milliseconds. */
  since: number;
  /** The RPC's host name and port; its URL may carry a key. */
  host: string;
  /** Why the RPC cannot be used, as a clause without a full stop. */
  why: string;
}

export interface NetworkGate {
  /** Null once it is open; it does not close again. */
  wait(): NetworkWait | null;
  /** The chain is known to be the treasury's own, though the rest of the start may still wait for it. */
  isChecked(): boolean;
}

/** The refusal of everything that would sign or send; null once the gate is open. */
export const waitingForNetwork = (gate: NetworkGate): AppError | null => {
  const wait = gate.wait();
  return wait === null
    ? null
    : new AppError(
        'chain_unreachable',
        `The treasury has been waiting for the network since it started (${wait.host}: ${wait.why}). Nothing was signed, and no money was moved. It goes on by itself once the RPC answers: try again then.`,
        { since: new Date(wait.since).toISOString(), host: wait.host },
      );
};
