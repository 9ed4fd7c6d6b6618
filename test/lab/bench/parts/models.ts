// (u) Requests to language models, side by side: the first token against the supplier asked directly, and 50 streams at once
// against a bare relay of `node:http` before the same supplier; and the memory that those take.
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { timed } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { residentMb } from '../resident.ts';
import { fundedAgents, type Stage } from '../stage.ts';

const first = { warmUp: 100, pairs: 500, kilobytes: [1, 64], atMostMs: 10 };
const many = { streams: 50, pieces: 1_000, warmUp: 2, pairs: 6, atLeast: 0.8, atMostMb: 20 };

interface Place {
  url: string;
  key: string;
}
/** Below the 5 s after which the relay ends an idle connection. */
const connections = new Agent({ keepAlive: true, timeout: 4_000 });
let last = 0;

/** One stream; each has words of its own. @returns once its first piece is here, with the rest of it */
const open = async ({ url, key }: Place, pieces: number, bytes = 0): Promise<IncomingMessage> => {
  last += 1;
  const content = `${pieces} ${last} `.padEnd(bytes, 'words ');
  const asked = request(`${url}/chat/completions`, {
    method: 'POST',
    agent: connections,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  });
  asked.end(
    JSON.stringify({ model: 'm', stream: true, max_tokens: 1_000, messages: [{ role: 'user', content }] }),
  );
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`a model was answered ${answer.statusCode}`);
  await once(answer, 'readable');
  return answer;
};

const rest = async (answer: IncomingMessage): Promise<number> => {
  let bytes = 0;
  for await (const chunk of answer) bytes += (chunk as Buffer).byteLength;
  return bytes;
};

export const benchModels = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const { ours, direct, relay, pid } = await places(stage);
  const results: Result[] = [];
  for (const kilobytes of first.kilobytes) {
    stage.say(`u: ${first.pairs * rounds} pairs of first tokens, ${kilobytes} kB`);
    const times = { ours: [] as number[], floor: [] as number[] };
    for (let pair = -first.warmUp; pair < first.pairs * rounds; pair += 1)
      for (const which of pair % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const)) {
        let answer: IncomingMessage | undefined;
        const ms = await timed(async () => {
          answer = await open(which === 'ours' ? ours : direct, 3, kilobytes * 1_024);
        });
        if (answer !== undefined) await rest(answer);
        if (pair >= 0) times[which].push(ms);
      }
    const [through, bare] = [figure('ms', times.ours), figure('ms', times.floor)];
    results.push({
      id: `u.first-token-${kilobytes}`,
      what: `the first token of a model, ${kilobytes} kB, against its supplier`,
      ours: through,
      floor: bare,
      ratio: ratioOf(through.p50, bare.p50),
      target: `p95 at most ${first.atMostMs} ms more`,
      met: through.p95 - bare.p95 <= first.atMostMs,
    });
  }
  return [...results, ...(await throughput(stage, { ours, relay, pid }, rounds))];
};

const throughput = async (
  stage: Stage,
  { ours, relay, pid }: { ours: Place; relay: Place; pid: number },
  rounds: number,
): Promise<Result[]> => {
  stage.say(`u: ${many.pairs * rounds} pairs of ${many.streams} streams at once`);
  const speed = async (place: Place): Promise<number> => {
    let bytes = 0;
    const ms = await timed(async () => {
      const all = Array.from({ length: many.streams }, () => open(place, many.pieces).then(rest));
      bytes = (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
    });
    return bytes / 1e6 / (ms / 1_000);
  };
  const before = residentMb(pid) ?? Number.NaN;
  const seen: number[] = [];
  const timer = setInterval(() => seen.push(residentMb(pid) ?? Number.NaN), 20);
  const speeds = { ours: [] as number[], floor: [] as number[] };
  try {
    for (let pair = -many.warmUp; pair < many.pairs * rounds; pair += 1) {
      const [fast, bare] = [await speed(ours), await speed(relay)];
      if (pair >= 0) speeds.ours.push(fast);
      if (pair >= 0) speeds.floor.push(bare);
    }
  } finally {
    clearInterval(timer);
  }
  const [through, bare] = [figure('MB/s', speeds.ours), figure('MB/s', speeds.floor)];
  const more = Math.max(...seen) - before;
  const ratio = ratioOf(through.p50, bare.p50);
  return [
    {
      id: 'u.streams',
      what: `${many.streams} streams of a model at once`,
      ours: through,
      floor: bare,
      ratio,
      target: `at least ${many.atLeast} x`,
      met: ratio >= many.atLeast,
    },
    {
      id: 'u.memory',
      what: `memory that ${many.streams} streams take at most`,
      ours: figure('MB', [more]),
      floor: null,
      ratio: null,
      target: `at most ${many.atMostMb} MB`,
      met: more <= many.atMostMb,
    },
  ];
};

const places = async (stage: Stage) => {
  const { rpcUrl } = await stage.sandbox();
  const supplier = await stage.program('parts/model-supplier.ts', []);
  const relay = await stage.program('floors/bare-reverse-proxy.ts', [supplier]);
  const treasury = await stage.treasury(stage.folder(), ['--rpc', rpcUrl]);
  const [agent] = await fundedAgents(treasury, 1);
  if (agent === undefined) throw new Error('no agent was deployed');
  const asOwner = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const { status, text, body: reply } = await treasury.client.post(`/v1/${path}`, body);
    if (status !== 200) throw new Error(text);
    return reply;
  };
  const added = { kind: 'openai-compatible', name: 'Local', baseUrl: supplier, allowPrivate: true };
  const { supplierId } = await asOwner('model-suppliers', added);
  await asOwner('language-models', { supplierId, modelId: 'm', inputPerMillion: '1', outputPerMillion: '1' });
  await asOwner(`agents/${agent.agentId}/policy`, { allowedModels: ['m'] });
  const base = `${treasury.ready.url}/v1/agents/${agent.agentId}/llm/openai/v1`;
  return {
    ours: { url: base, key: agent.key },
    direct: { url: supplier, key: '' },
    relay: { url: relay, key: '' },
    pid: treasury.ready.pid,
  };
};
