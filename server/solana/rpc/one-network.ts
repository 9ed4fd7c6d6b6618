// Refuses a second RPC of another network: it would show another treasury, and would prove of every payment that it never
// landed.
import { AppError } from '../../errors.ts';
import { genesisAnswer } from './answers.ts';
import type { NodeRpc, Rpc } from './rpc.ts';

/**
 * Wraps each node so that it is asked nothing before its genesis hash was found to be that of the others.
 * @param known the treasury's; null: that of the first node that answers, which the host compares with its own
 */
export const ofOneNetwork = (known: string | null): ((node: NodeRpc) => NodeRpc) => {
  let agreed = known;
  return (node) => {
    let isChecked = false;
    const check = async (): Promise<void> => {
      if (isChecked) return;
      const genesis = await node.callOnce('getGenesisHash', [], genesisAnswer);
      agreed ??= genesis;
      if (genesis !== agreed) {
        throw new AppError(
          'chain_unreachable',
          `The Solana RPC ${node.state().host} is of another network than the treasury. Name two RPCs of one network.`,
        );
      }
      isChecked = true;
    };
    const checked =
      (ask: Rpc['call']): Rpc['call'] =>
      async (...question) => {
        if (question[0] !== 'getGenesisHash') await check();
        return ask(...question);
      };
    return { ...node, call: checked(node.call), callOnce: checked(node.callOnce) };
  };
};
