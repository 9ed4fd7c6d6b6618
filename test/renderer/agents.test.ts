// Agents, their groups and their policies as the owner tells them apart and changes them, over the fake owner: what each
// form and dialog asks for.
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { policyInReply, usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { fieldErrors } from '../../server/errors.ts';
import { until } from '../harness/treasury.ts';
import { whenOf } from '../../renderer/shared/time.ts';
import { useFakeOwner, type Answers } from './fake-owner.ts';
import type { Partly } from './filled.ts';
import { addLimit, editLimit, limitField, nothingToSave, removeLimit } from '../harness/limit-rows.ts';

const fake = useFakeOwner();

type Agent = Partly<Reply<'dashboard'>['agents'][number]>;
type Policy = Partly<Reply<'getPolicy'>['policy']>;
const scout = { agentId: 'scout', displayName: 'Research Scout', groupId: null } as const;
const planner = { agentId: 'planner', displayName: 'planner', groupId: null } as const;
const writer = { agentId: 'writer', displayName: 'writer', groupId: null } as const;
const all: readonly Agent[] = [scout, planner, writer];
const policy = {
  ...policyInReply(usualPolicy),
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  cooldownSeconds: 60,
};
/** The treasury with these agents, of which each has the same policy unless it says another. */
const having = (agents: readonly Agent[] = all, policies: Record<string, Policy> = {}): Answers => ({
  dashboard: { agents },
  listAgents: { agents: agents as never },
  getPolicy: ({ params }) => ({
    agentId: params?.agentId,
    policy: { ...policy, ...policies[params?.agentId ?? ''] },
  }),
});

const button = (name: string | RegExp, within: Pick<Locator, 'getByRole'> = fake.page): Locator =>
  within.getByRole('button', { name });
const dialog = (): Locator => fake.page.getByRole('dialog');
const sees = (text: string | RegExp, within: Pick<Locator, 'getByText'> = fake.page) =>
  within.getByText(text).first().waitFor();
const entry = async (more: string, name: string): Promise<void> => {
  await button(more).click();
  await fake.page.getByRole('menuitem', { name }).click();
};
const row = (label: string): Locator =>
  fake.page.getByRole('row').filter({ has: fake.page.getByRole('rowheader', { name: label, exact: true }) });
const choose = async (...names: string[]): Promise<void> => {
  await entry('More for agents', 'Select');
  for (const name of names) await fake.page.getByRole('checkbox', { name: `Select ${name}` }).check();
};
const moved = { type: 'agent', data: { agentId: 'scout' } } as const;
/** What was asked for, besides what a policy would have meant for past payments. */
const changes = () => fake.asked().filter(([route]) => route !== 'previewPolicy');
/** The requests, once there are as many. */
const asked = (count: number) => until(`${count} requests`, () => changes().length >= count && changes());

describe('an agent’s look', () => {
  it('is the owner’s choice where there is one, with tags to filter by', async () => {
    const { page } = fake;
    await fake.show('/agents/scout', having());
    await entry('More for Research Scout', 'Color and tags');
    await dialog().getByRole('radio', { name: 'violet' }).check();
    await dialog().getByLabel('Picture').fill('RS');
    await dialog().getByLabel('Tags').first().fill('research');
    await page.keyboard.press('Enter');
    const marks = { color: 'violet', picture: 'RS', tags: ['research'] } as const;
    await fake.answer(having([{ ...scout, ...marks }, planner, writer]));
    await button('Save', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(changes()).toEqual([['markAgent', { agentId: 'scout', ...marks }]]);
    await page.locator('h1 svg text', { hasText: 'RS' }).waitFor();
    await fake.show('/agents', having([{ ...scout, ...marks }, planner, writer]));
    await page.getByRole('group', { name: 'Tags' }).getByText('research').click();
    const cards = page.getByRole('list', { name: 'Agents' }).locator('> li');
    await until('the filter', async () => (await cards.count()) === 1);
    expect(await cards.first().innerText()).toContain('Research Scout');
  });
});

describe('several agents at once', () => {
  it('are paused after a word on what that means, and none before', async () => {
    await fake.show('/agents', having());
    await choose('Research Scout', 'planner');
    await button('Pause…').click();
    await sees('These 2 stop paying at once.', dialog());
    expect(changes()).toEqual([]);
    await button('Pause 2 agents').click();
    await sees('2 agents are paused.');
    expect(changes()).toEqual([
      ['kill', { agentId: 'scout' }],
      ['kill', { agentId: 'planner' }],
    ]);
  });
});

describe('a duplicate', () => {
  it('has the policy and the tags, a key of its own, and no money', async () => {
    const marked: Agent = { ...scout, color: 'violet', tags: ['research'] };
    await fake.show('/agents/scout', having([marked], { scout: { approveAbove: '0.50' } }));
    await entry('More for Research Scout', 'Duplicate');
    await sees('its own key, and no money', dialog());
    await dialog().getByLabel('Name').fill('Second Scout');
    await button('Create agent').click();
    await sees('Second Scout is ready', dialog());
    const made = Object.fromEntries(changes());
    const agentId = 'second-scout';
    const { dailyBudget, maxPerPayment } = policy;
    expect(made.deploy).toEqual({ agentId, displayName: 'Second Scout', dailyBudget, maxPerPayment });
    expect(made.setPolicy).toMatchObject({ agentId, cooldownSeconds: 60, approveAbove: '0.50' });
    expect(made.markAgent).toMatchObject({ agentId, tags: ['research'] });
    expect(fake.askedOf('allocate')).toEqual([]);
  });
});

/** An agent with a policy that is changed as the page asks. */
const changing = (): { answers: Answers; now(): Policy; change(change: Policy): void } => {
  let now: Policy = policy;
  const change = (by: object): void => void (now = { ...now, ...by });
  const answers: Answers = {
    ...having(),
    getPolicy: () => ({ agentId: 'scout', policy: now }),
    setPolicy({ body }) {
      change(body ?? {});
      return { agentId: 'scout', policy: now };
    },
  };
  return { answers, now: () => now, change };
};
const save = async (confirm?: string): Promise<void> => {
  await button('Save policy').click();
  if (confirm !== undefined) await button(confirm, dialog()).click();
  await nothingToSave(fake.page);
};

const total = { amount: '1.00', payments: 0 };
const outcome = (allowed: number, held: number, refused: number) => ({
  days: 30,
  payments: 61,
  allowed: { ...total, payments: allowed },
  asked: { ...total, payments: held },
  refused: [{ ...total, rule: 'dailyBudget', payments: refused }],
});

describe('the form of a policy', () => {
  it('sets and clears every field, and explains the policy', async () => {
    const { page } = fake;
    const { answers, now, change } = changing();
    await fake.show('/agents/scout', answers);
    await (await limitField(page, 'Daily budget')).fill('2.50');
    await (await limitField(page, 'Maximum per payment')).fill('0.75');
    await editLimit(page, 'Pause between payments');
    await page.getByLabel('Wait between payments').fill('2');
    await page.getByLabel('Unit of the wait').selectOption('hours');
    await (await limitField(page, 'Time to approve')).fill('30');
    await addLimit(page, 'Allow certain services only');
    await page.keyboard.type('maps');
    await page.keyboard.press('Enter');
    await addLimit(page, 'Ask me before it pays someone new');
    await addLimit(page, 'Ask me before it pays more than a certain amount at a time');
    await page.keyboard.type('0.10');
    await sees('It waits 2 hours after each payment.');
    await sees('7 unsaved changes');
    await save();
    expect(now()).toMatchObject({
      dailyBudget: '2.50',
      maxPerPayment: '0.75',
      cooldownSeconds: 7_200,
      allowedServices: ['maps'],
      approveAbove: '0.10',
      newPayees: 'approve',
      approvalMinutes: 30,
    });

    const above = await limitField(page, 'Ask me above');
    await above.fill('much');
    await button('Save policy').click();
    expect(await above.getAttribute('aria-invalid')).toBe('true');
    expect(changes()).toHaveLength(1);
    for (const label of ['Ask me above', 'A payee it never paid', 'Pause between payments', 'Services']) {
      if (label !== 'Ask me above') await editLimit(page, label);
      await removeLimit(page, label);
    }
    expect(await page.evaluate('document.activeElement.innerText')).toBe('Add a limit');
    await save('Yes, remove them');
    const cleared = { cooldownSeconds: 0, allowedServices: [], approveAbove: null, newPayees: 'allow' };
    expect(now()).toMatchObject(cleared);

    // An untouched field follows a change from elsewhere.
    const budget = await limitField(page, 'Daily budget');
    await budget.fill('1.00');
    change({ approveAbove: '0.20' });
    await fake.answer({}, moved);
    expect(await (await limitField(page, 'Ask me above')).inputValue()).toBe('0.20');
    expect(await budget.inputValue()).toBe('1.00');
    await button('Discard changes').click();
    await budget.waitFor({ state: 'detached' });
    await sees('2.50', row('Daily budget'));
  });

  it('is a row for each limit, with what is used of it and when some is free again', async () => {
    const { page } = fake;
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const used = { limit: '5.00', used: '2.09512', freeAt: null };
    await fake.show('/agents/scout', {
      ...having(all, { scout: { weeklyBudget: '20.00', serviceLimits: { maps: { dailyBudget: '1.00' } } } }),
      searchServices: {
        results: [
          { id: 'maps', name: 'City Maps', origin: 'https://maps.example.com' },
          { id: 'other', name: 'City Maps', origin: 'https://other.example.com' },
        ],
      },
      getLimits: {
        budgets: [
          { ...used, field: 'dailyBudget', limit: '6.00' },
          { ...used, field: 'weeklyBudget', limit: '20.00' },
        ],
        services: [{ ...used, field: 'dailyBudget', serviceId: 'maps', limit: '1.00', freeAt: at }],
        forecast: { usedUp: [{ field: 'weeklyBudget', at }] },
        boost: { amount: '1.00', until: at },
      },
    });
    await sees('6.00 USDC boosted', row('Daily budget'));
    const exact = page.getByTitle('2.09512', { exact: true }).first();
    expect(await exact.innerText()).toBe('2.0951');
    await sees(/^Runs out around/, row('Weekly budget'));
    await sees('Set to, USDC');
    const atMaps = row('Daily budget at City Maps (maps.example.com)');
    expect(await atMaps.getByRole('cell').allInnerTexts()).toEqual(['2.0951', '1.00', whenOf(at), 'Edit']);
    await sees('At City Maps (maps.example.com) it can spend at most 1.00 USDC in any 24 hours.');
    await (await limitField(page, 'Daily budget')).fill('7');
    await button('Done: Daily budget').click();
    await sees('7.00 USDC', row('Daily budget Not saved'));
    await sees('1 unsaved change');
    await button('Discard changes').click();
  });

  it('asks what 1,5 means where the browser’s language writes so, and never guesses', async () => {
    const { page } = fake;
    const language = await page.context().newCDPSession(page);
    await language.send('Emulation.setLocaleOverride', { locale: 'de-DE' });
    await fake.show('/agents/scout', having());
    const budget = await limitField(page, 'Daily budget');
    await budget.fill('1,5');
    const meant = button('Did you mean 1.5 USDC?');
    await meant.waitFor();
    await button('Save policy').click();
    expect(await budget.getAttribute('aria-invalid')).toBe('true');
    expect(changes()).toEqual([]);
    await meant.click();
    expect(await budget.inputValue()).toBe('1.5');
    await meant.waitFor({ state: 'detached' });
    await sees('It can spend up to 1.50 USDC');
    await button('Discard changes').click();
    await language.send('Emulation.setLocaleOverride');
    await language.detach();
  });

  it('shows what it changes for the payments of the last 30 days, against today', async () => {
    await fake.show('/agents/scout', {
      ...having(),
      previewPolicy: ({ body }) =>
        Object.keys(body ?? {}).length === 0 ? outcome(52, 3, 6) : outcome(52, 7, 2),
    });
    await (await limitField(fake.page, 'Daily budget')).fill('9');
    await sees('Refusals go from 6 to 2. Approvals go from 3 to 7.');
    await button('Discard changes').click();
    await fake.page.getByText('Refusals go').waitFor({ state: 'detached' });
  });

  it('says what it changes once where today’s policy allows all of them', async () => {
    await fake.show('/agents/scout', {
      ...having(),
      previewPolicy: ({ body }) =>
        Object.keys(body ?? {}).length === 0 ? outcome(61, 0, 0) : outcome(47, 0, 14),
    });
    await (await limitField(fake.page, 'Daily budget')).fill('9');
    await sees('refuse 14');
    expect(await fake.page.getByText(/^Refusals/).count()).toBe(0);
  });

  it('is compared with today’s over the same payments, also those since the page was opened', async () => {
    let payments = 10;
    await fake.show('/agents/scout', { ...having(), previewPolicy: () => outcome(0, 0, payments) });
    await sees(/this policy/);
    payments = 25;
    await (await limitField(fake.page, 'Daily budget')).fill('9');
    await sees('Refusals stay at 25.');
    payments = 26;
    await fake.answer({}, { type: 'transfer', data: {} } as never);
    await sees('Refusals stay at 26.');
  });

  it('closes a row once its hours are right, leaves the focus there, and saves nothing unchanged', async () => {
    const { page } = fake;
    await fake.show('/agents/scout', having());
    await (await limitField(page, 'Maximum per payment')).press('Enter');
    await button('Edit: Maximum per payment').waitFor();
    expect(fake.askedOf('setPolicy')).toEqual([]);
    await addLimit(page, 'Allow payments in certain hours only');
    const to = page.getByRole('textbox', { name: 'To', exact: true });
    await to.fill('08:00');
    await button('Save policy').click();
    await sees('Enter two different times.');
    await to.fill('18:00');
    await button('Done: Hours').press('Enter');
    await button('Edit: Hours').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('edit-activeHours');
  });

  it('limits single services: adds, refuses what is no limit, saves, and takes away', async () => {
    const { page } = fake;
    const { answers } = changing();
    await fake.show('/agents/scout', answers);
    await addLimit(page, 'Limit the spending at single services');
    const rows = page.getByRole('group', { name: 'Limits at single services' });
    await button('Save policy').click();
    await sees('Name each service.', rows);
    await rows.getByRole('combobox', { name: 'Service' }).fill('maps');
    await page.keyboard.press('Tab');
    await button('Save policy').click();
    await sees('Enter an amount for each service.', rows);
    await rows.getByLabel('In 24 hours').fill('2');
    await rows.getByLabel('Per payment').fill('0.5');
    await button('Add a service', rows).click();
    await rows.getByRole('combobox', { name: 'Service' }).nth(1).fill('sandbox-weather');
    await rows.getByLabel('In a month').nth(1).fill('10');
    await page.keyboard.press('Tab');
    await sees('At maps it can spend at most 2.00 USDC in any 24 hours and 0.50 USDC in one payment.');
    expect(changes()).toEqual([]);
    await save();
    const left = { ...policy, serviceLimits: { 'sandbox-weather': { monthlyBudget: '10.00' } } };
    await editLimit(page, 'Limits at single services');
    await button('Remove this service', rows).first().click();
    await fake.answer({ getPolicy: { agentId: 'scout', policy: left }, setPolicy: {} });
    await save('Yes, remove them');
    await editLimit(page, 'Limits at single services');
    await removeLimit(page, 'Limits at single services');
    await fake.answer({ getPolicy: { agentId: 'scout', policy } });
    await save('Yes, remove it');
    const atMaps = { dailyBudget: '2.00', maxPerPayment: '0.50' };
    const sent = [
      { maps: atMaps, 'sandbox-weather': { monthlyBudget: '10.00' } },
      { maps: null },
      { 'sandbox-weather': null },
    ];
    expect(changes()).toEqual(
      sent.map((serviceLimits) => ['setPolicy', { agentId: 'scout', serviceLimits }]),
    );
  });
});

type Group = Partly<Reply<'getGroup'>>;
const research: Group = { groupId: 'grp_1', name: 'Research', limits: { dailyBudget: '2.00' } };
const inGroup = (group: Group, agents: readonly Agent[] = all): Answers => ({
  ...having(agents),
  listGroups: { groups: [group] },
  getGroup: group,
});
const members = (...ids: string[]): Agent[] =>
  all.map((agent) => (ids.includes(agent.agentId ?? '') ? { ...agent, groupId: 'grp_1' } : agent));
const usedOf = (field: 'dailyBudget' | 'weeklyBudget', limit: string, used: string) => ({
  budgets: [{ field, limit, used }],
});
const toGroup = async (name: string): Promise<void> => {
  await dialog().getByLabel('To the group').first().click();
  await fake.page.getByRole('option', { name }).click();
};

describe('a group', () => {
  it('is created with a budget', async () => {
    await fake.show('/agents', having());
    await entry('More for agents', 'New group');
    await dialog().getByLabel('Name').fill('Research');
    await dialog().getByLabel('Daily budget').fill('2');
    await fake.answer({ createGroup: research, getGroup: research, listGroups: { groups: [research] } });
    await button('Create group').click();
    await fake.page.getByRole('heading', { name: 'Research' }).waitFor();
    expect(changes()).toEqual([['createGroup', { name: 'Research', limits: { dailyBudget: '2' } }]]);
  });

  it('has limits that are added, and no empty list of services', async () => {
    const { page } = fake;
    await fake.show('/agents/group/grp_1', inGroup(research));
    await addLimit(page, 'Limit each payment');
    await page.keyboard.type('0.50');
    await addLimit(page, 'Limit the number of payments in 24 hours');
    await page.keyboard.type('20');
    await addLimit(page, 'Allow certain services only');
    await button('Save limits').click();
    await sees('Choose at least one service.');
    expect(changes()).toEqual([]);
    await removeLimit(page, 'Services');
    await button('Save limits').click();
    expect(await asked(1)).toEqual([
      ['setGroupLimits', { groupId: 'grp_1', maxPerPayment: '0.50', paymentsPerDay: 20 }],
    ]);
  });

  it('is allowed no language model by an empty list of them, which is removed again', async () => {
    const { page } = fake;
    await fake.show('/agents/group/grp_1', inGroup(research));
    await addLimit(page, 'Choose the language models it may use');
    await button('Save limits').click();
    expect(await asked(1)).toEqual([['setGroupLimits', { groupId: 'grp_1', allowedModels: [] }]]);
    const limits = { ...research.limits, allowedModels: [] };
    await fake.show('/agents/group/grp_1', inGroup({ ...research, limits }));
    await sees('No model');
    await editLimit(page, 'Language models');
    await removeLimit(page, 'Language models');
    await button('Save limits').click();
    await button('Yes, remove it').click();
    expect(await asked(1)).toEqual([['setGroupLimits', { groupId: 'grp_1', allowedModels: null }]]);
  });

  it('is filled and emptied with a word on what that means, and archived when it is empty', async () => {
    const { page } = fake;
    await fake.show('/agents/group/grp_1', inGroup(research));
    await page.getByLabel('Add an agent').first().click();
    await page.getByRole('option', { name: 'Research Scout' }).click();
    await sees('In Research it starts at 0.', dialog());
    const filled = {
      ...research,
      agents: ['scout'],
      spentToday: '0.30',
      used: usedOf('dailyBudget', '2.00', '0.30'),
    };
    await fake.answer(inGroup(filled, members('scout')), moved);
    await button('Move', dialog()).click();
    await sees('Research Scout is in the group Research now.');
    // The bar of an empty gauge has no width.
    await page
      .getByLabel(/^Daily budget of the group Research: 0.30 of 2.00 used/)
      .waitFor({ state: 'attached' });

    await entry('More for the group Research', 'Archive');
    await sees('It still has 1 agent. Move it out of the group first.');
    expect(await button('Archive').isDisabled()).toBe(true);
    await button('Keep it').click();
    await button('Move to… Research Scout').click();
    await toGroup('No group');
    await sees('The amount that it spent so far stays in Research. No group limits it then.');
    await fake.answer(inGroup({ ...filled, agents: [] }), moved);
    await button('Move', dialog()).click();
    await sees('There are no agents in it yet.');
    await entry('More for the group Research', 'Archive');
    await button('Archive', dialog()).click();
    await page.getByRole('heading', { name: 'Agents' }).waitFor();
    expect(changes()).toEqual([
      ['setAgentGroup', { agentId: 'scout', groupId: 'grp_1' }],
      ['setAgentGroup', { agentId: 'scout', groupId: null }],
      ['archiveGroup', { groupId: 'grp_1' }],
    ]);
  });

  it('is stopped in one click, which says whom that stops, and resumed', async () => {
    const full: Group = { ...research, agents: ['scout', 'planner'] };
    await fake.show('/agents/group/grp_1', inGroup(full, members('scout', 'planner')));
    await sees('planner', fake.page.getByRole('list', { name: 'Agents of the group' }));
    await button('Stop the group Research').click();
    await sees('Research is stopped: Research Scout and planner pay nothing now.');
    const paused = members('scout', 'planner').map((agent) => ({ ...agent, status: 'suspended' as const }));
    await fake.answer(inGroup({ ...full, stoppedAt: '2026-01-02T03:04:05.000Z' }, paused), moved);
    await button('Resume the group Research').click();
    await sees('Research is resumed.');
    expect(changes()).toEqual([
      ['stopGroup', { groupId: 'grp_1' }],
      ['resumeGroup', { groupId: 'grp_1' }],
    ]);
  });

  it('asks about a raise of more than ten times, and tells a name that is taken at its field', async () => {
    await fake.show('/agents/group/grp_1', inGroup(research));
    await (await limitField(fake.page, 'Daily budget')).fill('500');
    await button('Save limits').click();
    await sees('That’s 250 times today’s limit.', dialog());
    await button('Go back').click();
    expect(changes()).toEqual([]);
    await button('Save limits').click();
    const raised = { ...research, limits: { dailyBudget: '500.00' } };
    await fake.answer(inGroup(raised));
    await button('Yes, raise it').click();
    await nothingToSave(fake.page);

    await entry('More for the group Research', 'Rename');
    await dialog().getByLabel('Name').fill('Taken');
    await fake.answer({ renameGroup: fieldErrors({ name: 'There is a group Taken already.' }) });
    await button('Rename', dialog()).click();
    await sees('There is a group Taken already.');
    await fake.answer({ ...inGroup({ ...raised, name: 'Lifted' }), renameGroup: {} });
    await dialog().getByLabel('Name').fill('Lifted');
    await button('Rename', dialog()).click();
    await fake.page.getByRole('heading', { name: 'Lifted' }).waitFor();
    expect(changes()).toEqual([
      ['setGroupLimits', { groupId: 'grp_1', dailyBudget: '500' }],
      ['renameGroup', { groupId: 'grp_1', name: 'Taken' }],
      ['renameGroup', { groupId: 'grp_1', name: 'Lifted' }],
    ]);
  });

  it('has its agents under it in the list, and takes several at once', async () => {
    const { page } = fake;
    const two = all.slice(0, 2);
    await fake.show('/agents', inGroup(research, two));
    await entry('More for agents', 'Select');
    await button('Select all').click();
    await button('Move to…').click();
    await toGroup('Research');
    const full: Group = { ...research, agents: ['scout', 'planner'] };
    const joined = two.map((agent) => ({ ...agent, groupId: 'grp_1' }));
    await fake.answer(inGroup(full, joined), moved);
    await button('Move', dialog()).click();
    const list = page.getByRole('list', { name: 'Agents of Research' });
    await sees('planner', list);
    expect(await list.getByRole('listitem').count()).toBe(2);
    expect(changes()).toEqual(
      ['scout', 'planner'].map((agentId) => ['setAgentGroup', { agentId, groupId: 'grp_1' }]),
    );
    await button('Show Research').click();
    await list.waitFor({ state: 'hidden' });
    await fake.show('/agents/scout', inGroup(full, joined));
    await page.getByRole('link', { name: 'Research', exact: true }).waitFor();
  });
});

const rows = () => fake.page.getByRole('table', { name: 'Agents' }).getByRole('row');

const first = (name: string) => until(name, async () => (await rows().nth(1).innerText()).includes(name));

describe('many agents', () => {
  const crew = Array.from({ length: 21 }, (_, at): Agent => {
    const name = `worker-${String.fromCodePoint(97 + at)}`;
    return { agentId: name, displayName: name, balance: `${at}.00`, inForce: { dailyBudget: '5.00' } };
  });
  const held: Agent = { ...crew[9], asking: 'It asks for 3.00 USDC in an hour.' };

  it('are rows, trouble first, and sorted by any column; a few are cards', async () => {
    await fake.show('/agents', having([...crew.slice(0, 9), held, ...crew.slice(10)]));
    await first('worker-j');
    expect(await rows().nth(1).innerText()).toContain('Asks you');
    await button('Balance').click();
    await first('worker-u');
    await button('Balance').click();
    await first('worker-a');
    const sorted = fake.page.getByRole('columnheader', { name: 'Balance' });
    expect(await sorted.getAttribute('aria-sort')).toBe('ascending');
    await fake.page.evaluate(`localStorage.removeItem('agents-by')`);
    await fake.show('/agents', having(crew.slice(0, 20)));
    await fake.page.getByRole('list', { name: 'Agents' }).waitFor();
    await sees('Balance');
  });

  it('keep their groups closed, unless one is in trouble, and show the budgets of the groups', async () => {
    const ids = crew.map(({ agentId }) => agentId ?? '');
    const quiet: Group = { groupId: 'grp_2', name: 'Quiet', agents: ids };
    const used = usedOf('dailyBudget', '6.00', '2.87');
    const loud: Group = { groupId: 'grp_3', name: 'Loud', agents: ['held'], used };
    const listed = { listGroups: { groups: [quiet, loud] } };
    await fake.show('/agents', { ...having([...crew, { ...held, agentId: 'held' }]), ...listed });
    await fake.page.getByRole('table', { name: 'Agents of Loud' }).waitFor();
    expect(await button('Show Quiet').getAttribute('aria-expanded')).toBe('false');
    await sees(/^2.87/, fake.page.getByRole('region', { name: 'Loud' }));
  });
});

describe('an agent’s tab', () => {
  it('is in its address, and stays over a reload', async () => {
    await fake.show('/agents/scout/history', having());
    await fake.page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await fake.page.getByRole('tab', { name: 'Watch' }).click();
    expect(fake.page.url()).toMatch(/#\/agents\/scout\/watch$/);
    await fake.show('/agents/scout/nowhere', having());
    await fake.page.getByRole('tab', { name: 'Policy', selected: true }).waitFor();
  });
});

describe('the limits of all agents', () => {
  it('are set beside the ceiling, and shown with each agent', async () => {
    await fake.show('/settings', having());
    await addLimit(fake.page, 'Limit the spending in any 7 days');
    await fake.page.keyboard.type('40');
    await button('Save limits').click();
    await sees('The limits of all agents are saved.');
    expect(changes()).toEqual([['setTreasuryLimits', { weeklyBudget: '40' }]]);
    await fake.show('/agents/planner', {
      ...having(),
      getLimits: { above: [{ node: { kind: 'treasury' }, ...usedOf('weeklyBudget', '40.00', '0.00') }] },
    });
    await fake.page
      .getByLabel(/^Weekly budget of all agents: .* of 40.00 used/)
      .waitFor({ state: 'attached' });
  });
});
