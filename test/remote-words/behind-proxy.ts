// A treasury whose RPC is a proxy in front of the sandbox, so that a test decides what the RPC shows of a phone's words.
import { mailboxOf } from '../../server/engine/domain/phone.ts';
import { createRpcProxy, type Fault, type Proxy } from '../harness/chain/rpc-proxy.ts';
import {
  openSandbox,
  openTreasury,
  type Options,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';

export interface BehindProxy {
  treasury: Treasury;
  proxy: Proxy;
  sandbox: TestSandbox;
  close(): Promise<void>;
}

/** @param faucet the USDC that it begins with */
export const openBehindProxy = async (
  faucet: string,
  { ws, ...options }: Options & { ws?: string } = {},
): Promise<BehindProxy> => {
  const sandbox = await openSandbox();
  const proxy = await createRpcProxy(sandbox.rpcUrl);
  const socket = ws ?? `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  const treasury = await openTreasury({ ...options, args: ['--rpc', proxy.url, '--ws', socket] });
  await treasury.client.post('/v1/sandbox/faucet', { amount: faucet });
  return {
    treasury,
    proxy,
    sandbox,
    async close() {
      await treasury.close();
      await proxy.close();
      await sandbox.close();
    },
  };
};

/** Cuts every request for the list of the mailbox. */
export const hidesMailbox = ({ owner }: Pick<Treasury, 'owner'>): Fault => {
  const mailbox = mailboxOf(owner);
  return ({ method, params }, forward) =>
    method === 'getSignaturesForAddress' && params[0] === mailbox ? null : forward();
};

export const isFrozen = ({ host }: Pick<Treasury, 'host'>): boolean =>
  host.engine.context.store.freeze.get() !== null;

export const freezeUrl = async ({ client }: Pick<Treasury, 'client'>): Promise<string> =>
  String((await client.get('/v1/phone-wallets')).body['freeze']);
