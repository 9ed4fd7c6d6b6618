// A treasury whose view of the real chain goes through a proxy that can be made to lie.
import { createRpcProxy, type Proxy } from './rpc-proxy.ts';
import {
  deploy,
  instantly,
  openTreasury,
  openSandbox,
  type TestSandbox,
  type TestAgent,
  type Treasury,
} from '../treasury.ts';

export interface FaultyTreasury extends Treasury {
  proxy: Proxy;
  /** In front of the second RPC, where there is one. */
  second: Proxy;
  sandbox: TestSandbox;
  agent: TestAgent;
}

/** With one funded agent. `silent`: no websocket, so that it learns from polling alone. `two`: with a second RPC. */
export const openFaultyTreasury = async ({
  silent = false,
  two = false,
  sandboxArgs = instantly,
  dashboard = undefined as string | undefined,
} = {}): Promise<FaultyTreasury> => {
  const sandbox = await openSandbox(sandboxArgs);
  const proxy = await createRpcProxy(sandbox.rpcUrl);
  const second = await createRpcProxy(sandbox.rpcUrl);
  const port = Number(new URL(sandbox.rpcUrl).port);
  const ws = silent ? 'ws://127.0.0.1:9' : `ws://127.0.0.1:${port}`;
  const treasury = await openTreasury({
    args: ['--rpc', proxy.url, '--ws', ws, ...(two ? ['--second-rpc', second.url] : [])],
    ...(dashboard === undefined ? {} : { dashboard }),
  });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  const agent = await deploy(treasury.client, 'faulty', { dailyBudget: '5', maxPerPayment: '5' });
  return {
    ...treasury,
    proxy,
    second,
    sandbox,
    agent,
    async close() {
      proxy.fault = null;
      second.fault = null;
      await treasury.close();
      await proxy.close();
      await second.close();
      await sandbox.close();
    },
  };
};
