// A paid MCP server in a host's configuration, put behind the proxy and taken out again; each time the host starts what
// its file says.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { letIn, run, type Ended } from '../../cli/terminal.ts';
import { allWell, audit, clean } from '../../harness/audit.ts';
import { instantly, removeFolder, temporaryFolder, until } from '../../harness/treasury.ts';
import { debitsOf } from '../chain.ts';
import { allow, call, openMarket, textOf, type Market } from './market.ts';
import { initialize, openWire, type Wire } from './wire.ts';

let market: Market;
let home: string;
let file: string;
beforeAll(async () => {
  market = await openMarket(instantly);
  await letIn(market.treasury);
  home = temporaryFolder();
  file = join(home, '.claude.json');
}, 600_000);
afterAll(async () => {
  await market.close();
  removeFolder(home);
});

const install = (...more: string[]): Promise<Ended> =>
  run(
    [
      'mcp',
      'install',
      'claude-code',
      '--proxy',
      'weather',
      '--yes',
      '--data',
      market.treasury.dataDir,
    ].concat(more),
    { home },
  );

/** As the host starts it: with the entry's variables and few of its own. */
const start = async (): Promise<Wire> => {
  const { command, args, env } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.weather;
  const { HOME, PATH, NODE_COMPILE_CACHE } = process.env;
  const wire = openWire([command, ...args], { HOME, PATH, NODE_COMPILE_CACHE, ...env });
  await initialize(wire);
  return wire;
};
const debits = () => debitsOf(market.sandbox.rpcUrl, market.agent.wallet);

it('is paid for by the entry that was installed, and runs without us once that is undone', async () => {
  const [command, ...args] = market.x402;
  const before = `{"mcpServers": {"weather":   ${JSON.stringify({ command, args })} }, "numStartups": 7}`;
  writeFileSync(file, before);

  const installed = await install('--agent', 'host');
  expect(installed).toMatchObject({ code: 0, stderr: '' });
  const proxied = await start();
  const asking = call(proxied, 'weather', { city: 'Lisbon' });
  expect(await allow(market)).toMatchObject({
    service: 'mcp:weather',
    payee: market.payee,
    amount: '0.01',
  });
  expect(JSON.parse(textOf(await asking)), proxied.stderr()).toMatchObject({ city: 'Lisbon' });
  expect(await debits()).toMatchObject([{ amount: 10_000n, to: [market.payee] }]);
  expect(await proxied.end()).toBe(0);

  expect(await install('--undo')).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(file, 'utf8')).toBe(before);
  const bare = await start();
  expect(textOf(await call(bare, 'free'))).toBe('{"free":true}');
  const demanded = await call(bare, 'weather', { city: 'Porto' });
  expect(demanded['result'].structuredContent.accepts).toMatchObject([{ payTo: market.payee }]);
  await bare.end();
  expect(await debits()).toHaveLength(1);
  const { transfers } = market.treasury.host.engine.context.store;
  await until('everything to be final', () => transfers.open().length === 0);
  expect(clean(await audit(market.treasury.host))).toEqual(allWell);
});
