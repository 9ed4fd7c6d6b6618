// Servers that want more than one payment, another payee, or anything else that is not theirs.
import { fileURLToPath } from 'node:url';
import { Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usdcMints } from '../../../server/contract/treasury/networks.ts';
import { until } from '../../harness/treasury.ts';
import { allow, call, newPayee, openMarket, pendingOf, register, textOf, type Market } from './market.ts';
import { openWire, proxied, type Wire } from './wire.ts';

const script = fileURLToPath(new URL('hostile.mjs', import.meta.url));
let market: Market;
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
  market = await openMarket();
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
  await market.close();
});

const rows = () => {
  const { store } = market.treasury.host.engine.context;
  const agentId = market.agent.agentId;
  return store.transfers
    .list({ agentId, kinds: ['payment'], limit: 200 })
    .filter(({ refusal }) => refusal === null);
};

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
