// The figures of a budget of 24 hours: the same on every screen and in the command, and what a payment then finds.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { deploy } from '../../harness/treasury.ts';
import { asOwner, client, codeOf, useTreasury } from '../api-treasury.ts';

useTreasury();

const cents = (most: number) =>
  fc.integer({ min: 0, max: most }).map((n) => formatUsdc(usdc(BigInt(n) * 10_000n)));
const units = (text: string): bigint => parseUsdc(text) ?? 0n;
const ofDay = ({ budgets }: { budgets: { field: string }[] }) =>
  budgets.find(({ field }) => field === 'dailyBudget');

it('are the same for the dashboard, the limits, the dry run and an approval, boosted or not, and pay keeps to them', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      cents(200),
      fc.option(cents(200)),
      fc.array(cents(100), { maxLength: 4 }),
      async (dailyBudget, boost, paid) => {
        count += 1;
        const name = `figures-${count}`;
        const agent = await deploy(client, name, { policy: { dailyBudget, maxPerPayment: '9.00' } });
        if (boost !== null) await asOwner(`agents/${name}/boost`, { amount: boost });
        for (const amount of paid) if (units(amount) > 0n) await agent.pay(amount);

        const { body: limits } = await client.get(`/v1/agents/${name}/limits`);
        const used = ofDay(limits as never);
        const { body: dashboard } = await client.get('/v1/dashboard');
        const shown = dashboard['agents'].find((one: { agentId: string }) => one.agentId === name);
        const limit = formatUsdc(usdc(units(dailyBudget) + units(boost ?? '0')));
        const left = formatUsdc(usdc(units(limit) - units(shown.spentToday)));
        expect(used).toMatchObject({ limit, used: shown.spentToday, left });
        expect(shown).toMatchObject({ policy: { dailyBudget }, inForce: { dailyBudget: limit } });
        expect(shown.inForce.boost?.amount ?? '0.00').toBe(formatUsdc(usdc(units(boost ?? '0'))));
        const asked = { service: 'sandbox-weather', amount: '0.000001' };
        const { body: explained } = await client.post(`/v1/agents/${name}/policy/explain`, asked);
        expect(explained['budget']).toEqual({ dailyBudget: limit, spent: shown.spentToday, left });

        const over = formatUsdc(usdc(units(left) + 1n));
        expect(await codeOf(agent, over)).toBe('daily_budget');
        if (units(left) > 0n) expect(await codeOf(agent, left)).toBe('paid');
      },
    ),
    { numRuns: 25 },
  );
});
