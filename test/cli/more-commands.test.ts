// The less frequent commands: withdrawals, API keys, standing approvals, own services, pictures, and deliveries. All
// run against a real treasury, with a seller that a test can make misbehave.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import type { Service } from '../../server/engine/ports.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { instantly, until } from '../harness/treasury.ts';
import { openX402Seller, type X402Seller } from '../x402/strict-x402-seller.ts';
import { asAgent, command, home, scout, treasury, useTreasury } from './cli-treasury.ts';
import { run, type Ended } from './terminal.ts';

let seller: X402Seller;
let broken: { server: Server; url: string };
/** Is free, and says what it was sent. */
let echo: typeof broken;

const openEcho = async (): Promise<typeof broken> => {
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      const { 'content-type': type = '', 'x-many': many = '' } = request.headers;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify([request.method, type, many, body]));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

/** Asks to be paid, and fails once it is. */
const openBroken = async (payee: () => string): Promise<typeof broken> => {
  const server = createServer((request, response) => {
    const isPaid = request.headers['x-payment'] !== undefined;
    const quote = { amount: '0.02', currency: 'USDC', recipient: payee() };
    response.writeHead(isPaid ? 500 : 402, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isPaid ? { error: 'database exploded' } : quote));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

beforeAll(async () => {
  seller = await openX402Seller();
  broken = await openBroken(() => seller.payee);
  echo = await openEcho();
});
useTreasury(() => ({
  args: [...instantly, ...[seller.url, broken.url, echo.url].flatMap((url) => ['--allow-origin', url])],
}));
beforeAll(() => seller.trade(treasury.host.rpcUrl));
afterAll(async () => {
  await seller.close();
  for (const { server } of [broken, echo]) {
    server.close();
    server.closeAllConnections();
  }
});

const asJson = (line: string): Promise<Ended> => command(`${line} --json`);
/** The services found by the word. */
const tea = async (): Promise<string> => (await command('services tea')).stdout;
const balanceOf = async (wallet: string): Promise<bigint> =>
  (await treasury.host.engine.context.chain.balances([wallet])).units[0] ?? 0n;

describe('withdraw', () => {
  const { address } = newWallet();

  it('shows the whole address, asks, and sends once under an idempotency key', async () => {
    const mute = await command(`withdraw 2.5 ${address}`);
    expect(mute).toMatchObject({ code: 3, stdout: '' });
    const no = await command(`withdraw 2.5 ${address}`, { typed: ['n'] });
    expect(no).toMatchObject({ code: 3, stdout: '' });
    const question = `Send 2.50 USDC out of the treasury to ${address}? [y/N] `;
    expect(no.stderr).toContain(`New address. Money sent to a wrong one is lost. ${question}`);
    const sent = await command(`withdraw 2.5 ${address} --key once`, { typed: ['y'] });
    expect(sent.code, sent.stderr).toBe(0);
    expect(sent.stdout).toMatch(new RegExp(`^Withdrawn +2\\.50 USDC to ${address}, confirmed\\n`));
    const again = await asJson(`withdraw 2.5 ${address} --key once --yes`);
    expect(again.json).toMatchObject({ amount: '2.50', currency: 'USDC', status: 'confirmed' });
    expect(sent.stdout).toContain(again.json.transferId);
    expect(await balanceOf(address)).toBe(2_500_000n);
    const known = await command(`withdraw 2.5 ${address}`, { typed: ['n'] });
    expect(known.stderr).toMatch(/You sent 2\.50 USDC there on [^?]+\. Send 2\.50 USDC/);
    const agents = await command(`withdraw 2.5 ${scout.wallet}`, { typed: ['n'] });
    expect(agents.stderr).toContain('Your agent scout’s wallet. Send 2.50 USDC');
  });

  it('says that the treasury is locked before it asks', async () => {
    const { vault } = treasury.host;
    vault.lock();
    const locked = await command(`withdraw 2.5 ${address}`, { typed: ['y'] });
    expect(locked).toMatchObject({ code: 7, stderr: expect.stringContaining('Unlock it before you send') });
    await vault.unlock();
  });

  it('sends SOL on request', async () => {
    const sent = await asJson(`withdraw 0.123456789 ${address} --sol --yes`);
    expect(sent.json).toMatchObject({ amount: '0.123456789', currency: 'SOL' });
  });

  it.each([
    ['an amount of nothing', `withdraw 0 ${address} --yes`, 2],
    ['more decimals than USDC has', `withdraw 0.1234567 ${address} --yes`, 2],
    ['no address', 'withdraw 1 nobody --yes', 2],
    ['more than there is', `withdraw 900000 ${address} --yes`, 6],
  ])('refuses %s', async (_, line, code) => {
    expect(await command(line)).toMatchObject({ code, stdout: '' });
  });
});

const keys = async () => (await asJson('keys scout')).json.keys;
const works = async (key: string): Promise<boolean> =>
  (await treasury.client.as(key).get('/v1/agents/scout/balance')).status === 200;

describe('keys', () => {
  it('are listed without their secrets, and a further one is shown once', async () => {
    const listed = await command('keys scout');
    expect(listed.stdout).toMatch(
      /^KEY +LABEL +MADE +LAST USED +STATE\nkey_\w+ +first key +\d{4}-.* +never +in force\n$/,
    );
    expect(listed.stdout).not.toContain('atk_');
    const added = await command(['keys', 'add', 'scout', '--label', 'the laptop']);
    const [key = ''] = /atk_[\w-]+/.exec(added.stdout) ?? [];
    expect(await works(key)).toBe(true);
    expect((await command('keys list scout')).stdout).toContain('the laptop');
  });

  it('are replaced, at once or after a day, and end when they are revoked', async () => {
    const first = (await asJson('keys add scout')).json;
    const later = await asJson(`keys rotate scout ${first.keyId}`);
    expect(await works(first.apiKey)).toBe(true);
    expect(
      (await keys()).find(({ keyId }: { keyId: string }) => keyId === first.keyId).expiresAt,
    ).not.toBeNull();
    const atOnce = await command(`keys rotate scout ${later.json.keyId} --now`);
    expect(atOnce.stdout).toContain(`${later.json.keyId} is revoked.`);
    expect(await works(later.json.apiKey)).toBe(false);
    const [last = ''] = /atk_[\w-]+/.exec(atOnce.stdout) ?? [];
    const [, lastId = ''] = /^Key +(key_\w+)/.exec(atOnce.stdout) ?? [];
    expect(await command(`keys revoke scout ${lastId}`, { typed: ['no'] })).toMatchObject({ code: 3 });
    expect(await works(last)).toBe(true);
    expect((await asJson(`keys revoke scout ${lastId} --yes`)).json.revokedAt).not.toBeNull();
    expect(await works(last)).toBe(false);
    expect(await command('keys revoke scout key_none --yes')).toMatchObject({ code: 1 });
  });

  it('are managed by the owner alone', async () => {
    const { code, stdout } = await run(['--data', treasury.dataDir, 'keys', 'scout'], {
      home,
      env: { TREASURY_API_KEY: scout.key },
    });
    expect([code, stdout.includes(scout.key)]).toEqual([0, false]);
    expect((await scout.client.get('/v1/agents/scout/keys')).status).toBe(403);
  });
});

describe('standing approvals', () => {
  it('are listed and ended', async () => {
    const { approvalId } = (await scout.pay('0.60')).body;
    const nextDay = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await command(`approve ${approvalId} --yes --up-to 1 --until ${nextDay}`);
    const listed = await command('standing');
    expect(listed.stdout).toMatch(/^STANDING +AGENT +SERVICE +USED +UP TO +UNTIL +PAYEES +ENDED\n/);
    expect((await command('grants')).stdout).toBe(listed.stdout);
    const { grantId } = (await asJson('standing list')).json.grants[0];
    expect(await command(`standing revoke ${grantId}`)).toMatchObject({ code: 3, stdout: '' });
    expect(await command(`standing revoke ${grantId}`, { typed: ['y'] })).toMatchObject({
      code: 0,
      stdout: `${grantId}  ended\n`,
    });
    expect((await asJson('standing')).json.grants[0].revokedAt).not.toBeNull();
    expect(await command('standing revoke grt_none --yes')).toMatchObject({ code: 1 });
    const { status, body } = await scout.pay('0.60');
    expect(status).toBe(202);
    await command(`deny ${body['approvalId']}`);
  });
});

describe('services', () => {
  it('are added as they were shown, found, and removed', async () => {
    const add = ['services', 'add', `${seller.url}/tea`, '--name', 'The tea house'];
    const shown = await command(add, { typed: ['n'] });
    expect(shown).toMatchObject({ code: 3 });
    expect(shown.stdout).toMatch(/Name +The tea house\n/);
    expect(shown.stdout).toMatch(/Price +0\.03 USDC \(x402-v2\)\nPayees +\w{32,44}\n/);
    const [, serviceId = ''] = /^Service +(\S+)/.exec(shown.stdout) ?? [];
    expect(await tea()).not.toContain(serviceId);
    expect((await command(add, { typed: ['y'] })).stdout).toContain(`Agents find it as ${serviceId}.`);
    expect(await tea()).toContain(serviceId);
    expect(await command(`services remove ${serviceId}`)).toMatchObject({ code: 3 });
    expect(await command(`services remove ${serviceId} --yes`)).toMatchObject({ code: 0 });
    expect(await tea()).not.toContain(serviceId);
    expect(await command('services remove sandbox-weather --yes')).toMatchObject({ code: 1 });
    const free = `${treasury.host.url}/sandbox/weather?city=1`;
    expect(await command(`services add ${free} --yes`)).toMatchObject({ code: 1, stdout: '' });
  });

  it('that could not be paid are listed with what they asked for', async () => {
    expect((await command('unpayable')).stdout).toBe(
      'No seller has asked for anything but USDC on your network.\n',
    );
    const { store } = treasury.host.engine.context;
    const asked = { network: 'base', asset: 'USDC', price: '12500', agentId: 'scout', at: Date.now() };
    store.atomically(() => store.refusals.countSeller({ ...asked, seller: 'https://a.example.com' }));
    expect((await command('unpayable')).stdout).toMatch(
      /^SELLER +ASKED FOR .*\nhttps:\/\/a\.example\.com  0\.0125 USDC on Base +1 +1  /,
    );
    expect((await command('unpayable --json')).json.sellers).toHaveLength(1);
  });

  it('whose payees have changed are trusted after a yes, and not before', async () => {
    const { services, sources, atomically } = treasury.host.engine.context.store;
    const [before, now] = [newWallet().address, newWallet().address];
    const entry: Service = {
      id: 'listed-data',
      name: 'Listed data',
      description: 'Data.',
      category: 'data',
      source: 'x402-marketplace',
      endpoint: 'GET /data',
      origin: 'https://data.example',
      payees: [before],
      pricing: {},
      price: null,
      vouched: false,
    };
    const counts = {
      startedAt: 1,
      failures: 0,
      done: 0,
      total: null,
      added: 0,
      changed: 0,
      vanished: 0,
      skipped: 0,
      notPayable: 0,
    };
    atomically(() => {
      sources.add({ id: 'src_1', url: 'https://list.example', name: 'List', addedAt: 1, counts });
      sources.enter('src_1', { entry, updatedAt: 1 });
      sources.update('src_1', { pass: 1 });
      sources.enter('src_1', { entry: { ...entry, payees: [now] }, updatedAt: 2 });
    });
    const no = await command('services trust listed-data', { typed: ['n'] });
    expect(no).toMatchObject({ code: 3 });
    expect(no.stdout).toMatch(new RegExp(`^Payees so far +${before}\nPayees now +${now}\n`));
    expect(services.get('listed-data')?.payees).toEqual([before]);
    expect((await asJson('services trust listed-data --yes')).json).toMatchObject({ payees: [now] });
    expect((await command('services trust listed-data')).stdout).toContain('names no other payees');
    expect(await command('services trust no-such')).toMatchObject({ code: 1, stdout: '' });
  });
});

const modelId = async (): Promise<string> => (await asJson('models')).json.models[0].id;

describe('models', () => {
  it('adds a supplier of language models, prices its models, and removes it', async () => {
    const added = await command(
      'models add openai-compatible Ollama --base-url http://127.0.0.1:11434/v1 --allow-private',
    );
    expect(added.stdout).toContain('Added as ollama');
    expect((await command('models suppliers')).stdout).toMatch(/^SUPPLIER .*\nollama +Ollama .* no +on$/m);
    expect((await command('models price ollama llama4 --input 0.1')).stderr).toContain('outputPerMillion');
    const priced = await command('models price ollama llama4 --input 0.1 --output 0.2 --max-output 4096');
    expect(priced.stdout).toBe('ollama/llama4: 0.10 for input, 0.20 for output.\n');
    expect((await asJson('models prices ollama')).json.models).toMatchObject([
      { modelId: 'llama4', inputPerMillion: '0.10', maxOutput: 4096, priceSource: 'owner', enabled: true },
    ]);
    expect((await command('models price ollama llama4 --from-list --off')).stdout).toContain('has no price');
    expect((await command('models remove ollama --yes')).code).toBe(0);
    expect((await asJson('models suppliers')).json.suppliers).toEqual([]);
  });
});

const picture = (name: string): string => join(home, name);

describe('generate', () => {
  it('writes the picture to a file that this user alone reads, and says what it cost', async () => {
    const id = await modelId();
    expect((await command('models')).stdout).toMatch(
      new RegExp(`^MODEL +NAME +PROVIDER +1K +2K +4K\n.*${id} `, 's'),
    );
    const file = picture('lighthouse.png');
    const made = await asAgent(`generate lighthouse --model ${id} -o ${file}`);
    expect(made, made.stderr).toMatchObject({ code: 0, stderr: '' });
    expect(made.stdout).toMatch(/^Picture +\S+lighthouse\.png \(1024 x \d+\)\nPaid +\d\.\d+ USDC to /);
    expect(await sharp(readFileSync(file)).metadata()).toMatchObject({ width: 1024 });
    expect(openTo(file)).toBeNull();
  });

  it('is requested by the owner for an agent, and once under an idempotency key', async () => {
    const line = `generate pier --model ${await modelId()} --agent scout --key pier-1 -o ${picture('pier.png')}`;
    const [first, again] = [await asJson(line), await asJson(line)];
    expect(first.json).toMatchObject({ status: 'success', agentId: 'scout', file: picture('pier.png') });
    expect(again.json.taskId).toBe(first.json.taskId);
  });

  it('waits for the owner, or ends and says how to continue', async () => {
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0' });
    const file = picture('held.png');
    const line = `generate held --model ${await modelId()} --key held -o ${file}`;
    const ended = await asAgent(`${line} --no-wait`);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    const [, approvalId = '', key] = /treasury approve (apr_\w+)\. .*--key (\S+)\n$/.exec(ended.stderr) ?? [];
    expect(key).toBe('held');
    const waits = asAgent(line);
    await command(`approve ${approvalId} --yes`);
    expect(await waits).toMatchObject({ code: 0 });
    expect(existsSync(file)).toBe(true);

    const refused = asAgent(`generate never --model ${await modelId()} -o ${picture('never.png')}`);
    const pending = await until('the request', async () => {
      const { approvals } = (await treasury.client.get('/v1/approvals')).body;
      return approvals.find(({ status }: { status: string }) => status === 'pending')?.approvalId;
    });
    await command(`deny ${pending}`);
    expect(await refused).toMatchObject({ code: 6, stdout: '' });
    expect(existsSync(picture('never.png'))).toBe(false);
    await treasury.client.post('/v1/agents/scout/policy', { approveAbove: '0.5' });
  });

  it('reports an error before any charge', async () => {
    expect(await asAgent(`generate x --model none -o ${picture('x.png')}`)).toMatchObject({ code: 2 });
    expect(await asAgent('generate x --model none')).toMatchObject({ code: 2, stdout: '' });
    expect(await command(`generate x --model y -o ${picture('x.png')}`)).toMatchObject({ code: 5 });
  });
});

const sent = async (...words: string[]): Promise<string[]> => {
  const args = ['--data', treasury.dataDir, 'fetch', `${echo.url}/`, ...words];
  const env = { TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: scout.key };
  const ended = await run(args, { home, env });
  expect(ended.code, ended.stderr).toBe(0);
  return JSON.parse(ended.stdout) as string[];
};

describe('the body of treasury fetch', () => {
  const form = 'application/x-www-form-urlencoded';

  it('is a form unless its type is named, and what is repeated is joined, as curl has it', async () => {
    expect(await sent('-d', 'a=1', '-d', 'b=2')).toEqual(['POST', form, '', 'a=1&b=2']);
    const json = ['-d', '{}', '-H', 'content-TYPE: application/json', '-X', 'PUT'];
    expect(await sent(...json)).toEqual(['PUT', 'application/json', '', '{}']);
    expect(await sent('-H', 'X-Many: 1', '-H', 'x-many: 2')).toEqual(['GET', '', '1, 2', '']);
  });

  it('comes from a file, without its line ends, and the answer goes to standard output with -o -', async () => {
    const file = join(home, 'body.txt');
    writeFileSync(file, 'a=1\r\n&b=ü\n');
    expect(await sent('-d', `@${file}`, '-d', 'c', '-o', '-')).toEqual(['POST', form, '', 'a=1&b=ü&c']);
  });

  it('that cannot be read is wrong usage, and nothing is sent', async () => {
    const missing = await asAgent(`fetch ${echo.url}/ -d @${join(home, 'gone')}`);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('gone cannot be read (ENOENT)');
  });
});

describe('delivery', () => {
  it('that came is shown with the kept answer, which is written to a file', async () => {
    // An answer without an acknowledgement is kept.
    const bought = await scout.client.post('/v1/agents/scout/fetch', { url: `${seller.url}/tea` });
    const { paymentId } = bought.body['payment'];
    const told = await until('what is kept', async () => {
      const looked = await command(`delivery ${paymentId}`);
      return looked.stdout.includes('HTTP 200') && looked;
    });
    expect(told.stdout).toMatch(/\nDelivery +the seller delivered\n/);
    expect(told.stdout).toMatch(/\nKept answer +HTTP 200, .*, \d+ bytes\n/);
    expect(told.stdout).toContain(`treasury delivery ${paymentId} --output FILE`);
    const file = join(home, 'tea.json');
    expect(await asAgent(`delivery ${paymentId} -o ${file}`)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ sold: '/tea' });
    // The agent has it now, so that it need not be kept much longer.
    expect(treasury.host.engine.context.store.answers.get(paymentId)?.receivedAt).not.toBeNull();
    expect((await asJson(`delivery ${paymentId}`)).json).toMatchObject({ delivery: 'delivered' });
  });

  it('that was paid and did not come is shown with the seller’s answer', async () => {
    const ended = await asAgent(`fetch ${broken.url}/report --json`);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    const { code, details } = JSON.parse(ended.stderr.trimEnd().split('\n').at(-1) ?? '');
    expect(code).toBe('not_delivered');
    const told = await command(`delivery ${details.paymentId}`);
    expect(told).toMatchObject({ code: 0, stderr: '' });
    expect(told.stdout).toMatch(/^Payment +pay_\w+, 0\.02 USDC, confirmed\n/);
    expect(told.stdout).toMatch(/\nDelivery +paid, but not delivered\n/);
    expect(told.stdout).toMatch(/\nShown to it +\d times, first \d{4}-/);
    expect(told.stdout).toMatch(/\nLast answer +\d{4}-.*: .*database exploded\n/);
    expect(told.stdout).toMatch(/\nKept answer +none\n/);
    expect((await asJson(`delivery ${details.paymentId}`)).json).toMatchObject({
      delivery: 'undelivered',
      evidence: { status: 500 },
    });
    const { stdout } = await asAgent(`delivery ${details.paymentId}`);
    expect(stdout).toMatch(/\nDelivery +paid, but not delivered\n/);
  });

  it('of no payment is not found', async () => {
    expect(await command('delivery pay_none')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('all', () => {
  it('recalls, and withdraws, to the last unit that can go, and says what stays', async () => {
    const { address } = newWallet();
    const held = await balanceOf(scout.wallet);
    expect(held).toBeGreaterThan(0n);
    expect((await command('recall scout all')).stdout).toMatch(/^Balance +0\.00 USDC at scout$/m);
    expect(await command('recall scout all')).toMatchObject({
      stderr: expect.stringContaining('holds no USDC'),
    });

    const sol = await command(`withdraw all ${address} --sol`, { typed: ['y'] });
    expect(sol.code, sol.stderr).toBe(0);
    expect(sol.stderr).toContain('The rest stays: 0.00089088 SOL');
    const { chain, funds } = treasury.host.engine.context;
    expect(await chain.lamports(treasury.owner)).toBe(890_880n);
    await funds.refreshLamports();
    const none = await command(`withdraw all ${address} --sol --yes`);
    expect(none.stderr).toContain('No SOL can be withdrawn');
    const { treasury: left } = (await treasury.client.get('/v1/dashboard')).body;
    expect(left).toMatchObject({ sol: '0.00089088', spendableSol: '0.00', transfersLeft: 0 });
  });
});
