// A host starts with a thousand payments whose outcome is unknown: it answers as soon as an empty one would, and proves
// their expiry together, each on evidence that is as fresh as it has to be.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import {
  createRpcProxy,
  withResult,
  type Fault,
  type Proxy,
  type RpcRequest,
} from '../harness/chain/rpc-proxy.ts';
import { useFolders } from '../harness/folders.ts';
import {
  deploy,
  openTreasury,
  rpcCall,
  openSandbox,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

const folder = useFolders();
let sandbox: TestSandbox;
let [first, second]: Proxy[] = [];
const proxies = (): [Proxy, Proxy] => {
  if (first === undefined || second === undefined) throw new Error('not begun');
  return [first, second];
};
beforeAll(async () => {
  sandbox = await openSandbox();
  first = await createRpcProxy(sandbox.rpcUrl);
  second = await createRpcProxy(sandbox.rpcUrl);
});
afterAll(async () => {
  for (const proxy of proxies()) await proxy.close();
  await sandbox.close();
});

/** No websocket, so that the host learns from its own requests alone. */
const open = (dataDir: string, isDoubted = false): Promise<Treasury> => {
  const [one, two] = proxies();
  const args = ['--rpc', one.url, '--ws', 'ws://127.0.0.1:9'];
  return openTreasury({ dataDir, args: isDoubted ? [...args, '--second-rpc', two.url] : args });
};
/** The first request of a pass of proofs. */
const begins = ({ method, params }: RpcRequest): boolean =>
  method === 'getEpochInfo' && params[0].commitment === 'finalized';
/** Nothing lands, and nothing is proven dead meanwhile, however long it takes. */
const leavesUndecided: Fault = (request, forward) =>
  request.method === 'sendTransaction' || begins(request) ? null : forward();
const outlive = (): Promise<unknown> => rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
const statesOf = ({ host }: Treasury): Record<string, number> =>
  host.engine.context.store.transfers.countByState();
const openRows = ({ host }: Treasury) => host.engine.context.store.transfers.open();

/** A closed treasury with so many agents, each with so many payments that never landed. */
const liveInVain = async (dataDir: string, agents: number, times: number): Promise<void> => {
  const treasury = await open(dataDir);
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  const made = [];
  for (let n = 0; n < agents; n += 1)
    made.push(await deploy(treasury.client, `agent-${n}`, { dailyBudget: '5', allocate: '5' }));
  // The transactions that landed in between are in the history that every proof has to read.
  for (const agent of made) expect((await agent.pay('0.01')).status).toBe(200);
  proxies()[0].fault = leavesUndecided;
  await Promise.all(
    made.map(async (agent) => {
      for (let n = 0; n < times; n += 1)
        expect((await agent.pay('0.001', { prefer: 'wait=0' })).status).toBe(202);
    }),
  );
  await treasury.close();
  proxies()[0].fault = null;
};

/**
 * Counts the requests to the RPC until a start is ready; payments that were signed and perhaps not sent are sent, too.
 */
const counted = async (dataDir: string): Promise<{ treasury: Treasury; questions: number }> => {
  const { seen } = proxies()[0];
  const before = seen.length;
  const treasury = await open(dataDir);
  const asked = seen.slice(before).filter(({ method }) => method !== 'sendTransaction');
  return { treasury, questions: asked.length };
};

/** More than the 256 signatures of one look-up. */
const undecided = tries(300, 1_000);

describe(`a start with ${undecided} undecided payments`, () => {
  it('makes hardly more requests than an empty one before it is ready, and then proves all of them together', async () => {
    const [empty, full] = [folder(), folder()];
    await (await open(empty)).close();
    await liveInVain(full, 5, undecided / 5);
    await outlive();
    const bare = await counted(empty);
    await bare.treasury.close();
    // Nothing is proven yet: a start that waited for the proofs would have made more requests.
    const histories = Promise.withResolvers<void>();
    proxies()[0].fault = (request, forward) =>
      request.method === 'getSignaturesForAddress' ? histories.promise.then(forward) : forward();
    const { treasury, questions } = await counted(full);
    expect(openRows(treasury)).toHaveLength(undecided);
    // Their signatures, 256 at a time, and the height.
    expect(questions - bare.questions).toBeLessThan(20);
    const { host, client } = treasury;
    const before = proxies()[0].seen.length;
    histories.resolve();
    proxies()[0].fault = null;
    await until('the proofs', () => openRows(treasury).length === 0, 60_000);
    expect(statesOf(treasury)).toMatchObject({ dead: undecided });
    // Five histories a pass, not one for each payment.
    const asked = proxies()[0]
      .seen.slice(before)
      .filter(({ method }) => method === 'getSignaturesForAddress');
    expect(asked.length).toBeLessThan(50);
    expect(host.engine.context.store.spend.at('agent-0', Date.now()).open).toBe(0n);
    expect((await client.get('/v1/dashboard')).status).toBe(200);
    expect(clean(await audit(host))).toEqual(allWell);
    await treasury.close();
  });
});

/** The requests of the last pass of proofs: from the finalized height on. */
const lastPass = (seen: readonly RpcRequest[]): RpcRequest[] => seen.slice(seen.findLastIndex(begins));

describe('shared evidence', () => {
  it('is read at or past the finalized height, separately from each of two RPCs', async () => {
    const dataDir = folder();
    await liveInVain(dataDir, 2, 3);
    await outlive();
    const answered = new Map<Proxy, number>();
    for (const proxy of proxies())
      proxy.fault = (request, forward) =>
        request.method === 'getEpochInfo' && request.params[0].commitment === 'finalized'
          ? withResult(forward, (epoch) => {
              answered.set(proxy, epoch.absoluteSlot);
              return epoch;
            })
          : forward();
    const begun = proxies().map((proxy) => proxy.seen.length);
    const treasury = await open(dataDir, true);
    await until('the proofs', () => openRows(treasury).length === 0);
    for (const [n, proxy] of proxies().entries()) {
      const pass = lastPass(proxy.seen.slice(begun[n]));
      const histories = pass.filter(({ method }) => method === 'getSignaturesForAddress');
      expect(histories).toHaveLength(2);
      for (const { params } of histories)
        expect(params[1]).toMatchObject({
          commitment: 'finalized',
          minContextSlot: answered.get(proxy),
        });
      const names = pass.filter(({ method }) => method === 'getSignatureStatuses');
      expect(names[0]?.params[0]).toHaveLength(6);
      expect(names[0]?.params[1]).toEqual({ searchTransactionHistory: true });
    }
    await treasury.close();
  });

  it('is no proof when the second RPC shows another history, or looks signatures up behind its height', async () => {
    const dataDir = folder();
    await liveInVain(dataDir, 2, 2);
    await outlive();
    const [one, two] = proxies();
    one.fault = null;
    const lies: Fault[] = [
      (request, forward) => (request.method === 'getSignaturesForAddress' ? null : forward()),
      (request, forward) =>
        request.method === 'getSignatureStatuses'
          ? withResult(forward, (result) => ({ ...result, context: { slot: 1 } }))
          : forward(),
      (request, forward) =>
        request.method === 'getFirstAvailableBlock' ? withResult(forward, () => 100_000_000) : forward(),
      // The statuses of other signatures than the requested ones.
      (request, forward) =>
        request.method === 'getSignatureStatuses'
          ? withResult(forward, (result) => ({ ...result, value: result.value.slice(1) }))
          : forward(),
    ];
    for (const lie of lies) {
      two.fault = lie;
      const treasury = await open(dataDir, true);
      await until('a proof that failed', () =>
        openRows(treasury).every(({ state, evidence }) => state === 'unknown' && evidence !== null),
      );
      // The second pass from here begins once the first has concluded.
      const asked = two.seen.length;
      await until('two passes', () => two.seen.slice(asked).filter(begins).length > 1);
      expect(openRows(treasury)).toHaveLength(4);
      await treasury.close();
    }
    two.fault = null;
    const treasury = await open(dataDir, true);
    await until('the proofs', () => openRows(treasury).length === 0);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
    await treasury.close();
  });

  it('of a wallet that cannot be read leaves the other wallets’ payments provable', async () => {
    const dataDir = folder();
    await liveInVain(dataDir, 2, 2);
    await outlive();
    let hidden: string | null = null;
    proxies()[0].fault = (request, forward) => {
      if (request.method !== 'getSignaturesForAddress' || request.params[1].commitment !== 'finalized')
        return forward();
      hidden ??= String(request.params[0]);
      return request.params[0] === hidden ? null : forward();
    };
    const treasury = await open(dataDir);
    await until('the other wallet’s proofs', () => openRows(treasury).length === 2);
    expect(new Set(openRows(treasury).map(({ wallet }) => wallet)).size).toBe(1);
    proxies()[0].fault = null;
    await until('the proofs', () => openRows(treasury).length === 0);
    await treasury.close();
  });
});
