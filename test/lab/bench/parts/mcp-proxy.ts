// (o) A free call of an MCP server through the proxy, against the same server without it. Both are bundled, as installed.
import { bundleProgram } from '../../../../build/executables.ts';
import { inPairs } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';
import { createStdioClient, initialize } from '../floors/stdio-client.ts';

const calls = { warmUp: 100, pairs: 1_000, atMostMs: 2 };

export const benchMcpProxy = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const programs = stage.folder();
  const bare = await bundleProgram('test/lab/bench/floors/bare-bridge.ts', 'bare', programs);
  const command = await bundleProgram('server/cli/main.ts', 'command', programs);
  const env = { TREASURY_DATA: stage.folder() };
  const open = async (script: string, args: readonly string[]) => {
    const client = createStdioClient(script, env, args);
    await stage.keep(Promise.resolve(client), (it) => it.close());
    await initialize(client);
    return () => client.call('tools/call', { name: 'ping', arguments: {} });
  };
  const proxied = await open(command, ['mcp', 'proxy', '--name', 'bare', '--', process.execPath, bare]);
  const direct = await open(bare, []);
  stage.say(`o: ${calls.warmUp} pairs of free calls to warm up, then ${calls.pairs * rounds}`);
  await inPairs(calls.warmUp, proxied, direct);
  const times = await inPairs(calls.pairs * rounds, proxied, direct);
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  return [
    {
      id: 'o.proxy',
      what: 'a free MCP call through the proxy',
      ours,
      floor,
      ratio: ratioOf(ours.p50, floor.p50),
      target: `p50 at most ${calls.atMostMs} ms more`,
      met: ours.p50 - floor.p50 <= calls.atMostMs,
    },
  ];
};
