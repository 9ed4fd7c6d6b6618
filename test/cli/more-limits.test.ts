// Boosts, refills and delegated keys in a terminal.
import { describe, expect, it } from 'vitest';
import { command, scout, treasury, useTreasury } from './cli-treasury.ts';

useTreasury();

const said = async (line: string | readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await command(line);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

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
    await said('policy scout --daily-budget 0.1 --max-per-payment 5');
    const refused = await scout.pay('0.15');
    const id = String(refused.body['details'].paymentId);
    expect(await said(`boost for ${id} --dry-run`)).toMatch(/^Scout +0\.05 USDC more until /i);
    expect((await scout.pay('0.15')).status).toBe(402);
    await said(`boost for ${id}`);
    expect((await scout.pay('0.15')).status).toBe(200);
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
