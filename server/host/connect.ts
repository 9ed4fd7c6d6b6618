// The second stage of a start: the chain, the port, and the way to sellers.
import { join } from 'node:path';
import { usdcMints } from '../contract/treasury/networks.ts';
import type { Sellers } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import { createPublicAddress, ownOriginsOf, type PublicAddress } from '../http/public-address.ts';
import { listen, type HttpServer } from '../http/server.ts';
import type { RuntimeChoice } from '../sandbox/chain/load-runtime.ts';
import type { OwnOrigins } from '../lib/net/public-url.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { createChain, type SolanaChain } from '../solana/chain.ts';
import { createFaucet, type Faucet } from '../solana/faucet.ts';
import { createOutbound, type Outbound } from '../x402/outbound.ts';
import { createSellers } from '../x402/sellers.ts';
import { checkGenesis, unreachedAtFirst } from './genesis.ts';
import { checkSoon, createGate, type HostGate } from './wait-for-network.ts';
import type { Closers, HostOptions } from './options.ts';
import type { Opened } from './open.ts';

export interface Connected {
  rpcUrl: string;
  chain: SolanaChain;
  gate: HostGate;
  /** Checks that the chain is this treasury's own, and notes it at the gate. @throws AppError `conflict`, `chain_unreachable` */
  checkChain(): Promise<void>;
  /** What runs the chain inside this process; null where it is another's. */
  runtime: RuntimeChoice | null;
  faucet: Faucet;
  /** It answers nothing until its routes are mounted. */
  http: HttpServer;
  publicAddress: PublicAddress;
  /** Of this host, at this moment. */
  ownOrigins: OwnOrigins;
  outbound: Outbound;
  sellers: Sellers;
}

/** @throws AppError `conflict` for a foreign chain or a port in use, `chain_unreachable` */
export const connect = async (
  { config, log }: HostOptions,
  { folder, store, owner }: Opened,
  closers: Closers,
): Promise<Connected> => {
  const { network } = config;
  const ownChain = { ...config.sandbox, dataDir: join(folder, 'chain'), port: 0, log };
  const sandbox = config.rpcUrl === null ? await createSandbox(ownChain) : null;
  if (sandbox !== null) closers.push(['the sandbox', sandbox.close]);
  const rpcUrl = sandbox?.rpcUrl ?? config.rpcUrl;
  const wsUrl = sandbox?.wsUrl ?? config.wsUrl;
  invariant(rpcUrl !== null && wsUrl !== null, 'there is a chain to talk to');
  const { host } = new URL(rpcUrl);
  const gate = createGate(host, () => chain.rpcs()[0]?.why ?? null);
  const chain: SolanaChain = createChain({
    rpcUrl,
    wsUrl,
    ...(config.secondRpcUrl === null ? {} : { secondRpcUrl: config.secondRpcUrl }),
    mint: usdcMints[network],
    treasury: owner,
    genesis: store.meta.get('genesis') ?? null,
    maxComputeUnitPrice: network === 'mainnet' ? 1_000_000n : 0n,
    log,
    gate,
  });
  closers.push(['the chain', chain.close]);
  const checkChain = async (): Promise<void> => {
    await checkGenesis(chain, store, { network, host });
    gate.checked();
  };
  // Only the chain itself can say which one a new sandbox belongs to.
  if (store.meta.get('genesis') === undefined)
    await checkChain().catch((error: unknown) => {
      throw unreachedAtFirst(error, host, gate.wait()?.why);
    });
  else await checkSoon(checkChain, gate);
  store.atomically(() => store.wallets.add({ address: owner, index: 0, agentId: null }));
  const faucet = createFaucet(rpcUrl);
  closers.push(['the faucet', faucet.close]);

  const publicAddress = createPublicAddress({ given: config.publicUrl, store, log });
  const http = await listen({ port: config.port, publicUrl: publicAddress.url, log });
  closers.push(['the port', http.close]);
  const ownOrigins = ownOriginsOf(http.url, publicAddress);
  const outbound = createOutbound({ allowOrigins: config.allowOrigins, ownOrigins });
  closers.push(['the way to sellers', outbound.close]);
  const sellers = createSellers({ network, mint: chain.mint, outbound });
  return {
    rpcUrl,
    chain,
    gate,
    checkChain,
    runtime: sandbox?.runtime ?? null,
    faucet,
    http,
    publicAddress,
    ownOrigins,
    outbound,
    sellers,
  };
};
