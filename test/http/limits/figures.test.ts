// The figures of a budget of 24 hours: the same on every screen and in the command, and what a payment then finds.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { deploy, type TestAgent } from '../../harness/treasury.ts';
import { asOwner, client, codeOf, useTreasury } from '../api-treasury.ts';

useTreasury();

const cents = (most: number) =>
  fc.integer({ min: 0, max: most }).map((n) => formatUsdc(usdc(BigInt(n) * 10_000n)));
const units = (text: string): bigint => parseUsdc(text) ?? 0n;
const sum = (...texts: string[]): string =>
  formatUsdc(usdc(texts.reduce((all, one) => all + units(one), 0n)));
const ofDay = ({ budgets }: { budgets: { field: string; limit: string; used: string; left: string }[] }) =>
  budgets.find(({ field }) => field === 'dailyBudget') ?? { limit: 'none', used: 'none', left: 'none' };

interface Budget {
  dailyBudget: string;
  boost: string | null;
}
const budget = fc.record({ dailyBudget: cents(200), boost: fc.option(cents(200)) });

const deployWith = async (
  name: string,
  { dailyBudget, boost }: Budget,
  group: string,
): Promise<TestAgent> => {
  const agent = await deploy(client, name, { policy: { dailyBudget, maxPerPayment: '9.00' } });
  if (boost !== null) await asOwner(`agents/${name}/boost`, { amount: boost });
  await asOwner(`agents/${name}/group`, { groupId: group });
  return agent;
};
const newGroup = async (name: string, { dailyBudget, boost }: Budget): Promise<string> => {
  const { groupId } = await asOwner('groups', { name, limits: { dailyBudget } });
  if (boost !== null) await asOwner(`groups/${String(groupId)}/boost`, { amount: boost });
  return String(groupId);
};

/** The group's figures on its page, in the list, and above its agent's own, which are the same. */
const figuresOfGroup = async (groupId: string, name: string) => {
  const { body: page } = await client.get(`/v1/groups/${groupId}`);
  const { body: list } = await client.get('/v1/groups');
  const { body: limits } = await client.get(`/v1/agents/${name}/limits`);
  const listed = list['groups'].find((one: { groupId: string }) => one.groupId === groupId);
  const above = limits['above'].find(({ node }: { node: { id: string } }) => node.id === groupId);
  const used = ofDay(page['used']);
  expect([ofDay(listed.used), ofDay(above)]).toEqual([used, used]);
  expect([page['spentToday'], listed.spentToday]).toEqual([used.used, used.used]);
  return used;
};

it('are the same for the dashboard, the limits, the dry run, the group and its list, boosted or not, and pay keeps to them', async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      budget,
      budget,
      fc.array(cents(100), { maxLength: 4 }),
      cents(100),
      async (own, together, paid, byAnother) => {
        count += 1;
        const name = `figures-${count}`;
        const groupId = await newGroup(name, together);
        const agent = await deployWith(name, own, groupId);
        for (const amount of paid) if (units(amount) > 0n) await agent.pay(amount);
        const rich = { dailyBudget: '9.00', boost: null };
        const another = await deployWith(`another-${count}`, rich, groupId);
        if (units(byAnother) > 0n) await another.pay(byAnother);

        const { body: limits } = await client.get(`/v1/agents/${name}/limits`);
        const used = ofDay(limits as never);
        const { body: dashboard } = await client.get('/v1/dashboard');
        const shownOf = (id: string) =>
          dashboard['agents'].find(({ agentId }: { agentId: string }) => agentId === id);
        const shown = shownOf(name);
        const limit = sum(own.dailyBudget, own.boost ?? '0');
        const left = formatUsdc(usdc(units(limit) - units(shown.spentToday)));
        expect(used).toMatchObject({ limit, used: shown.spentToday, left });
        expect(shown).toMatchObject({
          policy: { dailyBudget: own.dailyBudget },
          inForce: { dailyBudget: limit },
        });
        expect(shown.inForce.boost?.amount ?? '0.00').toBe(sum(own.boost ?? '0'));
        const asked = { service: 'sandbox-weather', amount: '0.000001' };
        const { body: explained } = await client.post(`/v1/agents/${name}/policy/explain`, asked);
        expect(explained['budget']).toEqual({ dailyBudget: limit, spent: shown.spentToday, left });

        const group = await figuresOfGroup(groupId, name);
        expect(group).toMatchObject({
          limit: sum(together.dailyBudget, together.boost ?? '0'),
          used: sum(shown.spentToday, shownOf(`another-${count}`).spentToday),
        });
        const free = units(left) < units(group.left) ? left : group.left;
        expect(await codeOf(agent, formatUsdc(usdc(units(free) + 1n)))).toBe('daily_budget');
        if (units(free) > 0n) expect(await codeOf(agent, free)).toBe('paid');
      },
    ),
    { numRuns: 25 },
  );
});
