// Paid MCP servers behind the proxy. Those of official make: x402 with both of its bindings, MPP, the newest revision of MCP
// over stdio and over HTTP, and a server in a host's configuration. Then hostile ones, which want more than one payment,
// another payee, or anything else that is not theirs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { letIn, run, type Ended } from '../../cli/terminal.ts';
import { allWell, audit, clean } from '../../harness/engine/audit.ts';
import { useFolders } from '../../harness/folders.ts';
import { startPeer, type Peer } from '../../harness/programs/peers.ts';
import { until } from '../../harness/treasury.ts';
import { debitsOf } from '../chain.ts';
import { allow, call, newPayee, openMarket, pendingOf, register, textOf, type Market } from './market.ts';
import { initialize, openWire, proxied, type Line, type Wire } from './wire.ts';

const folder = useFolders();
let market: Market;
let x402: Wire;
let mpp: Wire;
let remote: Peer;
let url = '';
beforeAll(async () => {
  market = await openMarket(['--confirm-ms', '200', '--finalize-ms', '0']);
  x402 = await market.open('weather', market.x402);
  mpp = await market.open('mpp', market.mpp);
  const [, , settings = '{}'] = market.x402Server({ http: true });
  remote = await startPeer('x402-v2', 'mcp-server', JSON.parse(settings) as Line);
  url = remote.says['url'] ?? '';
}, 600_000);
afterAll(async () => {
  await Promise.all([x402.end(), mpp.end(), remote.end()]);
  await market.close();
});

const debits = () => debitsOf(market.sandbox.rpcUrl, market.agent.wallet);
const settled = () =>
  until(
    'everything to be final',
    () => market.treasury.host.engine.context.store.transfers.open().length === 0,
  );

describe('an x402 server that was not registered', () => {
  it('answers what is free, and is not paid: the host is told the command that registers it', async () => {
    expect(textOf(await call(x402, 'free'))).toBe('{"free":true}');
    const refused = await call(x402, 'weather', { city: 'Lisbon' });
    expect(refused['result'].isError).toBe(true);
    expect(textOf(refused)).toContain('treasury mcp add weather -- COMMAND');
    expect(await debits()).toEqual([]);
  });
});

describe('a registered x402 server', () => {
  beforeAll(() => register(market, 'weather', market.x402));

  it('is paid once the owner has seen its payee, which is then pinned', async () => {
    const asking = call(x402, 'weather', { city: 'Lisbon' }, { 'test/own': 7 });
    const shown = await allow(market);
    expect(shown).toMatchObject({
      because: 'payee_changed',
      saidByAgent: true,
      service: 'mcp:weather',
      serviceName: 'weather, as the agent says',
      payee: market.payee,
      amount: '0.01',
      description: 'tools/call weather',
    });
    const answer = await asking;
    expect(JSON.parse(textOf(answer))).toMatchObject({ city: 'Lisbon', mine: 7 });
    expect(answer['result']._meta['x402/payment-response']).toMatchObject({ success: true });
    expect(await debits()).toMatchObject([{ amount: 10_000n, to: [market.payee] }]);
    const { body } = await market.treasury.client.get('/v1/services/search?q=weather');
    const listed = (body as { results: Line[] }).results.find(({ id }) => id === 'mcp:weather');
    expect(listed).toMatchObject({ payees: [market.payee], addedByOwner: true });
  });

  it('is then paid without asking, and each call is a payment of its own', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => call(x402, 'weather', { city: 'Porto' })));
    for (const answer of answers) expect(JSON.parse(textOf(answer))).toMatchObject({ city: 'Porto' });
    expect(await pendingOf(market)).toBeUndefined();
    expect(await debits()).toHaveLength(4);
  });
});

