// Limits in a terminal: of agents, of groups by their names or ids, and of all together; boosts, refills and delegated keys; the
// owner's time zone, and the recipes of the documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deploy } from '../harness/treasury.ts';
import { command, scout, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

const said = async (line: string | readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await command(line);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

const completed = (words: string[]) => said(['__complete', '--', 'groups', ...words, '']);

describe('treasury groups', () => {
  it('makes, lists, limits, renames and archives a group', async () => {
    expect(await said('groups')).toBe('No groups yet. Make one: treasury groups add NAME --daily-budget 5\n');
    const made = await said([
      'groups',
      'add',
      'Night shift',
      '--daily-budget',
      '5',
      '--active-hours',
      'mon-fri 22:00-06:00',
    ]);
    expect(made).toMatch(/^Group +Night shift \(grp_\w+\)$/m);
    expect(made).toMatch(/^Hours +Mon-Fri 22:00-06:00$/m);
    expect(await said('groups')).toMatch(/^GROUP +STATUS .*\nNight shift +active +0 +0\.00 +5\.00 +grp_/);
    const changed = await said([
      'groups',
      'set',
      'Night shift',
      '--active-hours',
      'none',
      '--monthly-budget',
      '60',
    ]);
    expect(changed).not.toContain('Hours');
    expect(changed).toMatch(/^Monthly budget +0\.00 +60\.00 +60\.00$/m);
    expect(await said(['groups', 'set', 'Night shift'])).toBe(changed);
    expect(await said(['groups', 'rename', 'Night shift', 'Nights'])).toMatch(/^Group +Nights /);
    const { groupId } = (await command('groups set Nights --json')).json;
    expect(await said(`groups archive ${String(groupId)}`)).toContain('archived');
    expect(await command('groups set Nights')).toMatchObject({
      stderr: 'There is no group Nights. treasury groups lists them.\n',
    });
  });

  it('moves an agent, stops the group and resumes it', async () => {
    await said('groups add Papers --weekly-budget 1');
    expect(await said('groups move scout Papers')).toBe('scout  in the group Papers\n');
    expect((await scout.pay('0.30')).status).toBe(200);
    expect(await said('groups stop Papers')).toMatch(/^Status +stopped since .*\nAgents +scout$/m);
    expect((await scout.pay('0.01')).body['code']).toBe('suspended');
    expect(await said('groups resume Papers')).toMatch(/^Status +active$/m);
    expect(await command('groups archive Papers')).toMatchObject({
      stderr: 'This group still has agents. Move them out of it first.\n',
    });
    const own = await said('limits scout');
    expect(own).toMatch(/\n\nThe group Papers:\nLIMIT .*\nWeekly budget +0\.30 +1\.00 +0\.70\n/);
    expect(await said('groups move scout none')).toBe('scout  in no group\n');
    expect(await said('limits scout')).not.toContain('Papers');
    expect(await said('groups set Papers')).toMatch(/^Spent today +0\.30 USDC$/m);
  });

  it('completes the names of groups, and the id where a shell would cut the name', async () => {
    const made = await command(['groups', 'add', 'Two words', '--json']);
    expect(await completed(['stop'])).toBe(`Papers\tgroup\n${String(made.json['groupId'])}\tTwo words\n`);
    expect(await completed(['move', 'scout'])).toMatch(/^Papers\t[^]*\nnone\tno group\n$/);
  });
});

it('treasury limits without an agent prints and sets those of all agents together', async () => {
  expect(await said('limits')).toBe('No limit for all agents together.\n');
  expect(await said('limits --payments-per-day 500 --max-per-payment 2')).toMatch(
    /^Max per payment +2\.00 USDC\nPayments in a day +500 payments\n\nLIMIT /,
  );
  expect(await said('limits scout')).toMatch(
    /\n\nAll agents together:\nLIMIT .*\nPayments in a day +\d+ +500 /,
  );
  expect(await command('limits scout --payments-per-day 5')).toMatchObject({
    code: 2,
    stderr: 'The limits of an agent are its policy: treasury policy scout --help\n',
  });
  const { limits } = (await treasury.client.get('/v1/treasury/limits')).body;
  expect(limits).toMatchObject({ paymentsPerDay: 500, maxPerPayment: '2.00' });
  await said('limits --payments-per-day none --max-per-payment none');
});

describe('treasury boost', () => {
  it('raises, lists and ends boosts, of an agent, a group and all agents', async () => {
    expect(await said('boost')).toBe('No boost is in force. Make one: treasury boost agent AGENT 2\n');
    expect(await said('boost agent scout 2')).toMatch(/^Scout +2\.00 USDC more until .* \(bst_\w+\)\n$/i);
    await said('groups add Nights --daily-budget 1');
    expect(await said('boost group Nights 1')).toMatch(/^the group Nights +1\.00 USDC more until /);
    expect(await said('boost all 3 --json')).toContain('"amount":"3.00"');
    const listed = await said('boost');
    expect(listed).toMatch(/^OF +MORE +UNTIL +BOOST\n/);
    for (const name of ['the group Nights', 'all agents']) expect(listed).toContain(name);
    const id = /(bst_\w+)/.exec(listed)?.[1] ?? '';
    expect(await said(`boost end ${id}`)).toContain('no boost');
    expect(await said('boost all 0')).toContain('no boost');
    expect(await command('boost agent scout 2 --until 2020-01-01')).toMatchObject({
      stderr: expect.stringMatching(/^until: must lie in the future, at /),
    });
    await said('boost agent scout 0');
  });

  it('lets a refused payment pass when the agent asks again', async () => {
    const planner = await deploy(treasury.client, 'planner');
    await said('policy planner --daily-budget 0.1');
    const refused = await planner.pay('0.15');
    const id = String(refused.body['details'].paymentId);
    expect(await said(`boost for ${id} --dry-run`)).toMatch(/^planner +0\.05 USDC more until /);
    expect((await planner.pay('0.15')).status).toBe(402);
    await said(`boost for ${id}`);
    expect((await planner.pay('0.15')).status).toBe(200);
  });
});

describe('treasury refill', () => {
  it('sets and ends a refill, and says what is missing', async () => {
    expect(await said('refill scout')).toMatch(/^Refill +off$/m);
    expect(await command('refill scout --below 2')).toMatchObject({
      stderr: 'A refill needs all of --below, --to and --per-day.\n',
    });
    const on = await said('refill scout --below 0.5 --to 1 --per-day 3');
    expect(on).toMatch(/^Refill +below 0\.50 USDC up to 1\.00 USDC, at most 3\.00 USDC in 24 hours$/m);
    expect(await command('refill scout --below 2 --to 2.05 --per-day 3')).toMatchObject({
      stderr: 'refill.to: must be at least 0.10 USDC above below.\n',
    });
    expect(await said('refill scout --off')).toMatch(/^Refill +off$/m);
  });
});

describe('treasury delegate', () => {
  it('allows, mints, lists, ends and forbids', async () => {
    expect(await said('delegate scout')).toBe('No delegated key is in force.\n');
    expect(await said('delegate allow scout')).toBe('scout  may delegate keys\n');
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const made = await said([
      'delegate',
      'key',
      'scout',
      '--label',
      'find papers',
      '--until',
      until,
      '--total-budget',
      '1',
    ]);
    expect(made).toMatch(/^Key +atk_[\w-]{43}$/m);
    const key = /^Key +(\S+)$/m.exec(made)?.[1] ?? '';
    const listed = await said('delegate list scout');
    expect(listed).toMatch(/find papers +1 +\d\.\d+ +.* +never/);
    expect(listed).not.toContain(key);
    const keyId = /^Id +(\S+)$/m.exec(made)?.[1] ?? '';
    expect(await said(`delegate end scout ${keyId}`)).toBe('find papers  ended\n');
    const path = '/v1/agents/scout/limits';
    expect((await treasury.client.as(key).get(path)).body['code']).toBe('key_ended');
    expect(await command(['delegate', 'key', 'scout', '--label', 'x', '--until', until])).toMatchObject({
      stderr: 'dailyBudget: dailyBudget or totalBudget is required.\n',
    });
    expect(await said('delegate forbid scout')).toBe('scout  delegates no keys\n');
  });
});

const document = new URL('../../build/docs/limits.md', import.meta.url);

it('each recipe of limits.md is in force once it is run', async () => {
  const recipes = [
    ...readFileSync(document, 'utf8').matchAll(/^treasury ((?:policy|groups|limits) .+)$/gm),
  ].map(([, line = '']) => line);
  expect(recipes).toHaveLength(12);
  for (const recipe of recipes) {
    const args = [...recipe.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
    expect([recipe, await command(args)]).toMatchObject([recipe, { code: 0, stderr: '' }]);
  }
  const { policy } = (await treasury.client.get('/v1/agents/scout/policy')).body;
  expect(policy).toMatchObject({
    dailyBudget: '5.00',
    monthlyBudget: '60.00',
    totalBudget: null,
    activeHours: null,
    expiresAt: null,
    paymentsPerHour: null,
    approveAbove: '0.25',
  });
  const { groups } = (await treasury.client.get('/v1/groups')).body;
  const group = groups.find(({ name }: { name: string }) => name === 'Research');
  expect(group).toMatchObject({ name: 'Research', agents: ['scout', 'planner'], stoppedAt: null });
  expect(group.limits).toMatchObject({ weeklyBudget: '10.00' });
  expect((await treasury.client.get('/v1/treasury/limits')).body['limits'].monthlyBudget).toBe('100.00');
});

it('limits are printed as they are written', async () => {
  const set = ['--active-hours', 'mon-fri 22:00-06:00', '--expires-at', '2030-01-31'];
  const at = ['--service-limits', 'web-search 10/day 1/payment, maps 2.5/month'];
  const { stdout } = await command(['policy', 'scout', ...set, ...at, '--payments-per-hour', '30']);
  expect(stdout).toMatch(/^Service limits +maps 2.50\/month, web-search 10.00\/day 1.00\/payment$/m);
  expect(stdout).toMatch(/^Hours +Mon-Fri 22:00-06:00$/m);
  expect(stdout).toMatch(/^Ends +2030-01-31T00:00:00.000Z$/m);
  expect(stdout).toMatch(/^Payments in an hour +30 payments$/m);
  for (const [flag, wrong, means] of [
    ['--active-hours', 'always', 'It must be days and hours such as "mon-fri 08:00-19:00".'],
    ['--service-limits', 'maps 10/week', 'It must be services with their limits, such as'],
    ['--expires-at', '2030-02-30', 'It must be a date such as 2030-01-31'],
    ['--payments-per-hour', 'many', 'It must be a whole number.'],
  ] as const)
    expect(await command(['policy', 'scout', flag, wrong])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(means),
    });
});

it('all limits are written to a new file, and to no file that exists', async () => {
  const file = join(treasury.dataDir, 'limits.json');
  expect(await command(['limits', '--out', file])).toMatchObject({
    code: 0,
    stdout: `Written to ${file}.\n`,
  });
  const { policy } = (await treasury.client.get('/v1/agents/scout/policy')).body;
  const { groups } = (await treasury.client.get('/v1/groups')).body;
  const written = JSON.parse(readFileSync(file, 'utf8'));
  expect(written.agents).toContainEqual({
    agentId: 'scout',
    displayName: 'scout',
    policy,
    delegatedKeys: [],
  });
  expect(written.groups.map(({ limits }: { limits: unknown }) => limits)).toEqual(
    groups.map(({ limits }: { limits: unknown }) => limits),
  );
  expect(written.treasury).toMatchObject({ monthlyBudget: '100.00' });
  expect(await command(['limits', '--out', file])).toMatchObject({
    code: 1,
    stderr: `${file} exists already. Name another file.\n`,
  });
  expect(await command(['limits', 'scout', '--out', file])).toMatchObject({ code: 2 });
  for (const [name, code] of [
    ['limits.json/below', 'ENOTDIR'],
    ['none/limits.json', 'ENOENT'],
    ['n'.repeat(300), 'ENAMETOOLONG'],
  ] as const) {
    const place = join(treasury.dataDir, name);
    expect(await command(['limits', '--out', place])).toMatchObject({
      code: 1,
      stderr: `The limits could not be written to ${place} (${code}).\n`,
    });
  }
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(written);
});

it('the removal of a service tells first which limits end with it, and whose they are', async () => {
  const { store } = treasury.host.engine.context;
  const known = store.services.get('sandbox-weather');
  if (known === undefined) throw new Error('the sandbox sells the weather');
  store.atomically(() => store.services.upsert({ ...known, id: 'mine' }, { addedByOwner: true }));
  const limits = { serviceLimits: { mine: { dailyBudget: '1', maxPerPayment: '0.5' } } };
  await treasury.client.post('/v1/agents/scout/policy', limits);
  await treasury.client.post('/v1/treasury/limits', limits);
  await treasury.client.post('/v1/groups', { name: 'Press', limits });
  await treasury.client.post('/v1/agents/scout/delegated-keys', {
    ...limits,
    label: 'All agents',
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    dailyBudget: '1',
  });
  const { code, stdout } = await command(['services', 'remove', 'mine', '--yes']);
  const ends = 'at most 1.00 USDC in any 24 hours and 0.50 USDC in one payment';
  expect([code, stdout.split('\n').toSorted()]).toEqual([
    0,
    [
      '',
      'Payments to its address count as those of the address. Set limits there instead.',
      'Removed.',
      `The removal ends the limit of all agents together: ${ends}.`,
      `The removal ends the limit of the agent scout: ${ends}.`,
      `The removal ends the limit of the delegated key "All agents": ${ends}.`,
      `The removal ends the limit of the group Press: ${ends}.`,
    ],
  ]);
});

it('the time zone is printed, and set by its name', async () => {
  expect((await command(['time-zone', 'Europe/Lisbon'])).stdout).toBe('Europe/Lisbon\n');
  expect((await command(['time-zone', '--json'])).stdout).toContain('"timeZone":');
  expect(await command(['time-zone', 'Mars/Olympus'])).toMatchObject({
    stderr: 'timeZone: must be a time zone such as Europe/Lisbon.\n',
  });
});

it('what is used is a table, or JSON', async () => {
  await treasury.client.post('/v1/agents/scout/policy', { paymentsPerDay: 5 });
  const { stdout } = await command(['limits', 'scout']);
  expect(stdout).toMatch(/^LIMIT +USED +OF +LEFT +FREE AGAIN\nDaily budget +\d/);
  expect(stdout).toMatch(/^Payments in a day +\d +5 +\d$/m);
  expect((await command(['limits', 'scout', '--json'])).json.rates).toContainEqual(
    expect.objectContaining({ field: 'paymentsPerDay', limit: 5 }),
  );
});
