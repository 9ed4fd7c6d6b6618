// Gate 6: a chain that drops, delays and does not answer, and one of two RPCs that lies.
import bs58 from 'bs58';
import {
  createRpcProxy,
  withResult,
  type Fault,
  type Proxy,
  type RpcRequest,
} from '../../../harness/chain/rpc-proxy.ts';
import { rpcCall, type TestAgent } from '../../../harness/treasury.ts';
import type { Dice } from '../../../harness/dice.ts';
import { between, createGate, inParallel, type Sheet } from '../gate.ts';
import { ahead, lies, type Lie } from './lies.ts';
import { createWorld, deployIn, fund, settle, type World } from '../world.ts';

const amount = '0.001';

/** The transaction's name on the chain: its first signature. */
const nameOf = (request: RpcRequest): string =>
  bs58.encode(Buffer.from(String(request.params[0]), 'base64').subarray(1, 65));
const accepted = (request: RpcRequest): unknown => ({
  jsonrpc: '2.0',
  id: request.id,
  result: nameOf(request),
});
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Fate = 'dropped once' | 'dropped for ever' | 'late' | 'answer lost' | 'honest';

/** 25 % are dropped, a fifth of them every time; 20 % are late; 30 % of the answers are lost. */
const fateOf = (dice: Dice): Fate => {
  const roll = dice.roll();
  if (roll < 0.2) return 'dropped once';
  if (roll < 0.25) return 'dropped for ever';
  if (roll < 0.45) return 'late';
  return roll < 0.75 ? 'answer lost' : 'honest';
};

const faultyChain = (dice: Dice, fates: Map<string, Fate>): Fault => {
  const sent = new Set<string>();
  return async (request, forward) => {
    if (request.method !== 'sendTransaction') return forward();
    const name = nameOf(request);
    const fate = fates.get(name) ?? fateOf(dice);
    fates.set(name, fate);
    const isFirst = !sent.has(name);
    sent.add(name);
    if (fate === 'dropped for ever' || (fate === 'dropped once' && isFirst))
      return dice.isLucky(0.5) ? accepted(request) : null;
    if (fate === 'late') {
      // The chain may have ended by then.
      later(between(dice, 300, 5_000))
        .then(forward)
        .catch(() => {});
      return accepted(request);
    }
    if (fate === 'answer lost') {
      await forward();
      return null;
    }
    return forward();
  };
};

interface Ask {
  agent: TestAgent;
  key: string;
}

const isOver = (status: number): boolean => status === 200 || status === 502;

const ask = async (world: World, { agent, key }: Ask, wait: number) => {
  const life = await world.life();
  const body = { service: 'sandbox-weather', amount, currency: 'USDC' };
  return life
    .as(agent.key)
    .post(`/v1/agents/${agent.agentId}/pay`, body, { key, prefer: `wait=${wait}` })
    .catch(() => null);
};

/** Asks again until the answer is final. */
const outcome = async (
  world: World,
  one: Ask,
  withinMs: number,
): Promise<{ status: number; text: string }> => {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask(world, one, 10);
    if (answer !== null && isOver(answer.status)) return answer;
    if (performance.now() > deadline)
      return { status: answer?.status ?? 0, text: answer?.text ?? 'no answer' };
    if (answer === null || answer.status !== 202) await later(20);
  }
};