describe('an MPP server', () => {
  beforeAll(() => register(market, 'mpp', market.mpp));

  it.each([
    ['push', 10_000n],
    ['pull', 20_000n],
  ])('is paid by its challenge: %s', async (tool, units) => {
    const before = await debits();
    const asking = call(mpp, tool);
    if (tool === 'push') await allow(market);
    const answer = await asking;
    expect(textOf(answer), mpp.stderr()).toMatch(/answered/);
    expect(JSON.parse(textOf(answer))).toMatchObject({ answered: expect.any(Number) });
    expect(answer['result']._meta['org.paymentauth/receipt']).toMatchObject({ status: 'success' });
    const [newest, ...others] = await debits();
    expect(newest).toMatchObject({ amount: units, to: [market.recipient] });
    expect(others).toEqual(before);
  });
});

const connect = async (...args: string[]): Promise<Client> => {
  const [command = '', ...rest] = proxied(...args);
  const env = Object.fromEntries(
    Object.entries(market.env()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StdioClientTransport({ command, args: rest, env, stderr: 'pipe' }));
  expect(client.getProtocolEra()).toBe('modern');
  return client;
};

describe.each(['a command', 'a URL'])('a modern server behind %s', (kind) => {
  it('is paid for its tools, prompts and resources, each once', async () => {
    const isCommand = kind === 'a command';
    if (isCommand) await register(market, 'modern', market.x402);
    const client = await connect(
      ...(isCommand ? ['--name', 'modern', '--', ...market.x402] : ['--url', `${url}?key=secret`]),
    );
    const before = (await debits()).length;
    const asking = client.callTool({ name: 'weather', arguments: { city: 'Faro' } });
    const shown = await allow(market);
    expect(shown).toMatchObject({
      because: 'payee_changed',
      saidByAgent: true,
      service: isCommand ? 'mcp:modern' : url,
      payee: market.payee,
    });
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(JSON.stringify(await asking)).toContain('Faro');
    expect(JSON.stringify(await client.getPrompt({ name: 'paid-prompt' }))).toContain('bought');
    expect(JSON.stringify(await client.readResource({ uri: 'paid://report' }))).toContain('bought');
    expect(await pendingOf(market)).toBeUndefined();
    expect(await debits()).toHaveLength(before + 3);
    await client.close();
  });
});

describe('a server behind a URL', () => {
  it('serves an older host too, with the headers that it wants', async () => {
    const wire = openWire(proxied('--url', url, '--header', 'X-Own: 1'), market.env());
    await initialize(wire);
    const before = (await debits()).length;
    expect(textOf(await call(wire, 'weather', { city: 'Faro' }))).toContain('Faro');
    expect(await debits()).toHaveLength(before + 1);
    expect(await wire.end()).toBe(0);
  });

  it('that goes away leaves no call without an answer', async () => {
    const wire = openWire(proxied('--url', 'http://127.0.0.1:1/mcp'), market.env());
    const answer = await wire.ask('tools/list');
    expect(textOf(answer)).toContain('cannot be reached');
    expect(await wire.end()).toBe(0);
  });
});

describe('a server in a host’s configuration', () => {
  it('is paid for by the entry that was installed, and runs without us once that is undone', async () => {
    await letIn(market.treasury);
    const home = folder();
    const file = join(home, '.claude.json');
    const paid = (await debits()).length;
    const install = (...more: string[]): Promise<Ended> => {
      const asked = ['mcp', 'install', 'claude-code', '--proxy', 'installed', '--yes'];
      return run([...asked, '--data', market.treasury.dataDir, ...more], { home });
    };
    /** As the host starts it: with the entry's variables and few of its own. */
    const start = async (): Promise<Wire> => {
      const { command, args, env } = JSON.parse(readFileSync(file, 'utf8')).mcpServers.installed;
      const { HOME, PATH, NODE_COMPILE_CACHE } = process.env;
      const wire = openWire([command, ...args], { HOME, PATH, NODE_COMPILE_CACHE, ...env });
      await initialize(wire);
      return wire;
    };
    const [command, ...args] = market.x402;
    const before = `{"mcpServers": {"installed":   ${JSON.stringify({ command, args })} }, "numStartups": 7}`;
    writeFileSync(file, before);

    const installed = await install('--agent', 'host');
    expect(installed).toMatchObject({ code: 0, stderr: '' });
    const wrapped = await start();
    const asking = call(wrapped, 'weather', { city: 'Lisbon' });
    expect(await allow(market)).toMatchObject({
      service: 'mcp:installed',
      payee: market.payee,
      amount: '0.01',
    });
    expect(JSON.parse(textOf(await asking)), wrapped.stderr()).toMatchObject({ city: 'Lisbon' });
    const [newest, ...others] = await debits();
    expect(newest).toMatchObject({ amount: 10_000n, to: [market.payee] });
    expect(others).toHaveLength(paid);
    expect(await wrapped.end()).toBe(0);

    expect(await install('--undo')).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(file, 'utf8')).toBe(before);
    const bare = await start();
    expect(textOf(await call(bare, 'free'))).toBe('{"free":true}');
    const demanded = await call(bare, 'weather', { city: 'Porto' });
    expect(demanded['result'].structuredContent.accepts).toMatchObject([{ payTo: market.payee }]);
    await bare.end();
    expect(await debits()).toHaveLength(paid + 1);
  });
});

