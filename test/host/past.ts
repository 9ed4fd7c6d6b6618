// A first treasury with a past, on the sandbox, and the facts that a second one, restored from its phrase, has to know.
import { Keypair } from '@solana/web3.js';
import { expect } from 'vitest';
import type { MachineClock } from '../../server/engine/ports.ts';
import type { Host } from '../../server/host/options.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { deploy, removeFolder, temporaryFolder, until } from '../harness/treasury.ts';
import { openInside, type Mainnet } from './support.ts';

export interface Known {
  /** By wallet: its balance, and its spending in the window. */
  wallets: Record<string, { balance: string; spent: string }>;
  deposits: { txSignature: string; amount: string; from: string }[];
  /** Every transfer of the last 24 hours, by signature. */
  moved: Record<string, string>;
}

export const knownBy = ({ engine, owner }: Host): Known => {
  const { store, time } = engine.context;
  const wallets = store.wallets.list().map(({ address, balance, agentId }) => {
    const { open, final } = agentId === null ? { open: 0n, final: 0n } : store.spend.at(agentId, time.now());
    return [address, { balance: String(balance), spent: String(open + final) }] as const;
  });
  const recent = [
    ...store.transfers.iterate(store.transfers.between({ from: time.now() - 86_400_000 })),
  ].filter(({ asset, state }) => asset === 'USDC' && state === 'final');
  const deposits = store.deposits
    .list(null, 100)
    .filter(({ wallet, asset }) => wallet === owner && asset === 'USDC');
  return {
    // A wallet that was never used cannot be found.
    wallets: Object.fromEntries(wallets.filter(([, { balance, spent }]) => balance !== '0' || spent !== '0')),
    deposits: deposits.map(({ txSignature, amount, from }) => ({
      txSignature,
      amount: String(amount),
      from,
    })),
    moved: Object.fromEntries(
      recent.map((row) => [
        row.signed?.signature ?? '',
        `${row.kind} ${row.amount} ${row.wallet} ${row.payee}`,
      ]),
    ),
  };
};

export interface Past {
  phrase: string;
  owner: string;
  known: Known;
  /** The wallets of the agents that were given money, by index. */
  wallets: Record<number, string>;
}

const settled = ({ engine }: Host): Promise<unknown> =>
  until('all to be final', async () => {
    await engine.context.funds.scanDeposits();
    const { transfers, deposits } = engine.context.store;
    return transfers.open().length === 0 && deposits.unsettled().length === 0;
  });

/** Wallet indexes that are never used, in a row: more than a search of the chain crosses. */
const idle = 21;

/**
 * Three agents with money, the last one behind a long row without, and one in between without; payments, a recall and a
 * withdrawal. `between` lets days pass.
 */
export const livePast = async (
  { sandboxArgs, fund }: Mainnet,
  { clock, between }: { clock?: MachineClock; between?: () => Promise<void> } = {},
): Promise<Past> => {
  const dataDir = temporaryFolder();
  const { host, client, close } = await openInside(
    dataDir,
    sandboxArgs,
    clock === undefined ? {} : { clock },
  );
  await fund(host.owner, 100_000_000n, 1_000_000_000n);
  await fund(host.owner, 5_000_001n);
  const one = await deploy(client, 'one', { allocate: '10' });
  await deploy(client, 'two', { allocate: null });
  const three = await deploy(client, 'three', { allocate: '20' });
  for (let n = 0; n < idle; n += 1) await deploy(client, `idle-${n}`, { allocate: null });
  const last = await deploy(client, 'last', { allocate: '3' });
  const did = async (what: ReturnType<typeof client.post>): Promise<void> => {
    const { status, text } = await what;
    expect(status, text).toBe(200);
  };
  const act = async (): Promise<void> => {
    for (let n = 0; n < 3; n += 1) await did(one.pay('0.25'));
    await did(three.pay('0.1'));
    await did(three.pay('0.000001'));
    await did(client.post('/v1/agents/three/recall', { amount: '1.5' }));
    const to = Keypair.generate().publicKey.toBase58();
    await did(client.post('/v1/treasury/withdraw', { asset: 'USDC', to, amount: '2' }, { key: to }));
  };
  await act();
  if (between !== undefined) {
    await settled(host);
    await between();
    // Drops the blockhash that was kept ready, which has expired.
    await host.engine.context.chain.finalizedHeight();
    await act();
  }
  await settled(host);
  await host.engine.context.funds.refresh(
    host.engine.context.store.wallets.list().map(({ address }) => address),
  );
  const past = {
    phrase: await host.vault.exportPhrase(),
    owner: host.owner,
    known: knownBy(host),
    wallets: { 1: one.wallet, 3: three.wallet, [4 + idle]: last.wallet },
  };
  expect(clean(await audit(host))).toEqual(allWell);
  await close();
  removeFolder(dataDir);
  return past;
};