const drops = async ({ dice, short, stage, say, exactly, none, tell }: Sheet): Promise<void> => {
  const size = short ? { payments: 150, kills: 1 } : { payments: 10_000, kills: 20 };
  let proxy: Proxy | undefined;
  const world = await createWorld(stage, {
    rpcArgs: async (chain) => {
      proxy = await stage.keep(createRpcProxy(chain), (it) => it.close());
      return ['--rpc', proxy.url];
    },
  });
  if (proxy === undefined) throw new Error('there is no proxy');
  await fund(await world.life(), '500');
  const agents: TestAgent[] = [];
  for (let n = 0; n < 8; n += 1)
    agents.push(
      await deployIn(await world.life(), `agent-${n}`, {
        dailyBudget: '1000',
        maxPerPayment: '1',
        allocate: '20',
      }),
    );
  const fates = new Map<string, Fate>();
  const truth = faultyChain(dice, fates);
  const { seen } = proxy;
  proxy.fault = (request, forward) => {
    seen.length = 0;
    return truth(request, forward);
  };
  const asks = Array.from({ length: size.payments }, (_, n): Ask => {
    const agent = agents[n % agents.length];
    if (agent === undefined) throw new Error('there is no agent');
    return { agent, key: `p-${n}` };
  });
  const first = new Map<string, string>();
  const every = Math.ceil(size.payments / (size.kills + 1));
  let begun = 0;
  let killed = 0;
  let disturbing: Promise<void> = Promise.resolve();
  await inParallel(48, asks, async (one) => {
    begun += 1;
    if (begun % every === 0 && killed < size.kills) {
      killed += 1;
      const isOdd = killed % 2 === 1;
      disturbing = disturbing.then(async () => {
        await world.kill();
        // Close to the last block in which transactions under way can land.
        if (isOdd) await rpcCall(world.rpcUrl, 'sandbox_warp', [between(dice, 140, 152)]);
        say(`killed ${killed} of ${size.kills}, ${begun} payments begun`);
      });
    }
    for (;;) {
      const answer = await ask(world, one, 0);
      if (answer === null || answer.status === 503) {
        await later(10);
        continue;
      }
      if (answer.status === 200) first.set(one.key, answer.text);
      return;
    }
  });
  await disturbing;
  // Dropped transactions can land until their blockhash has expired.
  await later(short ? 3_000 : 6_000);
  await rpcCall(world.rpcUrl, 'sandbox_warp', [400]);
  const open: string[] = [];
  const changed: string[] = [];
  let paid = 0;
  let dead = 0;
  await inParallel(96, asks, async (one) => {
    const { status, text } = await outcome(world, one, short ? 60_000 : 180_000);
    if (status === 200) paid += 1;
    else if (status === 502) dead += 1;
    else open.push(`${one.key}: ${status} ${text}`);
    const before = first.get(one.key);
    if (before !== undefined && before !== text) changed.push(`${one.key}: ${before} -> ${text}`);
  });
  proxy.fault = null;
  const { faults, rows } = await settle(world);
  const finals = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final').length;
  exactly('payments asked for', begun, size.payments);
  exactly('SIGKILLs of the host', killed, size.kills);
  none('payments without an end', open);
  none('answers that changed', changed);
  exactly('answered as paid, for each final row', paid, finals);
  exactly('answered one way or the other', paid + dead, size.payments);
  none('paid twice, lost, or released early', faults);
  const count = (fate: Fate): number => [...fates.values()].filter((one) => one === fate).length;
  tell('transactions dropped once', count('dropped once'));
  tell('transactions dropped for ever', count('dropped for ever'));
  tell('transactions that came late', count('late'));
  tell('answers lost', count('answer lost'));
  tell('payments that ended unpaid', dead);
};

/** The answers of an RPC that tells these lies, each consistently. */
const liar = (told: ReadonlySet<Lie>): Fault => {
  const shown = new Map<string, number>();
  return (request, forward) => {
    switch (request.method) {
      case 'getEpochInfo':
        return withResult(forward, (info) => {
          if (told.has('the slot as the height')) return { ...info, blockHeight: info.absoluteSlot + ahead };
          const shift = told.has('a height from the future')
            ? ahead
            : told.has('a height from the past')
              ? -30
              : 0;
          return { ...info, absoluteSlot: info.absoluteSlot + shift, blockHeight: info.blockHeight + shift };
        });
      case 'getBlockHeight':
        return withResult(forward, (height: number) => {
          if (told.has('the slot as the height') || told.has('a height from the future'))
            return height + ahead;
          return told.has('a height from the past') ? height - 30 : height;
        });
      case 'isBlockhashValid':
        // In its future every blockhash of today is dead.
        if (!told.has('a height from the future')) return forward();
        return {
          jsonrpc: '2.0',
          id: request.id,
          result: { context: { slot: request.params[1].minContextSlot }, value: false },
        };
      case 'getSignatureStatuses':
        return withResult(forward, (result) => ({
          context: {
            ...result.context,
            slot: result.context.slot + (told.has('a height from the future') ? ahead : 0),
          },
          value: result.value.map((status: { confirmationStatus: string } | null, index: number) => {
            if (told.has('no status')) return null;
            if (!told.has('a status that falls back') || status === null) return status;
            const name = String(request.params[0][index]);
            const times = (shown.get(name) ?? 0) + 1;
            shown.set(name, times);
            return times <= 2 ? { ...status, confirmationStatus: 'confirmed', confirmations: 1 } : null;
          }),
        }));
      case 'getSignaturesForAddress':
        // Even for a slot that the chain has not reached.
        return told.has('no history') ? { jsonrpc: '2.0', id: request.id, result: [] } : forward();
      case 'getFirstAvailableBlock':
        return told.has('blocks forgotten') ? withResult(forward, () => 10_000_000) : forward();
      default:
        return forward();
    }
  };
};

/** All lies about a false expiry, which a single RPC would be believed. */
const wholeStory: ReadonlySet<Lie> = new Set(['a height from the future', 'no status', 'no history']);

const lieOf = (dice: Dice): ReadonlySet<Lie> => {
  if (dice.isLucky(0.4)) return wholeStory;
  const told = lies.filter(() => dice.isLucky(0.4));
  return new Set(told.length === 0 ? [dice.pick(lies)] : told);
};

type Landing = 'lands' | 'lands late' | 'never lands';

