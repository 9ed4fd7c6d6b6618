// An RPC is a witness, not a judge: what one of two says releases no money and confirms no payment, and what one wrong
// answer did is undone by the next right one.
import { afterEach, describe, expect, it } from 'vitest';
import { foreignDebits, shortfalls } from '../../server/engine/domain/foreign-debits.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import { openFaultyTreasury, type FaultyTreasury } from '../harness/chain/faulty-treasury.ts';
import { withResult, type Fault, type RpcRequest } from '../harness/chain/rpc-proxy.ts';
import { steal } from '../harness/chain/steal.ts';
import { rpcCall, until } from '../harness/treasury.ts';

let treasury: FaultyTreasury;
afterEach(() => treasury.close());

const context = () => treasury.host.engine.context;
const spent = (): bigint => {
  const { open, final } = context().store.spend.at(treasury.agent.agentId, context().time.now());
  return open + final;
};
const stateOf = (id: string): string | undefined => context().store.transfers.get(id)?.state;
const outlive = (): Promise<unknown> => rpcCall(treasury.sandbox.rpcUrl, 'sandbox_warp', [400]);
const pay = (amount: string, key: string) => treasury.agent.pay(amount, { prefer: 'wait=1', key });
const idOf = ({ body }: { body: Record<string, unknown> }): string =>
  String(body['paymentId'] ?? (body['details'] as { paymentId?: unknown } | undefined)?.paymentId);

const receiptOf = (answer: { body: Record<string, unknown> }) =>
  context().store.transfers.get(idOf(answer))?.receipt;

const accepted = (request: RpcRequest) => ({ jsonrpc: '2.0', id: request.id, result: '1'.repeat(64) });
/** Every status is that of a transaction that the chain refused. */
const failures: Fault = ({ method }, forward) =>
  method === 'getSignatureStatuses'
    ? withResult(forward, (result) => ({
        ...result,
        value: result.value.map((status: object | null) =>
          status === null
            ? null
            : { ...status, err: { InstructionError: [0, 'Custom'] }, confirmationStatus: 'finalized' },
        ),
      }))
    : forward();
const failedToo: Fault = async (request, forward) =>
  request.method === 'getTransaction'
    ? withResult(forward, (result) =>
        result === null
          ? null
          : { ...result, meta: { ...result.meta, err: { InstructionError: [0, 'Custom'] } } },
      )
    : failures(request, forward);

/** Takes transactions, and sends none. */
const lost: Fault = (request, forward) =>
  request.method === 'sendTransaction' ? accepted(request) : forward();
/** Lists transactions, and shows none. */
const listedOnly: Fault = (request, forward) =>
  request.method === 'getTransaction' ? { jsonrpc: '2.0', id: request.id, result: null } : forward();
/** Knows no signature. */
const unknown: Fault = ({ method }, forward) =>
  method === 'getSignatureStatuses'
    ? withResult(forward, (result) => ({ ...result, value: result.value.map(() => null) }))
    : forward();
/** Shows no signature, no history, and balances as they were. */
const traceless: Fault = async (request, forward) => {
  if (request.method === 'getSignaturesForAddress') return withResult(forward, () => []);
  return unknown(request, forward);
};
/** Sends nothing, and gives every signature as finalized. */
const confirmed: Fault = (request, forward) =>
  request.method === 'getSignatureStatuses'
    ? withResult(forward, (result) => ({
        ...result,
        value: result.value.map(() => ({
          slot: result.context.slot - 1,
          err: null,
          confirmations: null,
          confirmationStatus: 'finalized',
        })),
      }))
    : lost(request, forward);
/** Ten times as much as came in. */
const larger: Parameters<typeof withResult>[1] = (transaction) => {
  if (transaction === null) return null;
  const grown = transaction.meta.postTokenBalances.map((balance: { uiTokenAmount: { amount: string } }) => {
    const earlier = transaction.meta.preTokenBalances.find(
      (one: object) =>
        'accountIndex' in one && 'accountIndex' in balance && one.accountIndex === balance.accountIndex,
    );
    const from = BigInt(earlier?.uiTokenAmount.amount ?? 0);
    const change = BigInt(balance.uiTokenAmount.amount) - from;
    return { ...balance, uiTokenAmount: { ...balance.uiTokenAmount, amount: String(from + 10n * change) } };
  });
  return { ...transaction, meta: { ...transaction.meta, postTokenBalances: grown } };
};
/** Spoils the next answer to a method. Resolves when that is done. */
const once = (method: string, spoil: Parameters<typeof withResult>[1]): Promise<void> =>
  new Promise((resolve) => {
    treasury.proxy.fault = (request, forward) => {
      if (request.method !== method) return forward();
      treasury.proxy.fault = null;
      resolve();
      return withResult(forward, spoil);
    };
  });

