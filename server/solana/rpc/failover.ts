// Two nodes for one treasury: a question that one of them does not answer goes to the other.
import { AppError } from '../../errors.ts';
import { heightAnswer, type Landed } from './answers.ts';
import { isDown, RpcError, type NodeRpc, type Question, type Rpc } from './rpc.ts';

const probeMs = 5_000;

/**
 * A node that does not answer is skipped, and probed until it does. A question goes to the other one after any failure,
 * also after an error that the node answers with; a transaction goes to both, and one that takes it is enough. Evidence
 * that both nodes have to give does not pass here: witnesses.ts asks each by itself. The contents of a transaction are
 * compared: a deposit is entered with the amount that both show.
 */
export const createFailover = (first: NodeRpc, second: NodeRpc): Rpc => {
  const nodes = [first, second];
  const probes = setInterval(() => {
    for (const node of nodes.filter(isDown))
      node.callOnce('getBlockHeight', [{ commitment: 'finalized' }], heightAnswer).catch(() => {});
  }, probeMs);
  probes.unref();

  const send = async <T>(...question: Question<T>): Promise<T> => {
    try {
      return await Promise.any(nodes.map((node) => node.call(...question)));
    } catch (error) {
      throw clearest((error as AggregateError).errors);
    }
  };
  const pinned = (): Rpc => pinnedTo(nodes.toSorted((a, b) => rank(a) - rank(b)));

  /** A transaction as both nodes show it, or as the one that shows it; neither alone can make it another. */
  const transaction = async <T>(...question: Question<T>): Promise<T> => {
    if (nodes.some(isDown)) return pinned().call(...question);
    const settled = await Promise.allSettled(nodes.map((node) => node.callOnce(...question)));
    const shown = settled.flatMap((one) =>
      one.status === 'fulfilled' && one.value !== null ? [one.value] : [],
    );
    const [one, ...others] = shown;
    if (one === undefined) return pinned().call(...question);
    if (others.some((other) => moneyIn(other) !== moneyIn(one))) {
      throw new AppError(
        'chain_unreachable',
        `The two Solana RPCs show transaction ${String(question[1][0])} differently. It is not entered until they agree.`,
      );
    }
    return one;
  };

  return {
    call: (...question) =>
      question[0] === 'sendTransaction'
        ? send(...question)
        : question[0] === 'getTransaction'
          ? transaction(...question)
          : pinned().call(...question),
    pinned,
    close: () => clearInterval(probes),
  };
};

const held = (balances: Landed['meta']['postTokenBalances']): string[] =>
  (balances ?? [])
    .map(({ accountIndex, mint, uiTokenAmount }) => `${accountIndex} ${mint} ${uiTokenAmount.amount}`)
    .toSorted();
/**
 * Whether a transaction failed, and the USDC of its accounts before and after; the rest may differ between versions of
 * nodes.
 */
const moneyIn = (answer: unknown): string => {
  const { meta } = answer as Landed;
  return JSON.stringify([meta.err === null, held(meta.preTokenBalances), held(meta.postTokenBalances)]);
};

const rank = (node: NodeRpc): number => (isDown(node) ? 2 : node.isBusy() ? 1 : 0);

/** The first node that answers gets all later questions too: one that lags cannot continue the list of another. */
const pinnedTo = (nodes: readonly NodeRpc[]): Rpc => {
  let pinned: NodeRpc | null = null;
  const call = async <T>(...question: Question<T>): Promise<T> => {
    if (pinned !== null) return pinned.call(...question);
    const errors: unknown[] = [];
    const pin = <A>(node: NodeRpc, answer: A): A => {
      pinned = node;
      return answer;
    };
    for (const node of nodes) {
      try {
        return pin(node, await node.callOnce(...question));
      } catch (error) {
        errors.push(error);
      }
    }
    const busy = nodes.find((node) => node.isBusy());
    if (busy === undefined) throw clearest(errors);
    return pin(busy, await busy.call(...question));
  };
  return { call, close() {} };
};

/** A node's own error says more than silence. */
const clearest = (errors: readonly unknown[]): unknown =>
  errors.find((error) => error instanceof RpcError) ?? errors[0];
