// `npm run soak`: one host under everything at once for half an hour. Are its memory and descriptors stable, and does
// it rest when there are no requests?
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { bundleProgram } from '../../../build/executables.ts';
import { median } from '../bench/measure.ts';
import { machine } from '../bench/report.ts';
import { createStage, type Stage } from '../bench/stage.ts';
import { createImageServer } from '../../harness/programs/image-server.ts';
import { deploy, spawnTreasury, until, type Process } from '../../harness/treasury.ts';
import { createX402Seller } from '../../harness/chain/x402-seller.ts';
import { createProbe, processorOf, type Probe, type Sample } from './probe.ts';
import { listenFor, startLoad, type Scene } from './soak-load.ts';
import { whole } from './options.ts';

const usage = `Usage: npm run soak -- [options]

  --minutes N    how long the load lasts (30)
  --idle N       seconds over which the processor is looked at afterwards (60)
  --json         JSON on standard output instead of text

Memory is resident memory after a forced collection, every 15 s. Judged is the median of the last fifth of the samples
against the median of the first fifth after the warm-up: 5 minutes, or a third of a shorter run. Descriptors likewise.
The chain is a process of its own, and so are sellers and image providers: what is looked at is the host alone.
`;

const sampleMs = 15_000;
const most = { growthMb: 20, descriptors: 3, idlePercent: 0.5 };
const payersCount = 8;

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '30' },
      idle: { type: 'string', default: '60' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { ...values, minutes: whole('minutes', values.minutes, 4), idle: whole('idle', values.idle, 4) };
};

const setUp = async (stage: Stage, probe: Probe): Promise<Scene> => {
  const { rpcUrl } = await stage.sandbox(['--confirm-ms', '0', '--finalize-ms', '400']);
  const seller = await stage.keep(createX402Seller(rpcUrl), (it) => it.close());
  const provider = await stage.keep(createImageServer(), (it) => it.close());
  provider.answer = (asked) => {
    provider.asked.length = 0;
    return asked.succeed();
  };
  const args = ['--rpc', rpcUrl, '--allow-origin', seller.url, '--log-level', 'warn'];
  const host = await stage.keep(spawnTreasury(stage.folder(), args, probe.env), (it) => it.kill('SIGTERM'));
  const { client } = host;
  await client.post('/v1/sandbox/faucet', { amount: '100000' });
  await client.post('/v1/image-providers/openai', { apiKey: 'sk-test', baseUrl: provider.url, atOnce: 2 });
  const { models } = (await client.get('/v1/models/settings')).body;
  const modelId = models.find(({ providerId }: { providerId: string }) => providerId === 'openai').id;
  await client.post(`/v1/models/${modelId}`, { enabled: true, pricing: { '1k': '0.10' } });
  const limits = { dailyBudget: '100000', maxPerPayment: '1', allocate: '1000' };
  const payers = [];
  for (let number = 0; number < payersCount; number += 1)
    payers.push(await deploy(client, `payer-${number}`, limits));
  const asker = await deploy(client, 'asker', { ...limits, policy: { approveAbove: '0.05' } });
  return {
    host,
    token: readFileSync(host.ready.cookieFile, 'utf8'),
    payers,
    asker,
    seller,
    modelId,
    bridge: await bundleProgram('server/mcp/main.ts', 'bridge', stage.folder()),
  };
};

const settle = async ({ client }: Process): Promise<void> => {
  await until(
    'everything to settle',
    async () => {
      const { entries } = (await client.get('/v1/activity?status=pending')).body;
      return entries.length === 0;
    },
    60_000,
  );
  client.close();
  // Kept connections are closed, and the last timers come to rest.
  await wait(5_000);
};

const measureIdle = async (scene: Scene, seconds: number) => {
  const { pid } = scene.host.ready;
  const alone = await processorOf(pid, seconds * 1_000);
  const listening = listenFor(scene, seconds * 1_000 + 1_000);
  const watched = await processorOf(pid, seconds * 1_000);
  await listening;
  return { alone, watched };
};

/** The growth from the first fifth of the samples after the warm-up to the last fifth. */
const growth = (samples: readonly Sample[], of: (sample: Sample) => number): number => {
  const fifth = Math.max(1, Math.floor(samples.length / 5));
  return Number((median(samples.slice(-fifth).map(of)) - median(samples.slice(0, fifth).map(of))).toFixed(1));
};

const run = async (stage: Stage): Promise<void> => {
  const options = readOptions();
  if (options.help) return void process.stdout.write(usage);
  const about = machine();
  const probe = createProbe(stage.folder());
  const scene = await setUp(stage, probe);
  const { pid } = scene.host.ready;
  const load = startLoad(scene);
  const samples: Sample[] = [];
  const end = performance.now() + options.minutes * 60_000;
  while (performance.now() < end) {
    await wait(sampleMs);
    const sample = await probe.sample(pid);
    samples.push(sample);
    const { seconds, rssMb, kindsMb, heapMb, heapTotalMb, externalMb, descriptors, sockets } = sample;
    const { file, allocator, anonymous } = kindsMb;
    stage.say(
      `${seconds} s: ${rssMb} MB resident (files ${file}, allocator ${allocator}, anonymous ${anonymous}), ` +
        `${heapMb} of ${heapTotalMb} MB heap, ${externalMb} external, ${descriptors} descriptors, ${sockets} sockets`,
    );
  }
  await load.stop();
  await settle(scene.host);
  const rest = await probe.sample(pid);
  const idle = await measureIdle(scene, options.idle);
  const warmUp = Math.min(5, options.minutes / 3) * 60_000;
  const judged = samples.slice(Math.floor(warmUp / sampleMs));
  const grown = {
    rssMb: growth(judged, ({ rssMb }) => rssMb),
    heapMb: growth(judged, ({ heapMb }) => heapMb),
    descriptors: growth(judged, ({ descriptors }) => descriptors),
  };
  const met = {
    memory: grown.rssMb <= most.growthMb && grown.heapMb <= most.growthMb,
    descriptors: grown.descriptors <= most.descriptors,
    idle: idle.alone < most.idlePercent && idle.watched < most.idlePercent,
    load: load.failures.length === 0,
  };
  const result = { machine: about, minutes: options.minutes, grown, idle, met, done: load.done };
  if (options.json)
    process.stdout.write(
      `${JSON.stringify({ ...result, rest, samples, failures: load.failures }, null, 2)}\n`,
    );
  else process.stdout.write(`${textOf(result, rest, load.failures)}\n`);
  if (Object.values(met).includes(false)) process.exitCode = 1;
};

const textOf = (
  { grown, idle, met, done }: { grown: object; idle: object; met: object; done: object },
  rest: Sample,
  failures: readonly string[],
): string =>
  [
    `grown after the warm-up: ${JSON.stringify(grown)}`,
    `at rest: ${JSON.stringify(rest)}`,
    `percent of a processor at rest, and with a dashboard's events open: ${JSON.stringify(idle)}`,
    `done: ${JSON.stringify(done)}`,
    `met: ${JSON.stringify(met)}`,
    ...failures.slice(0, 10),
  ].join('\n');

const stage = createStage();
try {
  await run(stage);
} catch (error) {
  stage.say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
} finally {
  await stage.end();
}
