// `npm run bench`: the cost of the treasury; each figure is a ratio to a bare floor that is measured beside it.
import { parseArgs } from 'node:util';
import { benchBridge } from './parts/bridge.ts';
import { benchCloseMonth } from './parts/close-month.ts';
import { benchDecision } from './parts/decision.ts';
import { benchDraw } from './parts/draw.ts';
import { benchFetch, benchReceipts } from './parts/fetch.ts';
import { benchMcpProxy } from './parts/mcp-proxy.ts';
import { benchModels } from './parts/models.ts';
import { benchOverview } from './parts/overview.ts';
import { benchPay } from './parts/pay.ts';
import { benchProxy } from './parts/proxy.ts';
import { benchPaywall } from './parts/paywall.ts';
import { benchFreeze } from './parts/freeze.ts';
import { benchGate } from './parts/gate.ts';
import { machine, table, type Result } from './report.ts';
import { benchRuntime } from './parts/runtime.ts';
import { benchRoundTrip } from './parts/round-trip.ts';
import { benchSearch } from './parts/search.ts';
import { benchSlowNetwork } from './parts/slow-network.ts';
import { createStage, type Stage } from './stage.ts';
import { benchStart } from './parts/start.ts';
import { benchWords } from './parts/words.ts';
import { benchThroughput } from './parts/throughput.ts';
import { benchTunnel } from './parts/tunnel.ts';

const usage = `Usage: npm run bench -- [options]

  --json        JSON on standard output instead of a table
  --only LIST   some parts, as in --only a,c
  --rounds N    N times as many samples (1)

Parts:
  a  one POST /pay against the same transfer bare
  b  402, pay, 200 with the demo weather API against a bare prototype
  c  the decision and its reservation after 1,000,000 payments, and after 100,000 requests to models, against an empty
     store, on six nodes with twelve limits against an agent with two, and limits that are set after 1,000,000 payments
  d  payments per second of 1, 16 and 64 agents against as many bare senders
  e  time to start, and memory
  f  from the click on Freeze in the tray to the first refused payment
  g  the bridge: its start against a bare server of the same SDK, an answer through it; the command's status
  h  the search of a catalog with 50,000 entries
  i  a paid fetch of the official x402 v2 seller through the treasury against the official client
  j  the same behind our paywall, with our receipts, against that official stack
  k  the dashboard's first visit at 60 kB/s and 300 ms against this machine's own network
  l  the overview of 100 agents and 10,000 payments against that of agents that never paid
  m  an allocation drawn on a cold treasury against one from the treasury's own wallet
  n  words from a phone: confirmed to frozen, and final to signed
  o  a free call of an MCP server through the proxy against the same server without it
  p  the reverse proxy that pays against a bare one: the first byte, and throughput
  q  our paywall's 402, and a purchase behind it by the official client, against the official middleware of x402 2 and 1
     and of MPP
  r  the sandbox's runtime in TypeScript against LiteSVM
  s  the close of a month of 100,000 payments, against a bare list of its transactions (takes minutes)
  t  a payment through the owner's tunnel against the same on this machine, and the owner's wait beside 10,000 wrong keys
     (needs caddy)
  u  requests to language models: the first token against the supplier itself, 50 streams at once against a bare reverse
     proxy, and their memory
  v  the gate before a server against a bare reverse proxy: requests a second, and throughput
`;

const notes = `The floor of a and d is a bare sender in the bench's own process: a blockhash fetched before, a web3.js message (memo,
transferChecked), two node:crypto signatures, a subscription over an open websocket, then sendTransaction without
preflight on an open connection; done when the notification says confirmed. It keeps no record of anything. Treasury
and chain are a process each; the bench is the client of both. The prototype of b adds a minimal seller in a process of
its own, which asks the chain for the transaction once. The floors of c are an empty store, and an agent with two
limits; of e a bare \`node\`, of g a server of the same SDK with one tool, the same call over HTTP, and a bare \`node\`; its
programs run bundled. The floor of i and j is @x402/fetch with @x402/express and a facilitator of @x402/core and @x402/svm,
a process each on the same chain; it measures itself, while ours is measured by the agent, from outside the treasury. The
floor of p and v, and of u's streams, is a reverse proxy of \`node:http\` alone, in a process of its own; that of q the official middleware of each
protocol, behind the same client and facilitator. i, j and q need the npm registry once.`;

type Bench = (stage: Stage, rounds: number) => Promise<Result[]>;

const parts: Readonly<Record<string, Bench>> = {
  a: benchPay,
  b: benchRoundTrip,
  c: benchDecision,
  d: benchThroughput,
  e: benchStart,
  f: benchFreeze,
  g: benchBridge,
  h: benchSearch,
  i: benchFetch,
  j: benchReceipts,
  k: benchSlowNetwork,
  l: benchOverview,
  m: benchDraw,
  n: benchWords,
  o: benchMcpProxy,
  p: benchProxy,
  q: benchPaywall,
  r: benchRuntime,
  s: benchCloseMonth,
  t: benchTunnel,
  u: benchModels,
  v: benchGate,
};

const readOptions = () => {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      only: { type: 'string', default: Object.keys(parts).join() },
      rounds: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  const only = values.only.split(',').map((part) => part.trim());
  const unknown = only.find((part) => !Object.hasOwn(parts, part));
  if (unknown !== undefined) throw new Error(`--only: there is no part ${unknown}`);
  if (!/^[1-9]\d?$/.test(values.rounds)) throw new Error('--rounds must be a whole number from 1 to 99');
  return { ...values, only, rounds: Number(values.rounds) };
};

const run = async (stage: Stage): Promise<void> => {
  const options = readOptions();
  if (options.help) return void process.stdout.write(usage);
  const begin = performance.now();
  const about = machine();
  const results: Result[] = [];
  for (const part of options.only) {
    results.push(...((await parts[part]?.(stage, options.rounds)) ?? []));
    await stage.end();
  }
  stage.say(`done after ${((performance.now() - begin) / 1_000).toFixed(0)} s`);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ machine: about, results }, null, 2)}\n`);
    return;
  }
  const { cpus, model, platform, node, load } = about;
  const where = `${cpus} CPUs (${model}), ${platform}, Node ${node}; load before: ${load.join(', ')}`;
  process.stdout.write(`${where}\n\n${table(results)}\n\n${notes}\n`);
};

const stage = createStage();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interrupted = true;
    void stage.end(true).finally(() => process.exit(130));
  });
}
try {
  await run(stage);
} catch (error) {
  // A part fails when its processes are closed.
  if (!interrupted)
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await stage.end();
}
