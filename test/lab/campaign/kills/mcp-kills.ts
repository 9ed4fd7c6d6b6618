// Part of gate 2: the proxy, the MCP server behind it, or the treasury is killed at any moment of paid calls. The host
// repeats what it got no answer to, as an agent is told to, until everything is bought: each once.
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { usdcMints } from '../../../../server/contract/treasury/networks.ts';
import { rpcCall, until, type TestAgent } from '../../../harness/treasury.ts';
import { envOf } from '../../../mcp/bridge.ts';
import { initialize, openWire, proxied, type Line, type Wire } from '../../../mcp/proxy/wire.ts';
import type { Sheet } from '../gate.ts';
import { createWorld, deployIn, fund, settle, type World } from '../world.ts';

const victims = ['proxy', 'server', 'treasury', 'nobody'] as const;
type Victim = (typeof victims)[number];

const shop = fileURLToPath(new URL('../../../mcp/proxy/selling.mjs', import.meta.url));
const atOnce = 10;
/** A call without an answer for so long after its server or its proxy has gone hangs. */
const hangsAfterMs = 5_000;

interface Shopping {
  world: World;
  agent: TestAgent;
  command: string[];
  /** What was wrong, in words. */
  hanging: string[];
}

/** Sells for itself, so that a thousand calls take no longer than the treasury. */
const openShop = async (world: World): Promise<{ payTo: string; command: string[] }> => {
  const { rpcUrl } = world;
  const [feePayer, payee] = [Keypair.generate(), Keypair.generate().publicKey.toBase58()];
  await rpcCall(rpcUrl, 'requestAirdrop', [feePayer.publicKey.toBase58(), 100_000_000_000]);
  await rpcCall(rpcUrl, 'sandbox_fundUsdc', [payee, '0']);
  const secret = Buffer.from(feePayer.secretKey).toString('hex');
  const settings = { rpcUrl, payTo: payee, feePayer: secret, mint: usdcMints.sandbox };
  return { payTo: payee, command: [process.execPath, shop, JSON.stringify(settings)] };
};

const openProxy = async ({ world, agent, command }: Shopping): Promise<Wire> => {
  const { host } = await world.life();
  const where = envOf(agent, { owner: host.ready.owner, dataDir: world.dataDir });
  const wire = openWire(proxied('--name', 'shop', '--', ...command), { ...process.env, ...where });
  await initialize(wire);
  return wire;
};

const soldIn = (answer: Line): number | null => {
  const [, n] = /^sold (\d+)$/.exec(String(answer['result']?.content?.[0]?.text ?? '')) ?? [];
  return n === undefined ? null : Number(n);
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks for all of them at once, kills the victim, and returns those that were sold. */
const round = async (shopping: Shopping, wanted: readonly number[], victim: Victim, afterMs: number) => {
  const wire = await openProxy(shopping);
  const sold = new Set<number>();
  const asked = wanted.map(async (n) => {
    const answer = await wire.ask('tools/call', { name: 'buy', arguments: { n } });
    const got = soldIn(answer);
    if (got !== null) sold.add(got);
  });
  await pause(afterMs);
  if (victim === 'proxy') wire.kill();
  if (victim === 'server')
    wire.send({ jsonrpc: '2.0', id: 'die', method: 'tools/call', params: { name: 'die' } });
  if (victim === 'treasury') await shopping.world.kill();
  const all = Promise.all(asked);
  if (victim === 'proxy') await wire.exited;
  else if (victim === 'server') {
    const end = await Promise.race([all, pause(hangsAfterMs).then(() => 'late')]);
    if (end === 'late') shopping.hanging.push(`${wanted.length} calls after the server’s end`);
    const exited = await Promise.race([wire.exited, pause(hangsAfterMs).then(() => 'late')]);
    if (exited !== 3) shopping.hanging.push(`the proxy after the server’s end: ${String(exited)}`);
    wire.kill();
  } else {
    const end = await Promise.race([all, pause(12 * hangsAfterMs).then(() => 'late')]);
    if (end === 'late') shopping.hanging.push(`calls with ${victim} killed`);
    await wire.end();
  }
  return sold;
};

export const killedMcpProxies = async (sheet: Sheet): Promise<void> => {
  const { short, dice, stage, say, exactly, none, tell } = sheet;
  const count = short ? 80 : 1_000;
  const world = await createWorld(stage, { sandboxArgs: ['--confirm-ms', '40', '--finalize-ms', '200'] });
  const life = await world.life();
  await fund(life, '100');
  const { payTo, command } = await openShop(world);
  await life.client.post('/v1/mcp-servers', { name: 'shop', command });
  const agent = await deployIn(life, 'host', { dailyBudget: '50', maxPerPayment: '1', allocate: '50' });
  const shopping: Shopping = { world, agent, command, hanging: [] };
  const first = openProxy(shopping).then(async (wire) => {
    const answer = await wire.ask('tools/call', { name: 'buy', arguments: { n: 0 } });
    await wire.end();
    return soldIn(answer);
  });
  const pending = await until('the payee’s approval', async () => {
    const { approvals } = (await life.client.get('/v1/approvals?limit=5')).body as {
      approvals: { approvalId: string; hash: string; status: string }[];
    };
    return approvals.find(({ status }) => status === 'pending');
  });
  await life.client.post(`/v1/approvals/${pending.approvalId}/grant`, { hash: pending.hash });
  exactly('the first call, which the owner approved', (await first) ?? -1, 0);

  let left = Array.from({ length: count }, (_, at) => at + 1);
  const kills = new Map<Victim, number>();
  for (let tried = 0; left.length > 0 && tried < 3 * count; tried += 1) {
    // Calls that were cut off come again with the next ones.
    const wanted = left.slice(0, atOnce);
    const victim = victims[tried % victims.length] ?? 'nobody';
    const sold = await round(shopping, wanted, victim, Math.floor(dice.roll() * 350));
    kills.set(victim, (kills.get(victim) ?? 0) + 1);
    left = left.filter((n) => !sold.has(n));
    if (tried % 10 === 9) say(`${count - left.length} of ${count} bought`);
  }
  const { faults, rows } = await settle(world);
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final');
  // Each call has a price of its own.
  const bought = Map.groupBy(paid, ({ amount }) => amount);
  const often = [...bought].flatMap(([amount, them]) =>
    them.length === 1 ? [] : [`${amount}: ${them.length}`],
  );
  exactly('paid calls of an MCP server', count - left.length, count);
  none('of them paid twice', often);
  exactly('payments made', paid.length, count + 1);
  exactly('of them to another payee', paid.filter(({ payee }) => payee !== payTo).length, 0);
  none('calls that hang', shopping.hanging);
  none('differences between treasury and chain, after killed proxies', faults);
  for (const [victim, times] of kills) tell(`rounds in which ${victim} was killed`, times);
};
