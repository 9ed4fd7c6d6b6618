// Every subcommand against a real treasury: its effect there, its output, and its exit code.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { policyInReply, usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import { usdc } from '../../server/money.ts';
import { deploy, until } from '../harness/treasury.ts';
import { asAgent, command, home, scout, treasury, useTreasury } from './cli-treasury.ts';
import { letIn, type Ended } from './terminal.ts';

useTreasury();

const asJson = (...args: string[]): Promise<Ended> => command([...args, '--json']);
const balanceOf = async (agentId: string): Promise<string> =>
  (await treasury.client.get(`/v1/agents/${agentId}/balance`)).body['balance'];
const isFrozen = async (): Promise<boolean> => (await treasury.client.get('/v1/dashboard')).body['frozen'];
const weather = ['pay', 'scout', 'sandbox-weather'];
/** Has the agent ask for a payment that needs the owner's approval. */
const ask = async (amount = '0.60'): Promise<string> => (await scout.pay(amount)).body['approvalId'];
const statusOf = async (approvalId: string): Promise<string> =>
  (await treasury.client.get(`/v1/approvals/${approvalId}`)).body['status'];

describe('agents', () => {
  it('are listed under a heading, or as JSON', async () => {
    const { stdout } = await command(['agents']);
    expect(stdout).toMatch(/^AGENT +NAME +STATUS +USDC +SPENT TODAY +DAILY BUDGET +WAITING\n/);
    expect(stdout).toMatch(/\nscout +scout +active +\d+\.\d+ /);
    expect((await asJson('agents')).json.agents[0]).toMatchObject({ agentId: 'scout', status: 'active' });
  });

  it('are made with an API key that is shown once, and given USDC', async () => {
    const limits = ['--daily-budget', '3', '--max-per-payment', '0.5'];
    const made = await command(['deploy', 'writer', ...limits, '--name', 'The writer', '--allocate', '2']);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const [key = ''] = /atk_[\w-]+/.exec(made.stdout) ?? [];
    expect((await treasury.client.as(key).get('/v1/agents/writer/policy')).body['policy']).toMatchObject({
      dailyBudget: '3.00',
      maxPerPayment: '0.50',
    });
    expect(await balanceOf('writer')).toBe('2.00');

    const again = await command(['deploy', 'writer', ...limits]);
    expect(again).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'agentId: there is an agent writer already.\n',
    });
    const json = await asJson('deploy', 'reader', ...limits, '--allocate', '1.5');
    expect(json.json.mcpConfig.env.TREASURY_API_KEY).toMatch(/^atk_/);
    expect(await balanceOf('reader')).toBe('1.50');
  });

  it('keep their API key when the first allocation is refused', async () => {
    const ended = await command(
      'deploy greedy --daily-budget 1 --max-per-payment 1 --allocate 900000'.split(' '),
    );
    expect(ended.code).toBe(6);
    expect(ended.stdout).toContain('atk_');
    expect(ended.stderr).not.toBe('');
  });

  it('that are archived are listed while they hold USDC, with the command that takes it back', async () => {
    const old = await deploy(treasury.client, 'old', { allocate: null });
    await treasury.client.post('/v1/agents/old/archive');
    expect((await command(['agents'])).stdout).not.toContain('old is archived');
    const { context } = treasury.host.engine;
    const { get } = context.store.wallets;
    vi.spyOn(context.store.wallets, 'get').mockImplementation((address) => {
      const wallet = get(address);
      return address === old.wallet && wallet !== undefined
        ? { ...wallet, balance: usdc(7_000_000n) }
        : wallet;
    });
    const { stdout } = await command(['agents']);
    vi.restoreAllMocks();
    expect(stdout).toContain('old is archived and holds 7.00 USDC. Take it back: treasury recall old 7.00');
  });

  it('are renamed, killed and resumed', async () => {
    expect((await asJson('rename', 'writer', 'Ms Writer')).json).toEqual({
      agentId: 'writer',
      displayName: 'Ms Writer',
    });
    expect(await command(['kill', 'writer'])).toMatchObject({
      code: 0,
      stdout: 'writer  suspended\n',
    });
    expect((await treasury.client.get('/v1/agents')).text).toContain('"suspended"');
    expect((await asJson('resume', 'writer')).json).toEqual({ agentId: 'writer', status: 'active' });
    expect(await command(['kill', 'nobody'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('are given USDC and give it back, once per idempotency key', async () => {
    for (const _ of [1, 2]) {
      const moved = await asJson('allocate', 'writer', '1', '--key', 'alloc-1');
      expect(moved.json).toMatchObject({ amount: '1.00', balance: '3.00', status: 'confirmed' });
    }
    expect(await command(['recall', 'writer', '2.5'])).toMatchObject({ code: 0, stderr: '' });
    expect(await balanceOf('writer')).toBe('0.50');
    expect(await command(['recall', 'writer', '70'])).toMatchObject({ code: 6, stdout: '' });
  });
});

describe('a policy', () => {
  it('is printed, and changed only in the fields that are given', async () => {
    expect((await command(['policy', 'writer'])).stdout).toMatch(/^Daily budget +3.00 USDC$/m);
    const changes =
      '--daily-budget 4 --max-per-payment 1 --cooldown-seconds 5 --allowed-services sandbox-weather,other ' +
      '--approve-above 0.25 --new-payees approve --approval-minutes 30';
    expect((await asJson('policy', 'writer', ...changes.split(' '))).json.policy).toEqual({
      ...policyInReply(usualPolicy),
      dailyBudget: '4.00',
      maxPerPayment: '1.00',
      cooldownSeconds: 5,
      allowedServices: ['sandbox-weather', 'other'],
      approveAbove: '0.25',
      newPayees: 'approve',
      approvalMinutes: 30,
    });
    const loose = await asJson('policy', 'writer', '--approve-above', 'none', '--allowed-services', 'any');
    expect(loose.json.policy).toMatchObject({ approveAbove: null, allowedServices: [], dailyBudget: '4.00' });
  });

  it('is loosened for an agent only once the owner has approved', async () => {
    const asked = await asAgent(['policy', 'scout', '--daily-budget', '50']);
    expect(asked).toMatchObject({ code: 3, stdout: '' });
    const [, approvalId = ''] = /treasury approve (\S+)/.exec(asked.stderr) ?? [];
    expect((await asAgent(['policy', 'scout'])).stdout).toContain('5.00 USDC');
    const shown = await command(['approve', approvalId], { typed: ['no'] });
    expect(shown.stdout).toMatch(/from\.dailyBudget +5\.00\n/);
    expect(shown.stdout).toMatch(/to\.dailyBudget +50\.00\n/);
    await command(['deny', approvalId]);
  });
});

describe('paying', () => {
  it('works for the owner and for the agent itself, and never pays twice under one idempotency key', async () => {
    const first = await asJson(
      ...weather,
      '0.01',
      '--key',
      'k-1',
      '--invoice',
      'i-1',
      '--description',
      'rain?',
    );
    expect(first).toMatchObject({ code: 0, json: { status: 'confirmed', amount: '0.01' } });
    expect(
      (await asJson(...weather, '0.01', '--key', 'k-1', '--invoice', 'i-1', '--description', 'rain?')).json,
    ).toEqual(first.json);

    const own = await asAgent([...weather, '0.02']);
    expect(own).toMatchObject({ code: 0, stderr: '' });
    expect(own.stdout).toContain('0.02 USDC to sandbox-weather');
    const [, paymentId = ''] = /Payment +(\S+)/.exec(own.stdout) ?? [];
    expect((await asAgent(['payment', paymentId])).stdout).toMatch(/Status +Paid\n/);
    const seen = await command(['payment', paymentId]);
    // In the words of the dashboard, with the owner's name of the agent.
    expect(seen.stdout).toMatch(/Status +Paid and final\.\n/);
    expect(seen.stdout).toMatch(/\nSigned +\d{4}-/);
    expect((await asJson('payment', paymentId)).json).toMatchObject({ id: paymentId, amount: '0.02' });
  });

  it('is refused by the policy with the reason', async () => {
    const ended = await command([...weather, '2']);
    expect(ended).toMatchObject({ code: 6, stdout: '' });
    // An owner is not told to ask the owner.
    expect(ended.stderr).toMatch(/^scout may spend at most 1\.00 USDC in one payment\./);
    // The owner reads the owner's words, also of a payment that an agent asked for.
    const { details } = JSON.parse((await asAgent([...weather, '2', '--json'])).stderr);
    const why = 'scout may spend at most 1.00 USDC in one payment. This one was for 2.00 USDC.';
    const shown = await command(['payment', details.paymentId]);
    expect(shown.stdout).toMatch(new RegExp(`Why +${why}\n`));
    expect((await command(['history'])).stdout).toContain(why);
    expect(await command(['pay', 'scout', 'no-such-service', '1'])).toMatchObject({ code: 1 });
    expect(await command(['payment', 'pay_none'])).toMatchObject({ code: 1, stdout: '' });
  });

  it('waits for the owner’s approval above the threshold, and says how to give it', async () => {
    const asked = await asAgent([...weather, '0.7', '--json']);
    expect(asked).toMatchObject({ code: 3, json: { status: 'awaiting_approval' } });
    expect(asked.stderr).toContain(`treasury approve ${asked.json.approvalId}`);
    await command(['deny', asked.json.approvalId]);
  });

  it('with an API key that is not in force is refused, and the owner’s login stays', async () => {
    const env = { TREASURY_API_KEY: 'atk_wrong' };
    const ended = await command([...weather, '0.01'], { env });
    expect(ended).toMatchObject({ code: 5, stdout: '' });
    expect(ended.stderr).toContain('TREASURY_API_KEY is no working key');
    expect(ended.stderr).not.toContain('atk_wrong');
  });
});

/** Has the agent ask with a reason. Returns the approval as the owner is shown it. */
const askedWithReason = async (...args: string[]): Promise<unknown> => {
  const ended = await asAgent([...args, '--reason', 'the report needs it', '--json']);
  expect([ended.code, ended.json.approvalId], ended.stderr).toEqual([3, expect.any(String)]);
  const shown = (await treasury.client.get(`/v1/approvals/${ended.json.approvalId}`)).body['shown'];
  await treasury.client.post(`/v1/approvals/${ended.json.approvalId}/deny`);
  return shown;
};

describe('a reason', () => {
  it('travels with an agent’s request, and the owner reads it', async () => {
    const reason = 'the report needs it';
    expect(await askedWithReason('allocate', 'scout', '0.10')).toMatchObject({ reason });
    expect(await askedWithReason('policy', 'scout', '--max-per-payment', '50')).toMatchObject({ reason });
    const limits = ['--daily-budget', '1', '--max-per-payment', '1'];
    expect(await askedWithReason('deploy', 'reasoned', ...limits)).toMatchObject({ reason });
    await treasury.client.post('/v1/agents/scout/kill');
    expect(await askedWithReason('resume', 'scout')).toMatchObject({ reason });
    await treasury.client.post('/v1/agents/scout/resume');
    const paid = await asAgent([...weather, '0.01', '--reason', reason, '--json']);
    expect((await command(['payment', paid.stdout && JSON.parse(paid.stdout).paymentId])).stdout).toMatch(
      /The agent says +the report needs it\n/,
    );
  });

  it('cannot be given by the owner', async () => {
    const ended = await command(['allocate', 'scout', '0.10', '--reason', 'because']);
    expect([ended.code, ended.stdout]).toEqual([2, '']);
    expect(ended.stderr).toContain('--reason is what an agent tells its owner');
  });
});

describe('approvals', () => {
  it('are listed, shown exactly, and allowed after a yes', async () => {
    const approvalId = await ask();
    expect((await command(['approvals'])).stdout).toMatch(
      new RegExp(`${approvalId} +scout +to pay Sandbox Weather +0.60 +Waiting`),
    );
    const { body } = await treasury.client.get(`/v1/approvals/${approvalId}`);
    const ended = await command(['approve', approvalId], { typed: ['y'] });
    expect(ended.code).toBe(0);
    for (const [name, value] of Object.entries(body['shown']))
      expect(ended.stdout).toMatch(new RegExp(`^${name}${value === '' ? '' : ` +${value ?? 'none'}`}$`, 'm'));
    expect(ended.stdout).toContain(body['shown'].payee);
    expect(ended.stdout).toMatch(/budget +\S+ spent, \S+ with this, of 5\.00\n/);
    expect(await statusOf(approvalId)).toBe('granted');
    expect((await asJson('approvals')).json.approvals).toEqual([]);
    expect((await asJson('approvals', '--all')).json.approvals.length).toBeGreaterThan(0);
    expect(await command(['approve', approvalId, '--yes'])).toMatchObject({ code: 1 });
    // The place is for the owner alone.
    const { paymentId } = body['shown'] as { paymentId: string };
    expect((await command(['payment', paymentId])).stdout).toMatch(
      /\nYou approved it +\S+ \S+  With the command\.\n/,
    );
    const results = [treasury.client, scout.client].map((by) => by.get(`/v1/approvals/${approvalId}`));
    const [owners, agents] = (await Promise.all(results)).map((answer) => answer.body['result']);
    expect([owners, agents]).toMatchObject([{ paymentId, from: 'command' }, { paymentId }]);
    expect(agents).not.toHaveProperty('from');
  });

  it('are not allowed without a yes: no terminal, another answer, or the end of the input', async () => {
    const approvalId = await ask();
    const mute = await command(['approve', approvalId]);
    expect(mute.code).toBe(3);
    expect(mute.stderr).toContain('--yes');
    for (const typed of ['', 'n', 'yes please'])
      expect(await command(['approve', approvalId], { typed: [typed] })).toMatchObject({ code: 3 });
    expect(await statusOf(approvalId)).toBe('pending');
    expect((await asJson('deny', approvalId)).json.status).toBe('denied');
    expect(await command(['deny', approvalId])).toMatchObject({ code: 1 });
  });

  it('can allow further payments to the service, up to a sum until a time', async () => {
    const approvalId = await ask();
    expect(await command(['approve', approvalId, '--yes', '--up-to', '1'])).toMatchObject({
      code: 2,
    });
    const nextDay = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const ended = await asJson('approve', approvalId, '--yes', '--up-to', '1', '--until', nextDay);
    expect(ended).toMatchObject({ code: 0, json: { status: 'granted' } });
    const { body } = await treasury.client.get('/v1/grants');
    expect(body['grants']).toMatchObject([{ agentId: 'scout', serviceId: 'sandbox-weather', upTo: '1.00' }]);
    await treasury.client.call('DELETE', `/v1/grants/${body['grants'][0].grantId}`);
  });

  it('that are standing are listed with their payees, and an ended one with its reason', async () => {
    const { grants } = (await asJson('grants')).json;
    expect(grants[0].payees.length).toBeGreaterThan(0);
    const { stdout } = await command(['grants']);
    expect(stdout).toMatch(/^STANDING +AGENT +SERVICE +USED +UP TO +UNTIL +PAYEES +ENDED\n/);
    expect(stdout).toContain(grants[0].payees[0]);
    const { store } = treasury.host.engine.context;
    const [given] = store.grants.list();
    if (given === undefined) throw new Error('there is no standing approval from the test before');
    store.atomically(() => {
      store.grants.insert({ ...given, id: 'grt_ended', revokedAt: null });
      store.grants.end('grt_ended', Date.now(), 'it was an older copy');
    });
    expect((await command(['grants'])).stdout).toContain('it was an older copy');
  });

  it('of a new agent show its API key once', async () => {
    const asked = await asAgent([
      'deploy',
      'helper',
      '--daily-budget',
      '1',
      '--max-per-payment',
      '1',
      '--json',
    ]);
    expect(asked.code).toBe(3);
    const granted = await command(['approve', asked.json.approvalId, '--yes']);
    const [key = ''] = /atk_[\w-]+/.exec(granted.stdout) ?? [];
    expect((await treasury.client.as(key).get('/v1/agents/helper/balance')).status).toBe(200);
  });
});

describe('stopping', () => {
  it('everything asks no question, and starting again asks the owner', async () => {
    const frozen = await command(['freeze', '--reason', 'a \u001B[31mtest']);
    expect(frozen.code).toBe(0);
    expect(frozen.stdout).toMatch(/^Frozen: a {1,2}\[31mtest\. Nothing is paid until you unfreeze\.\n/);
    expect(await command([...weather, '0.01'])).toMatchObject({ code: 7, stdout: '' });

    expect(await command(['unfreeze'])).toMatchObject({ code: 3, stdout: '' });
    expect(await command(['unfreeze'], { typed: ['no'] })).toMatchObject({ code: 3, stdout: '' });
    expect(await isFrozen()).toBe(true);
    expect(await command(['unfreeze'], { typed: ['yes'] })).toMatchObject({ code: 0 });
    expect(await isFrozen()).toBe(false);
    expect((await asJson('freeze')).json).toMatchObject({ frozen: true });
    expect((await asJson('unfreeze', '--yes')).json).toMatchObject({ frozen: false });
  });

  it('ends the login when it locks, and the next one unlocks', async () => {
    expect(await command(['lock'])).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(treasury.dataDir, 'runtime', 'terminal-token.json'))).toBe(false);
    expect(await command(['status'])).toMatchObject({
      code: 5,
      stderr:
        'This terminal is not logged in. Run: treasury login (in a checkout: npm run -s treasury -- login)\n',
    });
    await letIn(treasury);
    expect((await command(['status'])).stdout).toContain('The treasury is locked. Nothing is paid');
    expect(await asJson('unlock')).toMatchObject({ code: 0, json: { locked: false } });
    expect((await command(['status'])).stdout).not.toContain('locked');
    expect(await command(['unlock', '--passphrase-fd', '999'])).toMatchObject({
      code: 2,
      stdout: '',
    });
  });

  it('treats a token that was revoked elsewhere as no login', async () => {
    await treasury.client.post('/v1/lock');
    await treasury.client.post('/v1/unlock');
    expect(await command(['agents'])).toMatchObject({
      code: 5,
      stderr:
        'This terminal is not logged in. Run: treasury login (in a checkout: npm run -s treasury -- login)\n',
    });
    await letIn(treasury);
  });
});

describe('the history', () => {
  it('is listed with refusals and their reasons, for one agent or all', async () => {
    const all = await command(['history']);
    expect(all.stdout).toMatch(/^WHEN +AGENT +WHAT +AMOUNT +STATUS +ID\n/);
    expect(all.stdout).toMatch(/ −0\.02 +Paid +pay_\S{29}\n/);
    expect(all.stdout).toMatch(/Refused +pay_\S+\n  scout may spend at most/);
    const { entries } = (await asJson('history', 'writer', '--limit', '2')).json;
    expect(entries).toHaveLength(2);
    expect(new Set(entries.map((one: { agentId: string }) => one.agentId))).toEqual(new Set(['writer']));
    expect((await asAgent(['history'])).stdout).toMatch(/^WHEN +WHAT +USDC +STATUS +ID\n/);
    expect(await asAgent(['history', '--search', 'rain'])).toMatchObject({ code: 2, stdout: '' });
    expect(await command(['history', '--limit', '501'])).toMatchObject({ code: 2 });
  });

  it.each([80, 130])('fits a terminal of %i columns, names first and ids last', async (columns) => {
    await treasury.client.post('/v1/agents/scout/rename', { displayName: 'Scout of the Northern Provinces' });
    const lines = (await command(['history'], { columns })).stdout.trimEnd().split('\n');
    const rows = lines.filter((line) => !line.startsWith('  '));
    expect(Math.max(...rows.map(({ length }) => length))).toBeLessThanOrEqual(columns);
    expect(rows[1]).toMatch(columns === 80 ? / …\w{8}$/ : / \w{3}_\w{29}$/);
    expect(rows.join()).toMatch(/\d {2}Scout /);
    const { entries } = (await asJson('history', '--search', 'northern prov', '--sort', 'amount')).json;
    const amounts = entries.map(({ amount }: { amount: string }) => Number(amount));
    expect(amounts).toEqual(amounts.toSorted((a: number, b: number) => b - a));
    expect(new Set(entries.map((one: { agentId: string }) => one.agentId))).toEqual(new Set(['scout']));
    await treasury.client.post('/v1/agents/scout/rename', { displayName: 'scout' });
  });

  it('has totals, in the dashboard’s words, and splits what was spent', async () => {
    const { json } = await asJson('totals', 'scout', '--by', 'service');
    const { stdout } = await command(['totals', 'scout', '--by', 'service']);
    expect(stdout).toMatch(new RegExp(`^${json.payments} payments +${json.amount} USDC\n`));
    expect(stdout).toMatch(new RegExp(`^Refused +${json.flows.refused.count}$`, 'm'));
    expect(stdout).toMatch(/\nSERVICE +USDC +PAYMENTS +NOT DELIVERED +FAILED +REFUSED\nSandbox Weather +/);
    expect((await asJson('totals', '--to', '2001-01')).json).toMatchObject({ payments: 0, rows: [] });
  });

  it('and its statement count the days of the owner’s zone', async () => {
    const before = (await asJson('time-zone')).json.timeZone;
    await command(['time-zone', 'Asia/Kathmandu']);
    expect((await asJson('totals')).json.zone).toBe('Asia/Kathmandu');
    expect((await asJson('history')).json.zone).toBe('Asia/Kathmandu');
    expect((await asJson('statement')).json.zone).toBe('Asia/Kathmandu');
    await command(['time-zone', before]);
  });

  it('over a period is a statement, as text or in a new file that only its owner can read', async () => {
    const csv = await command(['statement']);
    expect(csv.stdout).toMatch(/^timestamp,id,kind,/);
    expect((await asJson('statement')).json.transfers.length).toBe(
      csv.stdout.trimEnd().split('\r\n').length - 1,
    );
    expect((await asJson('statement', '--to', '2001-01-01')).json.transfers).toEqual([]);
    expect(await asJson('statement', '--format', 'csv').catch(() => 'no JSON')).toMatchObject({ code: 2 });

    const file = join(home, 'statement.csv');
    expect((await asJson('statement', '--out', file)).json).toEqual({ file, format: 'csv' });
    expect(readFileSync(file, 'utf8')).toBe(csv.stdout);
    expect(openTo(file)).toBeNull();
    expect(await command(['statement', '--out', file])).toMatchObject({ code: 1, stdout: '' });
    expect(await command(['statement', '--out', join(home, 'no/such/folder')])).toMatchObject({
      code: 1,
    });
  });
});

it('services are found without a login', async () => {
  const found = await command(['services', 'weather']);
  expect(found.stdout).toMatch(/\nsandbox-weather +Sandbox Weather +0\.01 /);
  expect((await asJson('services', 'zzz')).json).toMatchObject({ results: [], total: 0 });
  expect((await command(['services', 'zzz'])).stdout).toBe('No service fits. Try fewer words.\n');
});

const errorOf = async (...args: string[]): Promise<unknown> => JSON.parse((await asJson(...args)).stderr);

describe('an error with --json', () => {
  it('is one line of JSON with its code, what it says to people, and its details', async () => {
    const over = await asJson(...weather, '2');
    expect(over).toMatchObject({ code: 6, stdout: '' });
    expect(JSON.parse(over.stderr)).toEqual({
      code: 'max_per_payment',
      message: expect.stringContaining('1.00'),
      details: expect.objectContaining({ limit: '1.00', amount: '2.00' }),
    });
    expect(await errorOf('agents', '--nothing')).toMatchObject({ code: 'usage', details: {} });
    expect(await errorOf('unfreeze')).toMatchObject({ code: 'needs_owner' });
    expect(await errorOf('payment', 'pay_none')).toMatchObject({ code: 'not_found' });
    expect(await errorOf('history', '--limit', '501')).toMatchObject({
      code: 'bad_request',
      details: { fields: { limit: expect.any(String) } },
    });
    expect(await errorOf('approve', 'apr_1', '--up-to', '1')).toMatchObject({
      code: 'usage',
      message: expect.stringMatching(/^--up-to and --until go together/),
    });
  });

  it('stands beside the result where there is one, and notes are JSON too', async () => {
    const asked = await asAgent([...weather, '0.7', '--json']);
    const { approvalId } = asked.json;
    expect(JSON.parse(asked.stderr)).toMatchObject({ code: 'needs_owner', details: { approvalId } });
    const shown = await asJson('approve', approvalId);
    const lines = shown.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines.at(-1)).toMatchObject({ code: 'needs_owner' });
    expect(lines.slice(0, -1)).not.toEqual([]);
    for (const line of lines.slice(0, -1)) expect(line).toEqual({ note: expect.any(String) });
    await command(['deny', approvalId]);
  });
});

const askedLogin = () =>
  until('the login', async () => {
    const { logins } = (await treasury.client.get('/v1/logins')).body;
    return logins.find(({ status }: { status: string }) => status === 'pending');
  });

describe('a login', () => {
  it('says when the owner refuses', async () => {
    const login = command(['login']);
    await treasury.client.post(`/v1/logins/${(await askedLogin()).loginId}/deny`);
    expect(await login).toMatchObject({ code: 5, stderr: 'The owner declined.\n' });
  });

  it('keeps its code off standard output when JSON is wanted there', async () => {
    const login = asJson('login');
    const asked = await askedLogin();
    await treasury.client.post(`/v1/logins/${asked.loginId}/grant`);
    const ended = await login;
    expect(ended).toMatchObject({ code: 0, json: { status: 'granted' } });
    expect(ended.stderr).toContain(`Code: ${asked.code}`);
  });
});
