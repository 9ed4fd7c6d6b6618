// Keeps an RPC from being believed before it has shown which chain it serves: balances, deposits and debits of another
// chain would enter the records.
import { waitingForNetwork, type NetworkGate } from '../lib/network-gate.ts';
import type { Rpc } from './rpc.ts';

/** Nothing in the records follows from their answers. */
const harmless: readonly string[] = ['getGenesisHash', 'getRecentPrioritizationFees'];

/** The same RPC, which refuses with `chain_unreachable` all that would enter the records before the chain was checked. */
export const whenChecked = <Node extends Rpc>(rpc: Node, gate: NetworkGate): Node => ({
  ...rpc,
  async call(method, params, result) {
    const waiting = gate.isChecked() || harmless.includes(method) ? null : waitingForNetwork(gate);
    if (waiting !== null) throw waiting;
    return rpc.call(method, params, result);
  },
});