it('leaves the books in order', async () => {
  await settled();
  expect(clean(await audit(market.treasury.host))).toEqual(allWell);
});

const rows = () => {
  const { store } = market.treasury.host.engine.context;
  const agentId = market.agent.agentId;
  return store.transfers
    .list({ agentId, kinds: ['payment'], limit: 200 })
    .filter(({ refusal }) => refusal === null);
};

describe('a hostile server', () => {
  const script = fileURLToPath(new URL('hostile.mjs', import.meta.url));
  let payTo = '';
  let other = '';
  let command: string[] = [];
  let wire: Wire;
  const open: Wire[] = [];

  const start = async (does = ''): Promise<Wire> => {
    const settings = JSON.stringify({ payTo, other, feePayer, mint: usdcMints.sandbox, does });
    command = [process.execPath, script, settings];
    const started = await market.open('hostile', command);
    open.push(started);
    return started;
  };
  const feePayer = Keypair.generate().publicKey.toBase58();

  beforeAll(async () => {
    [payTo, other] = [await newPayee(market.sandbox.rpcUrl), await newPayee(market.sandbox.rpcUrl)];
    wire = await start();
    await register(market, 'hostile', command);
    // The first payee is pinned once.
    const asking = call(wire, 'asks-again', { n: 0 });
    await allow(market);
    await asking;
  }, 600_000);
  afterAll(async () => {
    await Promise.all(open.map((one) => one.end()));
  });

  describe('a server that was shown a payment', () => {
    it('and asks again is never paid a second time, not for the same call made anew either', async () => {
      const before = rows().length;
      for (let n = 0; n < 2; n += 1) {
        const refused = await call(wire, 'asks-again', { n: 1 });
        expect(textOf(refused)).toContain('asks for payment again. Nothing more was paid.');
        expect(rows()).toHaveLength(before + 1);
      }
    });

    it('and names another payee then gets nothing, and the owner is not asked', async () => {
      const before = rows().length;
      expect(textOf(await call(wire, 'another-payee'))).toContain('Nothing more was paid.');
      expect(rows()).toHaveLength(before + 1);
      expect(await pendingOf(market)).toBeUndefined();
    });

    it('and fails gets the same payment again when the call is repeated', async () => {
      const before = rows().length;
      for (let n = 0; n < 3; n += 1) expect(textOf(await call(wire, 'fails'))).toBe('out of order');
      expect(rows()).toHaveLength(before + 1);
    });

    it('and delivered is paid anew by the next call, at the price that it then asks', async () => {
      const before = rows().length;
      for (let n = 0; n < 2; n += 1) expect(textOf(await call(wire, 'changes-its-demand'))).toBe('bought');
      expect(rows()).toHaveLength(before + 2);
    });
  });

  describe('a paid call', () => {
    it('in which the server asks its client something is one payment to its end', async () => {
      const before = rows().length;
      const asked = await call(wire, 'asks-its-client');
      expect(asked['result']).toMatchObject({ resultType: 'input_required', requestState: 'half' });
      const [answers, name] = [{ requestState: 'half', inputResponses: { name: 'Ada' } }, 'asks-its-client'];
      const answer = await wire.ask('tools/call', { name, arguments: {}, ...answers });
      expect(textOf(answer)).toBe('bought for Ada');
      expect(rows()).toHaveLength(before + 1);
      // The next equal call is another purchase.
      expect((await call(wire, name))['result'].resultType).toBe('input_required');
      expect(rows()).toHaveLength(before + 2);
    });

    it('reports its progress to the host by the host’s own token', async () => {
      const before = rows().length;
      expect(textOf(await call(wire, 'reports', {}, { progressToken: 'p-7' }))).toBe('reported');
      const told = wire.heard.filter(({ method }) => method === 'notifications/progress');
      expect(told.map(({ params }) => params)).toContainEqual({
        progressToken: 'p-7',
        progress: 1,
        message: 'half way',
      });
      expect(rows()).toHaveLength(before + 1);
    });
  });

  describe('a demand', () => {
    it.each(['quotes', 'quotes-in-an-error', 'quotes-without-error', 'quotes-second'])(
      'that an answer only quotes is passed on and not paid: %s',
      async (name) => {
        const before = rows().length;
        const answer = await call(wire, name);
        expect(JSON.stringify(answer)).toContain('x402Version');
        expect(rows()).toHaveLength(before);
      },
    );

    it('in a prompt, in the form of a tool, is passed on and not paid', async () => {
      const before = rows().length;
      expect((await wire.ask('prompts/get', { name: 'x' }))['result'].isError).toBe(true);
      expect(rows()).toHaveLength(before);
    });

    it('of more than an agent may pay, or too large to read, is refused', async () => {
      const before = rows().length;
      expect(textOf(await call(wire, 'expensive'))).toContain('max_per_payment');
      expect((await call(wire, 'huge'))['result'].isError).toBe(true);
      expect(rows()).toHaveLength(before);
    });
  });

  describe('the proxy', () => {
    it('gives the server nothing of the treasury: no variable, no argument', async () => {
      const { env } = JSON.parse(textOf(await call(wire, 'env'))) as { env: Record<string, string> };
      expect(Object.keys(env).filter((name) => /^(TREASURY|npm)_/i.test(name))).toEqual([]);
      expect(JSON.stringify(env)).not.toContain(market.agent.key);
    });

    it('passes 10 MB on, and a flood of questions, and passes over what is no message', async () => {
      const noisy = await start('garbage');
      expect(textOf(await call(noisy, 'large'))).toHaveLength(10 * 1024 * 1024);
      await noisy.ask('flood', { count: 5_000 });
      expect(noisy.heard.filter(({ method }) => method === 'elicitation/create')).toHaveLength(5_000);
      expect(noisy.stderr()).toBe('');
    });

    it('answers every open call when the server dies, and ends as it did', async () => {
      const dying = await start();
      const calls = [call(dying, 'waits'), call(dying, 'waits'), call(dying, 'dies')];
      const texts = (await Promise.all(calls)).map(textOf);
      for (const text of texts) expect(text).toContain('has ended (exit code 7)');
      expect(texts[2]).toContain('the same payment');
      expect(await dying.exited).toBe(7);
    });

    it('lets a payment go on when the host cancels the call, and gives what it bought to the next one', async () => {
      const before = rows().length;
      const name = 'another-payee';
      wire.send({ jsonrpc: '2.0', id: 'gone', method: 'tools/call', params: { name, arguments: { n: 2 } } });
      await until('the payment', () => rows().length > before);
      wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } });
      expect(textOf(await call(wire, name, { n: 2 }))).toContain('Nothing more was paid.');
      expect(rows()).toHaveLength(before + 1);
      // One answer may have been on its way when the call was cancelled.
      expect(wire.heard.filter(({ id }) => id === 'gone').length).toBeLessThanOrEqual(1);
    });

    it('says what it wants when it is started without a server or a name', async () => {
      const wrong = openWire(proxied('--url', 'http://127.0.0.1:1/', '--', 'x'), market.env());
      expect(await wrong.exited).toBe(2);
      const missing = openWire(proxied('--name', 'x', '--', '/no/such/program'), market.env());
      expect(await missing.exited).not.toBe(0);
      expect(missing.stderr()).toContain('/no/such/program cannot be started');
    });
  });
});
