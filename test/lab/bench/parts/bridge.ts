// (g) An agent's waits: the bridge's start, an answer through it, and the command. All three are bundled, as
// installed.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { bundleProgram } from '../../../../build/executables.ts';
import { writeToken } from '../../../../server/client/terminal-token.ts';
import type { TestAgent } from '../../../harness/treasury.ts';
import { inPairs } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedAgents, type Stage } from '../stage.ts';
import { createStdioClient, initialize } from '../floors/stdio-client.ts';

const starts = { warmUp: 5, pairs: 40, atMost: 1.3 };
const calls = { warmUp: 100, pairs: 400, atMostMs: 3 };
const statuses = { warmUp: 3, samples: 40, mostMs: 300 };
const run = promisify(execFile);
const bareNode = () => run(process.execPath, ['-e', '0']);

export const benchBridge = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const programs = stage.folder();
  const bundles = {
    bridge: await bundleProgram('server/mcp/main.ts', 'bridge', programs),
    bare: await bundleProgram('test/lab/bench/floors/bare-bridge.ts', 'bare', programs),
    command: await bundleProgram('server/cli/main.ts', 'command', programs),
  };
  const { rpcUrl } = await stage.sandbox();
  const dataDir = stage.folder();
  const treasury = await stage.treasury(dataDir, ['--rpc', rpcUrl]);
  const [agent] = await fundedAgents(treasury, 1);
  if (agent === undefined) throw new Error('no agent was deployed');
  // As when the owner lets a terminal in.
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  writeToken(dataDir, { token: readFileSync(treasury.ready.cookieFile, 'utf8'), expiresAt });
  const env = {
    TREASURY_DATA: dataDir,
    TREASURY_OWNER: treasury.ready.owner,
    TREASURY_AGENT_ID: agent.agentId,
    TREASURY_API_KEY: agent.key,
  };
  return [
    await benchStart(stage, rounds, bundles, env),
    await benchBalance(stage, rounds, { bridge: bundles.bridge, env, agent }),
    await benchStatus(stage, rounds, bundles.command, dataDir),
  ];
};

/** From the start of the process to its answer to `initialize`. */
const benchStart = async (
  stage: Stage,
  rounds: number,
  { bridge, bare }: { bridge: string; bare: string },
  env: Record<string, string>,
): Promise<Result> => {
  const count = starts.pairs * rounds;
  const times = { ours: [] as number[], floor: [] as number[] };
  stage.say(`g: ${starts.warmUp} pairs of starts to warm up, then ${count}`);
  for (let pair = 0; pair < starts.warmUp + count; pair += 1) {
    for (const which of pair % 2 === 0 ? (['ours', 'floor'] as const) : (['floor', 'ours'] as const)) {
      const begin = performance.now();
      const client = createStdioClient(which === 'ours' ? bridge : bare, env);
      await stage.keep(Promise.resolve(client), (it) => it.close());
      await initialize(client);
      const tookMs = performance.now() - begin;
      await client.close();
      if (pair >= starts.warmUp) times[which].push(tookMs);
    }
  }
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  const ratio = ratioOf(ours.p50, floor.p50);
  const target = `p50 at most ${starts.atMost} x the floor`;
  return {
    id: 'g.start',
    what: 'bridge: start to initialize answered',
    ours,
    floor,
    ratio,
    target,
    met: ratio <= starts.atMost,
  };
};

/** The same request through the bridge, and directly to the treasury. */
const benchBalance = async (
  stage: Stage,
  rounds: number,
  { bridge, env, agent }: { bridge: string; env: Record<string, string>; agent: TestAgent },
): Promise<Result> => {
  const { client, agentId } = agent;
  const stdio = await stage.keep(Promise.resolve(createStdioClient(bridge, env)), (it) => it.close());
  await initialize(stdio);
  const throughBridge = () => stdio.call('tools/call', { name: 'check_balance', arguments: {} });
  const overHttp = async (): Promise<void> => {
    const { status, text } = await client.get(`/v1/agents/${agentId}/balance`);
    if (status !== 200) throw new Error(`the balance was answered ${status}: ${text}`);
  };
  stage.say(`g: ${calls.warmUp} pairs of check_balance to warm up, then ${calls.pairs * rounds}`);
  await inPairs(calls.warmUp, throughBridge, overHttp);
  const times = await inPairs(calls.pairs * rounds, throughBridge, overHttp);
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  return {
    id: 'g.balance',
    what: 'check_balance over stdio, against HTTP',
    ours,
    floor,
    ratio: ratioOf(ours.p50, floor.p50),
    target: `p50 at most ${calls.atMostMs} ms more`,
    met: ours.p50 - floor.p50 <= calls.atMostMs,
  };
};

const benchStatus = async (
  stage: Stage,
  rounds: number,
  command: string,
  dataDir: string,
): Promise<Result> => {
  const status = () => run(process.execPath, [command, '--data', dataDir, 'status']);
  stage.say(`g: ${statuses.warmUp} pairs of treasury status to warm up, then ${statuses.samples * rounds}`);
  await inPairs(statuses.warmUp, status, bareNode);
  const times = await inPairs(statuses.samples * rounds, status, bareNode);
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  return {
    id: 'g.status',
    what: 'treasury status, against a bare node',
    ours,
    floor,
    ratio: ratioOf(ours.p50, floor.p50),
    target: `p50 at most ${statuses.mostMs} ms`,
    met: ours.p50 <= statuses.mostMs,
  };
};
