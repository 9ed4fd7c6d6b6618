// Keeps an RPC from being believed before it has shown which chain it serves: balances, deposits and debits of another
// chain would enter the records.
import { waitingForNetwork, type NetworkGate } from '../../lib/net/network-gate.ts';
import type { NodeRpc, Rpc } from './rpc.ts';

/** Nothing in the records follows from their answers. */
const harmless: readonly string[] = ['getGenesisHash', 'getRecentPrioritizationFees'];

/** The same RPC, which refuses with `chain_unreachable` all that would enter the records before the chain was checked. */
export const whenChecked = (rpc: NodeRpc, gate: NetworkGate): NodeRpc => {
  const gated =
    (ask: Rpc['call']): Rpc['call'] =>
    async (...question) => {
      const waiting = gate.isChecked() || harmless.includes(question[0]) ? null : waitingForNetwork(gate);
      if (waiting !== null) throw waiting;
      return ask(...question);
    };
  return { ...rpc, call: gated(rpc.call), callOnce: gated(rpc.callOnce) };
};
