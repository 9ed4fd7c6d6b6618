// A preview of a policy counts each budget over the 24 hours before each payment, as the engine itself does.
import { expect, it } from 'vitest';
import { deploy, openTreasury, until } from '../harness/treasury.ts';

const hour = 3_600_000;

it('frees a budget as payments leave the window, and covers the last 30 days alone', async () => {
  let wall = Date.now();
  let up = 0;
  const pass = (ms: number): void => {
    wall += ms;
    up += ms;
  };
  const treasury = await openTreasury({ clock: { wall: () => wall, monotonic: () => up } });
  const { client, host } = treasury;
  const agent = await deploy(client, 'payer', { dailyBudget: '10', maxPerPayment: '1' });
  const pay = async (): Promise<void> => {
    expect((await agent.pay('0.6')).status).toBe(200);
    await until('it to be final', () => host.engine.context.store.transfers.open().length === 0);
  };
  const preview = async () =>
    (await client.post('/v1/agents/payer/policy/preview', { dailyBudget: '1.00' })).body;

  await pay();
  pass(23 * hour);
  await pay();
  expect(await preview()).toMatchObject({
    payments: 2,
    allowed: { payments: 1 },
    refused: [{ rule: 'dailyBudget', payments: 1, amount: '0.60' }],
  });
  pass(2 * hour);
  await pay();
  // The second was refused, so that it takes nothing from the third; the first has left.
  expect(await preview()).toMatchObject({ payments: 3, allowed: { payments: 2, amount: '1.20' } });
  pass(30 * 24 * hour - hour);
  expect(await preview()).toMatchObject({ payments: 1 });
  await treasury.close();
});
