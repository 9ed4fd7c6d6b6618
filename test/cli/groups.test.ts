// Groups of agents in a terminal: by their names or ids, from their creation to their archiving.
import { describe, expect, it } from 'vitest';
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
    await said('groups add Research --weekly-budget 1');
    expect(await said('groups move scout Research')).toBe('scout  in the group Research\n');
    expect((await scout.pay('0.30')).status).toBe(200);
    expect(await said('groups stop Research')).toMatch(/^Status +stopped since .*\nAgents +scout$/m);
    expect((await scout.pay('0.01')).body['code']).toBe('suspended');
    expect(await said('groups resume Research')).toMatch(/^Status +active$/m);
    expect(await command('groups archive Research')).toMatchObject({
      stderr: 'This group still has agents. Move them out of it first.\n',
    });
    const own = await said('limits scout');
    expect(own).toMatch(/\n\nThe group Research:\nLIMIT .*\nWeekly budget +0\.30 +1\.00 +0\.70\n/);
    expect(await said('groups move scout none')).toBe('scout  in no group\n');
    expect(await said('limits scout')).not.toContain('Research');
    expect(await said('groups set Research')).toMatch(/^Spent today +0\.30 USDC$/m);
  });

  it('completes the names of groups, and the id where a shell would cut the name', async () => {
    const made = await command(['groups', 'add', 'Two words', '--json']);
    expect(await completed(['stop'])).toBe(`Research\tgroup\n${String(made.json['groupId'])}\tTwo words\n`);
    expect(await completed(['move', 'scout'])).toMatch(/^Research\t[^]*\nnone\tno group\n$/);
  });
});

it('treasury limits without an agent prints and sets those of all agents together', async () => {
  expect(await said('limits')).toBe('No limit over all agents together.\n');
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