/** The debit of 2 USDC stops its wallet, and counts as spent. */
const expectFoundOut = async (): Promise<void> => {
  await until('the wallet to stop', async () => {
    await context().funds.refresh([treasury.agent.wallet]);
    return context().store.agents.get('faulty')?.status === 'suspended';
  });
  await until('the debit to count', async () => {
    await context().funds.compare();
    return spent() === 2_000_000n;
  });
  expect(clean(await audit(treasury.host))).toEqual(allWell);
};

describe('one of two RPCs that says that a payment failed', () => {
  it('releases nothing, and the truth ends it', async () => {
    treasury = await openFaultyTreasury({ silent: true, two: true });
    treasury.proxy.fault = failedToo;
    const answer = await pay('2', 'lied');
    expect(answer.status).toBe(202);
    const looks = () => treasury.proxy.seen.filter(({ method }) => method === 'getSignatureStatuses').length;
    const before = looks();
    await until('three more looks', () => looks() > before + 3);
    expect([stateOf(idOf(answer)), spent()]).toEqual(['sent', 2_000_000n]);
    treasury.proxy.fault = null;
    await until('the truth', () => stateOf(idOf(answer)) === 'final');
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });
});

describe('one RPC alone that says so', () => {
  it('is not believed as long as it shows the transaction as paid', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    treasury.proxy.fault = failures;
    const answer = await pay('2', 'half');
    await until('the doubt to be stated', () => stateOf(idOf(answer)) === 'unknown');
    expect(spent()).toBe(2_000_000n);
  });

  it('is found out by the debit: the wallet stops, the payment counts again, its key pays no second time', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    treasury.proxy.fault = failedToo;
    const answer = await pay('2', 'whole');
    await until('the failure', () => stateOf(idOf(answer)) === 'failed');
    treasury.proxy.fault = null;
    await expectFoundOut();
    expect((await pay('2', 'whole')).status).toBe(401);
  });
});

describe('one RPC alone that hides every trace of a payment until it has expired', () => {
  it('has the money released, and is found out by the debit once it shows it', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    treasury.proxy.fault = traceless;
    const answer = await pay('2', 'hidden');
    await outlive();
    await until('the false expiry', () => stateOf(idOf(answer)) === 'dead');
    expect(spent()).toBe(0n);
    treasury.proxy.fault = null;
    await expectFoundOut();
  });
});

describe('one RPC alone that confirms what was never sent', () => {
  it('gets a receipt for nothing, and the payment counts as spent', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    treasury.proxy.fault = confirmed;
    const answer = await pay('2', 'made up');
    expect(answer.status).toBe(200);
    expect(receiptOf(answer)).not.toBeNull();
    expect(spent()).toBe(2_000_000n);
  });
});

describe('one RPC alone that shows a deposit as larger than it was', () => {
  it('has it in the history; the balance is the chain’s', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store, settings } = context();
    const before = store.wallets.get(settings.owner)?.balance ?? 0n;
    treasury.proxy.fault = ({ method }, forward) =>
      method === 'getTransaction' ? withResult(forward, larger) : forward();
    await treasury.client.post('/v1/sandbox/faucet', { amount: '7' });
    await funds.compare();
    expect(store.deposits.list(null, 1)[0]?.amount).toBe(70_000_000n);
    expect(store.wallets.get(settings.owner)?.balance).toBe(before + 7_000_000n);
  });
});

describe('one of two RPCs that shortens the life of a blockhash', () => {
  it('gets no expiry proved of bytes that it keeps back and sends later', async () => {
    treasury = await openFaultyTreasury({ silent: true, two: true });
    const kept: RpcRequest[] = [];
    const lower = 140;
    const shortened: Fault = (request, forward) => {
      if (request.method === 'sendTransaction') {
        kept.push(request);
        return accepted(request);
      }
      if (request.method === 'getBlockHeight') return withResult(forward, (height) => height - lower);
      if (request.method === 'getEpochInfo')
        return withResult(forward, (epoch) => ({
          ...epoch,
          blockHeight: epoch.blockHeight - lower,
          absoluteSlot: epoch.absoluteSlot - lower,
        }));
      if (request.method === 'getLatestBlockhash')
        return withResult(forward, ({ context: at, value }) => ({
          context: at,
          value: { ...value, lastValidBlockHeight: value.lastValidBlockHeight - lower },
        }));
      return forward();
    };
    // The blockhash that was kept ready is too old for the next payment.
    await rpcCall(treasury.sandbox.rpcUrl, 'sandbox_warp', [400]);
    await until('the old blockhash to go', async () => (await context().chain.finalizedHeight()) > 0);
    treasury.proxy.fault = shortened;
    treasury.second.fault = (request, forward) =>
      request.method === 'sendTransaction' ? accepted(request) : forward();
    const answer = await pay('2', 'short');
    const row = context().store.transfers.get(idOf(answer));
    const height = Number(await rpcCall(treasury.sandbox.rpcUrl, 'getBlockHeight', []));
    // The honest RPC's own height bounds the lifetime.
    expect(row?.signed?.lifetime.lastValidHeight).toBeGreaterThanOrEqual(height + 100);
    await rpcCall(treasury.sandbox.rpcUrl, 'sandbox_warp', [60]);
    const [proof] = await context().chain.proveEnded(row === undefined ? [] : [row], {
      byName: () => true,
      move: () => true,
    });
    expect(proof).toMatchObject({ dead: false });
    treasury.proxy.fault = null;
    treasury.second.fault = null;
    for (const { params } of kept.slice(0, 1))
      await rpcCall(treasury.sandbox.rpcUrl, 'sendTransaction', params);
    await until('the truth', () => stateOf(idOf(answer)) === 'final');
    expect(spent()).toBe(2_000_000n);
  });
});

