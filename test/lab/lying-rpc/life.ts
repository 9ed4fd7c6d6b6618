// The life of a treasury whose RPC lies for a while: deposits, payments under a small budget, a withdrawal. The chain is
// the judge, once the lies have ended.
import { Keypair } from '@solana/web3.js';
import { txSignatureOf } from '../../../server/engine/payment/machine/tx-signature.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { createRpcProxy, type Fault, type Proxy } from '../../harness/chain/rpc-proxy.ts';
import { deploy, openTreasury, rpcCall, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import type { Lie } from './lies.ts';

export interface LifePlan {
  name: string;
  lies: readonly Lie[];
  /** One false answer, or all while the lies last. */
  isOnce: boolean;
  /** Two RPCs, of which the first lies; otherwise the only one lies. */
  hasSecond: boolean;
  /** Histories are read every 10 seconds. */
  liesLastMs: number;
}

export interface Verdict {
  name: string;
  lies: number;
  /** What was wrong, as sentences; empty: nothing. */
  faults: string[];
}

const price = 0.01;
const budget = 0.05;
const payments = 9;
/** Before the lies, under them, and after them. */
const deposits = ['100', '7', '3'] as const;
const settlesWithinMs = 45_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Liar {
  fault: Fault;
  told(): number;
  /** Ends the lies, and sends what was kept back. */
  end(): Promise<void>;
}

const createLiar = ({ lies, isOnce }: LifePlan): Liar => {
  const before = new Map<string, unknown>();
  const kept: (() => Promise<unknown>)[] = [];
  let count = 0;
  let isOver = false;
  return {
    async fault(request, forward) {
      const lie = lies.find(({ methods }) => methods.includes(request.method));
      if (isOver || lie === undefined || (isOnce && count >= lies.length)) return forward();
      count += 1;
      // Bytes that are to be kept back must not leave by asking for the truth.
      const isSend = request.method === 'sendTransaction';
      const isSent = isSend && lie.name.startsWith('sent,');
      const answer = (isSend && !isSent ? null : await forward()) as {
        result?: unknown;
        error?: unknown;
      } | null;
      if (answer?.error !== undefined && !isSend) return answer;
      const spoilt = lie.tell(answer?.result, {
        request,
        before: before.get(request.method),
        keep: (send) => void kept.push(send),
        forward,
      });
      before.set(request.method, answer?.result);
      if (spoilt === null || typeof spoilt === 'function') return spoilt;
      return { jsonrpc: '2.0', id: request.id, ...spoilt };
    },
    told: () => count,
    async end() {
      isOver = true;
      await Promise.allSettled(kept.splice(0).map((send) => send()));
    },
  };
};

interface Answered {
  key: string;
  status: number;
  id: string | undefined;
}

export interface Life {
  /** Begins the lies, and lives under them. */
  live(): Promise<void>;
  /** Ends the lies. */
  end(): Promise<void>;
  /** @param settled after this, everything that was open can be proved */
  judge(): Promise<Verdict>;
  close(): Promise<void>;
}

export const beginLife = async (plan: LifePlan, rpcUrl: string): Promise<Life> => {
  const proxies: Proxy[] = [await createRpcProxy(rpcUrl)];
  if (plan.hasSecond) proxies.push(await createRpcProxy(rpcUrl));
  const [first, second] = proxies;
  const args = ['--rpc', first?.url ?? '', '--ws', 'ws://127.0.0.1:9'];
  const treasury = await openTreasury({
    args: second === undefined ? args : [...args, '--second-rpc', second.url],
  });
  const { client, owner } = treasury;
  await rpcCall(rpcUrl, 'requestAirdrop', [owner, 10_000_000_000]);
  await client.post('/v1/sandbox/faucet', { amount: deposits[0] });
  const agent = await deploy(client, 'spender', {
    dailyBudget: `${budget}`,
    maxPerPayment: '0.02',
    allocate: '1',
  });
  const liar = createLiar(plan);
  const answers: Answered[] = [];

  const pay = async (key: string): Promise<void> => {
    const { status, body } = await agent.pay(`${price}`, { key, prefer: 'wait=1' });
    answers.push({ key, status, id: body['paymentId'] as string | undefined });
  };
  const payAll = () =>
    Promise.all(
      Array.from({ length: payments }, async (_, n) => {
        await pause((n * plan.liesLastMs) / 2 / payments);
        await Promise.all([pay(`key-${n}`), pay(`key-${n}`)]);
      }),
    );

  const moveMoney = async (): Promise<void> => {
    await rpcCall(rpcUrl, 'sandbox_fundUsdc', [owner, `${Number(deposits[1]) * 1_000_000}`]);
    const to = Keypair.generate().publicKey.toBase58();
    await client.post('/v1/treasury/withdraw', { asset: 'USDC', to, amount: '2' }, { key: 'out' });
    await client.post('/v1/agents/spender/recall', { amount: '0.1' }, { key: 'back' });
  };

  return {
    async live() {
      if (first !== undefined) first.fault = liar.fault;
      const over = pause(plan.liesLastMs);
      await Promise.allSettled([payAll(), moveMoney(), over]);
    },
    async end() {
      await liar.end();
      await rpcCall(rpcUrl, 'sandbox_fundUsdc', [owner, `${Number(deposits[2]) * 1_000_000}`]);
    },
    async judge() {
      const faults = await settled({ treasury, agent, answers });
      return { name: plan.name, lies: liar.told(), faults };
    },
    async close() {
      await treasury.close();
      for (const proxy of proxies) await proxy.close();
    },
  };
};

interface Lived {
  treasury: Treasury;
  agent: TestAgent;
  answers: readonly Answered[];
}

/** What is still wrong when nothing changes any more, or when the time is over. */
const settled = async (lived: Lived): Promise<string[]> => {
  const deadline = performance.now() + settlesWithinMs;
  for (;;) {
    const faults = await faultsOf(lived);
    if (faults.length === 0 || performance.now() > deadline) return faults;
    await pause(500);
  }
};

const faultsOf = async ({ treasury, agent, answers }: Lived): Promise<string[]> => {
  const { host, client, owner } = treasury;
  const { store, time } = host.engine.context;
  const faults: string[] = [];
  const found = clean(await audit(host));
  for (const [name, value] of Object.entries(found))
    if (JSON.stringify(value, bigints) !== JSON.stringify(allWell[name as keyof typeof allWell], bigints))
      faults.push(`audit, ${name}: ${JSON.stringify(value, bigints).slice(0, 200)}`);

  const rows = [...store.transfers.iterate({})];
  const paid = await outOf(host.rpcUrl, host.engine.context.chain.tokenAccount(agent.wallet), agent.wallet);
  const recalled = rows.filter(({ kind, state }) => kind === 'recall' && state === 'final');
  const spentOnChain = paid.total - recalled.reduce((sum, { amount }) => sum + amount, 0n);
  if (spentOnChain > BigInt(budget * 1_000_000))
    faults.push(`over the budget: ${spentOnChain} of ${budget * 1_000_000} left the wallet`);
  const { open, final } = store.spend.at(agent.agentId, time.now());
  if (open + final !== spentOnChain) faults.push(`spent today ${open + final}, on the chain ${spentOnChain}`);

  const tomorrow = store.spend.at(agent.agentId, time.now() + 26 * 3_600_000);
  if (tomorrow.final > 0n) faults.push(`${tomorrow.final} of today still counts in 26 hours`);

  for (const [key, own] of Map.groupBy(answers, (one) => one.key)) {
    // A request that was answered with 503 may come again under its key: nothing was signed for it.
    const ids = new Set(own.flatMap(({ id }) => id ?? []));
    const alive = [...ids].filter((id) => {
      const row = store.transfers.get(id);
      return row === undefined || row.state !== 'cancelled' || row.signed !== null;
    });
    if (alive.length > 1) faults.push(`${key} has ${alive.length} payments: ${alive.join(', ')}`);
  }
  for (const { key, status, id } of answers) {
    const row = id === undefined ? undefined : store.transfers.get(id);
    if (status === 200 && !paid.signatures.has((row === undefined ? null : txSignatureOf(row)) ?? ''))
      faults.push(`${key} has a receipt, and its payment is not on the chain`);
  }

  const list = (await client.get('/v1/treasury/deposits')).body['deposits'] as {
    amount: string;
    status: string;
    currency: string;
  }[];
  for (const amount of deposits)
    if (!list.some((one) => Number(one.amount) === Number(amount) && one.status === 'final'))
      faults.push(`the deposit of ${amount} is not final: ${JSON.stringify(list).slice(0, 200)}`);
  const strange = list.filter(
    (one) => one.currency === 'USDC' && !deposits.some((it) => Number(it) === Number(one.amount)),
  );
  if (strange.length > 0) faults.push(`deposits that never were: ${JSON.stringify(strange)}`);

  for (const address of [owner, agent.wallet]) {
    const shown = store.wallets.get(address)?.balance;
    const held = await balanceOf(host.rpcUrl, host.engine.context.chain.tokenAccount(address));
    if (shown !== held)
      faults.push(
        `the balance of ${address === owner ? 'the treasury' : 'the agent'} is shown as ${shown}, and is ${held}`,
      );
  }
  const status = store.agents.get(agent.agentId)?.status;
  if (status !== 'active') faults.push(`the agent is ${status}`);
  return faults;
};

const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? `${value}` : value);

const balanceOf = async (rpcUrl: string, account: string): Promise<bigint> => {
  const { value } = await rpcCall(rpcUrl, 'getTokenAccountBalance', [account]);
  return BigInt(value.amount);
};

/** What left a token account, by the chain: micro-USDC, and the signatures. */
const outOf = async (rpcUrl: string, account: string, wallet: string) => {
  const listed = (await rpcCall(rpcUrl, 'getSignaturesForAddress', [account])) as { signature: string }[];
  const signatures = new Set<string>();
  let total = 0n;
  for (const { signature } of listed) {
    const { meta } = await rpcCall(rpcUrl, 'getTransaction', [
      signature,
      { maxSupportedTransactionVersion: 0 },
    ]);
    const held = (balances: { owner: string; uiTokenAmount: { amount: string } }[]): bigint =>
      balances
        .filter((one) => one.owner === wallet)
        .reduce((sum, one) => sum + BigInt(one.uiTokenAmount.amount), 0n);
    const change = meta.err === null ? held(meta.postTokenBalances) - held(meta.preTokenBalances) : 0n;
    if (change >= 0n) continue;
    signatures.add(signature);
    total -= change;
  }
  return { total, signatures };
};
