// The limits of an agent and the owner's time zone in a terminal, and the recipes of the documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deploy } from '../harness/treasury.ts';
import { command, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

const document = new URL('../../build/docs/limits.md', import.meta.url);

it('each recipe of limits.md is in force once it is run', async () => {
  const recipes = [
    ...readFileSync(document, 'utf8').matchAll(/^treasury ((?:policy|groups|limits) .+)$/gm),
  ].map(([, line = '']) => line);
  await deploy(treasury.client, 'planner');
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
  const [group] = (await treasury.client.get('/v1/groups')).body['groups'];
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