describe('one of two RPCs that confirms what never landed', () => {
  it('gets no receipt for it', async () => {
    treasury = await openFaultyTreasury({ silent: true, two: true });
    treasury.second.fault = lost;
    treasury.proxy.fault = confirmed;
    const answer = await pay('2', 'nothing');
    expect([answer.status, receiptOf(answer)]).toEqual([202, null]);
    treasury.proxy.fault = lost;
    await outlive();
    await until('its end', () => stateOf(idOf(answer)) === 'dead');
    expect(spent()).toBe(0n);
  });
});

describe('one wrong answer', () => {
  it('with a slot far ahead keeps no later balance out', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store, settings } = context();
    const lied = once('getMultipleAccounts', (result) => ({
      ...result,
      context: { ...result.context, slot: Number.MAX_SAFE_INTEGER },
    }));
    await Promise.allSettled([funds.refresh([settings.owner]), lied]);
    await treasury.client.post('/v1/sandbox/faucet', { amount: '50' });
    await funds.refresh([settings.owner]);
    expect(store.wallets.get(settings.owner)?.balance).toBe(140_000_000n);
  });

  it('whose slot its epoch confirms is forgotten at the next comparison', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store, settings, chain } = context();
    const far = (await chain.latestSlot()) + 1_000_000;
    store.atomically(() =>
      store.wallets.read(settings.owner, {
        balance: store.wallets.get(settings.owner)?.balance ?? (0n as never),
        slot: far,
        now: context().time.now(),
        mark: store.wallets.mark(),
      }),
    );
    await treasury.client.post('/v1/sandbox/faucet', { amount: '50' });
    await funds.compare();
    expect(store.wallets.get(settings.owner)).toMatchObject({ balance: 140_000_000n });
    expect(store.wallets.get(settings.owner)?.slot).toBeLessThan(far);
  });

  it('with a block time years ahead uses no budget up for years', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const lied = once('getBlockTime', (seconds: number) => seconds + 10 * 365 * 86_400);
    const answer = await treasury.agent.pay('1', { key: 'timed' });
    await lied;
    expect(answer.status).toBe(200);
    const row = context().store.transfers.get(idOf(answer));
    expect(row?.blockTime).toBeLessThanOrEqual(context().time.now() + 300_000);
  });

  it('that knows no signature drops no deposit that the history shows', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store } = context();
    const newest = () => store.deposits.list(null, 1)[0];
    treasury.proxy.fault = unknown;
    await treasury.client.post('/v1/sandbox/faucet', { amount: '7' });
    await outlive();
    await funds.scanDeposits();
    expect(newest()).toMatchObject({ amount: 7_000_000n, status: 'confirmed' });
    treasury.proxy.fault = null;
    await funds.scanDeposits();
    expect(newest()?.status).toBe('final');
  });

  it('about a theft leaves a mark, until the theft is found', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store } = context();
    const { agent, sandbox, host } = treasury;
    const signature = await steal(host, 1, 1_000_000n, sandbox.rpcUrl);
    treasury.proxy.fault = listedOnly;
    await funds.refresh([agent.wallet]);
    expect(shortfalls(store).get(agent.wallet)?.missing).toBe(1_000_000n);
    expect(foreignDebits(store)).toEqual([]);
    treasury.proxy.fault = null;
    await until('the theft to be found', () => store.agents.get('faulty')?.status === 'suspended');
    expect(foreignDebits(store).map((debit) => debit.signature)).toEqual([signature]);
    await until('the mark to go', () => shortfalls(store).size === 0);
  });

  it('with a lower balance stops nothing, once the next one is right', async () => {
    treasury = await openFaultyTreasury({ silent: true });
    const { funds, store } = context();
    const { agent } = treasury;
    const empty = Buffer.alloc(165).toString('base64');
    const lied = once('getMultipleAccounts', (result) => ({
      ...result,
      value: result.value.map(() => ({ data: [empty, 'base64'] })),
    }));
    await Promise.all([funds.refresh([agent.wallet]), lied]);
    expect(shortfalls(store).get(agent.wallet)?.missing).toBe(10_000_000n);
    await funds.compare();
    expect(shortfalls(store).size).toBe(0);
    expect((await treasury.agent.pay('1', { key: 'after' })).status).toBe(200);
  });
});
