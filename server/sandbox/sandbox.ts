// A local Solana: a runtime behind a node's JSON-RPC and websocket, with play money, for any Solana client.
import type { Log } from '../log.ts';
import { openChain } from './chain/chain.ts';
import type { RuntimeChoice, RuntimeName } from './chain/load-runtime.ts';
import { accountMethods } from './rpc/account-methods.ts';
import { blockMethods } from './rpc/block-methods.ts';
import { chainMethods } from './rpc/chain-methods.ts';
import { sandboxMethods } from './rpc/sandbox-methods.ts';
import { createSchedule } from './rpc/schedule.ts';
import { listen } from './rpc/server.ts';
import { createSubscriptions } from './rpc/subscriptions.ts';
import { sendMethods } from './rpc/send-methods.ts';
import { tokenMethods } from './rpc/token-methods.ts';
import { transactionMethods } from './rpc/transaction-methods.ts';
import { createWatches } from './rpc/watches.ts';

export interface SandboxOptions {
  dataDir: string;
  /** The websocket is served on this port and on the next; 0 picks a free pair. */
  port: number;
  slotMs?: number;
  /** Milliseconds from a transaction's arrival until it is confirmed; 0 is at once. */
  confirmMs?: number;
  /** Milliseconds from a transaction's arrival until it is final; never before it is confirmed. */
  finalizeMs?: number;
  runtime?: RuntimeName | null;
  log: Log;
}

export interface Sandbox {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  readonly genesisHash: string;
  readonly runtime: RuntimeChoice;
  close(): Promise<void>;
}

export const createSandbox = async (options: SandboxOptions): Promise<Sandbox> => {
  const { dataDir, port, slotMs = 400, confirmMs = 400, finalizeMs = 13_000, runtime = null, log } = options;
  const chain = await openChain({ dataDir, slotMs, confirmMs, finalizeMs, runtime, log });
  const schedule = createSchedule(chain.clock.now);
  const methods = {
    ...chainMethods(chain),
    ...accountMethods(chain),
    ...tokenMethods(chain),
    ...sendMethods(chain),
    ...transactionMethods(chain),
    ...blockMethods(chain),
    ...sandboxMethods(chain, schedule.poke),
  };
  const stop = (): void => {
    schedule.close();
    chain.close();
  };
  try {
    const server = await listen(port, methods, createSubscriptions(createWatches(chain, schedule)), log);
    const slot = chain.clock.slot('processed');
    log.info({ port: server.port, slot, runtime: chain.runtimeChoice.name }, 'the sandbox is up');
    return {
      rpcUrl: `http://127.0.0.1:${server.port}`,
      wsUrl: `ws://127.0.0.1:${server.port}`,
      genesisHash: chain.genesisHash,
      runtime: chain.runtimeChoice,
      close: async () => {
        await server.close();
        stop();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
};
