// The command that a checkout names for MCP hosts starts the bridge.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deploy, openTreasury, type Treasury } from '../harness/treasury.ts';
import { envOf, openBridge } from './bridge.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openTreasury();
});
afterAll(() => treasury.close());

it('starts with the command, the arguments and the variables that the treasury names', async () => {
  const agent = await deploy(treasury.client, 'scout');
  const { command, args, env } = (await treasury.client.get('/v1/about')).body['bridge'];
  const bridge = await openBridge({ ...env, ...envOf(agent, treasury) }, 'modern', { command, args });
  expect((await bridge.call('check_balance')).isError).toBe(false);
  await bridge.close();
});
