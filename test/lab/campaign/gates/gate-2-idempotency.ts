// Gate 2: one key, one payment, through repeated and altered requests and kills.
import { deploy, openTreasury } from '../../../harness/treasury.ts';
import { createGate, inParallel, shuffled, type Sheet } from '../gate.ts';
import { killedBridges } from '../kills/bridge-kills.ts';
import { killedMcpProxies } from '../kills/mcp-kills.ts';
import { ask, buy, newPurchase, planKills } from '../kills/persistent-buyer.ts';
import { killedProxies } from '../kills/proxy-kills.ts';
import { createWorld, deployIn, fund, onChain, settle, sockets } from '../world.ts';

const price = '0.01';
const priceUnits = 10_000n;
const allocated = 50_000_000n;

const duplicates = async (sheet: Sheet): Promise<void> => {
  const { dice, short, stage, exactly, none, tell } = sheet;
  const size = short ? { keys: 40, times: 25, kills: 3 } : { keys: 100, times: 100, kills: 20 };
  const world = await createWorld(stage, { sandboxArgs: ['--confirm-ms', '40', '--finalize-ms', '400'] });
  await fund(await world.life(), '1000');
  const agent = await deployIn(await world.life(), 'buyer', {
    dailyBudget: '1000',
    maxPerPayment: '1',
    allocate: '50',
  });
  const purchases = Array.from({ length: size.keys }, (_, n) => newPurchase(`once-${n}`));
  // New keys keep coming until the end, so that every kill meets payments under way.
  const total = size.keys * size.times;
  const order = purchases
    .flatMap((purchase, n) =>
      Array.from({ length: size.times }, () => ({
        purchase,
        at: n * size.times + dice.roll() * total * 0.1,
      })),
    )
    .toSorted((a, b) => a.at - b.at);
  const kills = planKills(sheet, world, { requests: total, kills: size.kills });
  await inParallel(sockets, order, async ({ purchase }) => {
    kills.count();
    await buy(world, agent, purchase);
  });
  const killed = await kills.done();
  // Once more at the end: an answer stays for ever.
  const last = await world.life();
  const wrong: string[] = [];
  for (const { told } of purchases)
    for (const [key, texts] of told) {
      const again = await ask(last, agent, key);
      texts.add(again.text);
      if (texts.size !== 1) wrong.push(`${key}: ${[...texts].join(' | ').slice(0, 400)}`);
    }
  const { faults, rows } = await settle(world);
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final');
  const chain = await onChain(world.rpcUrl, agent.wallet);
  exactly('requests under duplicate keys', kills.begun(), total);
  exactly('SIGKILLs of the host', killed, size.kills);
  exactly('payments made', paid.length, size.keys);
  // The allocation is one more.
  exactly('transactions on the chain', chain.transactions - 1, size.keys);
  exactly('micro-USDC that left', Number(allocated - chain.units), Number(priceUnits) * size.keys);
  none('keys answered in two ways', wrong);
  none('differences between treasury and chain', faults);
  tell(
    'keys burnt by a crash before signing',
    purchases.reduce((sum, { burnt }) => sum + burnt, 0),
  );
};

const mismatches = async ({ dice, short, stage, exactly, none }: Sheet): Promise<void> => {
  const count = short ? 200 : 1_000;
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '100');
  const agent = await deployIn(life, 'buyer', { dailyBudget: '1000', maxPerPayment: '5', allocate: '50' });
  const keys = Array.from({ length: 50 }, (_, n) => `known-${n}`);
  await inParallel(16, keys, async (key) => {
    const { status, text } = await ask(life, agent, key);
    if (status !== 200) throw new Error(text);
  });
  const before = await onChain(world.rpcUrl, agent.wallet);
  const changes: readonly [(n: number) => object, ...((n: number) => object)[]] = [
    (n) => ({ amount: `0.01${(n % 9) + 1}` }),
    (n) => ({ description: `another ${n}` }),
    (n) => ({ invoice: `inv-${n}` }),
    () => ({ amount: '0.02', description: 'both' }),
  ];
  const jobs = shuffled(
    dice,
    Array.from({ length: count }, (_, n) => ({ n, key: keys[n % keys.length] ?? '' })),
  );
  const wrong: string[] = [];
  let conflicts = 0;
  await inParallel(sockets, jobs, async ({ n, key }) => {
    // Every tenth goes to another route of the same agent.
    const answer =
      n % 10 === 9
        ? await life.client.post(`/v1/agents/${agent.agentId}/recall`, { amount: '0.01' }, { key })
        : await ask(life, agent, key, dice.pick(changes)(n));
    if (answer.status === 409 && answer.body['code'] === 'idempotency_conflict') conflicts += 1;
    else wrong.push(`${key}: ${answer.status} ${answer.text}`);
  });
  const after = await onChain(world.rpcUrl, agent.wallet);
  const { faults, rows } = await settle(world);
  exactly('mismatching replays answered 409', conflicts, count);
  none('mismatching replays answered otherwise', wrong);
  exactly(
    'rows that they made',
    rows.filter(({ kind }) => kind === 'payment' || kind === 'recall').length - keys.length,
    0,
  );
  exactly('transactions that they made', after.transactions - before.transactions, 0);
  none('differences between treasury and chain, after mismatches', faults);
};

const day = 86_400_000;

/** A key never expires: its answer stays the same, and nothing is paid for it again. */
const oldKeys = async ({ short, stage, exactly, none }: Sheet): Promise<void> => {
  const count = short ? 20 : 200;
  let wall = Date.now();
  let up = 0;
  const clock = { wall: () => wall, monotonic: () => up };
  const treasury = await stage.keep(openTreasury({ clock }), (it) => it.close());
  await treasury.client.post('/v1/sandbox/faucet', { amount: '100' });
  const agent = await deploy(treasury.client, 'buyer', { dailyBudget: '50', allocate: '20' });
  const keys = Array.from({ length: count }, (_, n) => `old-${n}`);
  const first = new Map<string, string>();
  for (const key of keys) first.set(key, (await agent.pay(price, { key })).text);
  wall += 400 * day;
  up += 400 * day;
  await agent.pay(price, { key: 'new' });
  const changed: string[] = [];
  for (const key of keys) {
    const { text } = await agent.pay(price, { key });
    if (text !== first.get(key)) changed.push(`${key}: ${first.get(key)} -> ${text}`);
  }
  const paid = [...treasury.host.engine.context.store.transfers.iterate({ kinds: ['payment'] })];
  none('keys that 400 days made another answer of', changed);
  exactly('payments made for them and one new key', paid.length, count + 1);
};

export const gate = createGate(2, 'one key is one payment, whatever is repeated or killed', {
  'duplicate keys under SIGKILL': duplicates,
  'mismatching replays': mismatches,
  'keys after 400 days': oldKeys,
  'bridges that are killed': killedBridges,
  'MCP proxies that are killed': killedMcpProxies,
  'hosts that are killed below the proxy': killedProxies,
});