/** Requests may be answered with lies; a sent transaction has one fate on the chain, whichever RPC it goes to. */
const withLandings = (
  landings: Map<string, Landing>,
  dice: Dice,
  late: { held: (() => void)[]; released: boolean },
  inner: () => Fault | null,
): Fault => {
  return async (request, forward) => {
    if (request.method !== 'sendTransaction') return inner()?.(request, forward) ?? forward();
    const name = nameOf(request);
    const known = landings.get(name);
    const landing =
      known ?? dice.pick(['lands', 'lands', 'lands late', 'lands late', 'never lands'] as const);
    landings.set(name, landing);
    if (landing === 'lands') return forward();
    if (landing === 'lands late') {
      if (late.released) return forward();
      if (known === undefined) late.held.push(() => void forward().catch(() => {}));
    }
    return accepted(request);
  };
};

const lying = async ({ dice, short, stage, say, exactly, none, tell }: Sheet): Promise<void> => {
  const size = short ? { rounds: 2, each: 20 } : { rounds: 40, each: 25 };
  const proxies: Proxy[] = [];
  const world = await createWorld(stage, {
    sandboxArgs: ['--confirm-ms', '0', '--finalize-ms', '1200'],
    rpcArgs: async (chain) => {
      for (let n = 0; n < 2; n += 1)
        proxies.push(await stage.keep(createRpcProxy(chain), (it) => it.close()));
      return ['--rpc', proxies[0]?.url ?? '', '--second-rpc', proxies[1]?.url ?? ''];
    },
  });
  const [main, second] = proxies;
  if (main === undefined || second === undefined) throw new Error('there are no proxies');
  await fund(await world.life(), '500');
  const agent = await deployIn(await world.life(), 'liar', {
    dailyBudget: '1000',
    maxPerPayment: '1',
    allocate: '50',
  });
  const landings = new Map<string, Landing>();
  const open: string[] = [];
  const stuck: Ask[] = [];
  let paid = 0;
  let dead = 0;
  let seeds = 0;
  let byMain = 0;
  for (let round = 0; round < size.rounds; round += 1) {
    const told = round === 0 ? wholeStory : lieOf(dice);
    const isMain = round % 2 === 0;
    byMain += isMain ? size.each : 0;
    const late = { held: [] as (() => void)[], released: false };
    // Nothing is signed at an impossible height: most liars begin when transactions are under way.
    let isLying = round > 0 && dice.isLucky(0.25);
    const lie = liar(told);
    main.fault = withLandings(landings, dice, late, () => (isLying && isMain ? lie : null));
    second.fault = withLandings(landings, dice, late, () => (isLying && !isMain ? lie : null));
    const asks = Array.from({ length: size.each }, (_, n): Ask => ({ agent, key: `seed-${round}-${n}` }));
    await Promise.all(asks.map((one) => ask(world, one, 0)));
    isLying = true;
    seeds += asks.length;
    // Long enough for proofs of expiry to be tried on transactions that can still land.
    await later(between(dice, 2_500, 3_500));
    if (dice.isLucky(0.5)) await rpcCall(world.rpcUrl, 'sandbox_warp', [between(dice, 100, 139)]);
    late.released = true;
    for (const send of late.held.splice(0)) send();
    await later(200);
    await rpcCall(world.rpcUrl, 'sandbox_warp', [400]);
    await later(2_300);
    isLying = false;
    await inParallel(size.each, asks, async (one) => {
      const { status } = await outcome(world, one, 5_000);
      if (status === 200) paid += 1;
      else if (status === 502) dead += 1;
      else stuck.push(one);
    });
    main.seen.length = 0;
    second.seen.length = 0;
    if (round % 10 === 9) say(`${seeds} seeds`);
  }
  main.fault = null;
  second.fault = null;
  // A transaction that was signed under a slot or a height from the future cannot be judged before the chain is there.
  await rpcCall(world.rpcUrl, 'sandbox_warp', [2 * ahead]);
  await inParallel(16, stuck, async (one) => {
    const { status, text } = await outcome(world, one, 60_000);
    if (status === 200) paid += 1;
    else if (status === 502) dead += 1;
    else open.push(`${one.key}: ${status} ${text}`);
  });
  const { faults, rows } = await settle(world);
  const finals = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final').length;
  const count = (landing: Landing): number => [...landings.values()].filter((one) => one === landing).length;
  exactly('seeds with one of two RPCs lying', seeds, size.rounds * size.each);
  none('payments without an end once the truth was told', open);
  exactly('answered as paid, for each final row, under lies', paid, finals);
  none('paid twice, lost, or released early, under lies', faults);
  tell('of them under a lying first RPC', byMain);
  tell('payments in doubt until the chain had passed what was told', stuck.length);
  tell('transactions that landed late', count('lands late'));
  tell('transactions that never landed', count('never lands'));
  tell('payments that ended unpaid, under lies', dead);
};

export const gate = createGate(6, 'a chain that loses, delays and lies', {
  'drops, delays, lost answers and kills': drops,
  'one of two RPCs lies': lying,
});
