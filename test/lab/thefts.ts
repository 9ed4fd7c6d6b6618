// `npm run thefts`: how long it takes from a theft by somebody else's copy of a key to the notice that its owner gets. One
// treasury on the independent chain, as network mainnet; a thief takes from its agents' wallets and from its own; the owner
// has a webhook. It is measured with a healthy RPC, and with one that fails every tenth request.
//   --agents N    thefts from agents (40)
//   --treasury N  thefts from the treasury's own wallet (8)
//   --failing S   one share of failed requests instead of 0 and 0.1
//   --log         prints what the treasury logged
// It fails when the 95th percentile is above 30 s, or a theft is never noticed.
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLog } from '../../server/log.ts';
import { vaultOf } from '../../server/vault/of-network.ts';
import type { Vault } from '../../server/vault/vault.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import {
  createThief,
  openIndependentChain,
  type IndependentChain,
  type Thief,
} from '../harness/chain/independent-chain.ts';
import {
  deploy,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
} from '../harness/treasury.ts';
import { bodyOf, newSecret, openEndpoint, type Endpoint } from '../notices/endpoint.ts';

const most = { p95: 30_000, wait: 180_000 };
const passphrase = 'a passphrase of the thefts';
const units = 100_000n;

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '40' },
    treasury: { type: 'string', default: '8' },
    failing: { type: 'string' },
    log: { type: 'boolean', default: false },
  },
});
const agentIds = Array.from({ length: Number(values.agents) }, (_, index) => `agent-${index + 1}`);
const shares = values.failing === undefined ? [0, 0.1] : [Number(values.failing)];

interface Scene {
  chain: IndependentChain;
  treasury: Process;
  vault: Vault;
  thief: Thief;
  endpoint: Endpoint;
}

const openScene = async (dataDir: string, chain: IndependentChain): Promise<Scene> => {
  const args = ['--network', 'mainnet', '--rpc', chain.rpcUrl, '--owner-cookie', '--log-level', 'warn'];
  const env = { TREASURY_PASSPHRASE: passphrase, DBUS_SESSION_BUS_ADDRESS: '' };
  const treasury = await spawnTreasury(dataDir, args, env);
  const { client, ready } = treasury;
  await chain.give(ready.owner, { lamports: 1_000_000_000, units: 1_000_000_000n });
  await until('the deposit', async () => {
    const { body } = await client.get('/v1/dashboard');
    return body['treasury'].amount === '1000000000';
  });
  const endpoint = await openEndpoint();
  const place = { kind: 'webhook', url: endpoint.url, allowPrivate: true, secret: newSecret() };
  const added = await client.post('/v1/notices/channels', place);
  if (added.status !== 200) throw new Error(added.text);
  // A few at once: each is a transfer that has to be confirmed.
  for (let from = 0; from < agentIds.length; from += 8)
    await Promise.all(
      agentIds.slice(from, from + 8).map((agentId) => deploy(client, agentId, { allocate: '1.00' })),
    );
  const vault = vaultOf({ dataDir, network: 'mainnet' }, createLog('silent'));
  await vault.unlock(passphrase);
  return { chain, treasury, vault, thief: await createThief(chain), endpoint };
};

const closeScene = async ({ treasury, endpoint, vault }: Scene): Promise<void> => {
  vault.lock();
  await treasury.kill('SIGTERM');
  await endpoint.close();
};

/** Milliseconds until `isKnown`; null: never. */
const timeUntil = async (isKnown: () => boolean): Promise<number | null> => {
  const begun = performance.now();
  while (!isKnown()) {
    if (performance.now() - begun > most.wait) return null;
    await wait(20);
  }
  return performance.now() - begun;
};

const noticesOf = ({ endpoint }: Scene, agentId: string | null): number =>
  endpoint.received
    .map(bodyOf)
    .filter(({ type, data }) => type === 'treasury.unexplained_debit' && data.agentId === agentId).length;

/** At random moments: what the treasury reads, it reads every few seconds. */
const stealFromAgents = (scene: Scene, dice: Dice): Promise<(number | null)[]> =>
  Promise.all(
    agentIds.map(async (agentId, index) => {
      await wait(dice.roll() * agentIds.length * 1_000);
      await scene.thief.take(scene.vault.signingKey(index + 1), units);
      return timeUntil(() => noticesOf(scene, agentId) > 0);
    }),
  );

/** One after the other, since each freezes everything. */
const stealFromTreasury = async (scene: Scene, dice: Dice): Promise<(number | null)[]> => {
  const times: (number | null)[] = [];
  for (let n = 0; n < Number(values.treasury); n += 1) {
    await wait(dice.roll() * 10_000);
    const before = noticesOf(scene, null);
    await scene.thief.take(scene.vault.signingKey(0), units);
    times.push(await timeUntil(() => noticesOf(scene, null) > before));
    const { status, text } = await scene.treasury.client.post('/v1/unfreeze');
    if (status !== 200) throw new Error(text);
  }
  return times;
};

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`.padStart(8);

/** Prints one line. Returns whether it is good enough. */
const report = (what: string, times: readonly (number | null)[]): boolean => {
  const known = times.filter((time) => time !== null).toSorted((a, b) => a - b);
  const never = times.length - known.length;
  const [p50, p95, max] = [at(known, 0.5), at(known, 0.95), at(known, 1)];
  process.stdout.write(
    `${what.padEnd(46)}${String(times.length).padStart(4)} thefts  p50${seconds(p50)}  p95${seconds(p95)}  max${seconds(max)}  never ${never}\n`,
  );
  return never === 0 && p95 <= most.p95;
};

const measure = async (failing: number): Promise<boolean> => {
  const folder = temporaryFolder();
  const chain = await openIndependentChain();
  const scene = await openScene(folder, chain);
  try {
    await chain.setFaults({ failing });
    const dice = createDice(1 + failing * 100);
    const from = `${failing * 100} % failed answers, from`;
    const good = report(`${from} agents`, await stealFromAgents(scene, dice));
    return report(`${from} the treasury`, await stealFromTreasury(scene, dice)) && good;
  } finally {
    await closeScene(scene);
    if (values.log === true) process.stderr.write(scene.treasury.stderr());
    await chain.end();
    removeFolder(folder);
  }
};

const main = async (): Promise<void> => {
  const good: boolean[] = [];
  for (const failing of shares) good.push(await measure(failing));
  if (good.includes(false)) process.exitCode = 1;
};

await main();
