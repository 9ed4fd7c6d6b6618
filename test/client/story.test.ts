// A program that buys with the clients of this repository, in each language, and in the lab in every runtime: paid, refused,
// held, allowed, denied, and killed in the middle, as its treasury is. No request is paid twice, by our rows and by the chain.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTo } from '../../server/lib/files/owner-only.ts';
import { useFolders } from '../harness/folders.ts';
import { kinds } from '../harness/kinds.ts';
import { openRich, receivedBySeller, seller, useSeller } from '../harness/chain/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import {
  installClient,
  installWheel,
  javaScript,
  javaScripts,
  killPrograms,
  missing,
  outcome,
  pythonMissing,
  pythonWays,
  startProgram,
  storyIn,
  type Program,
  type Runtime,
  type Said,
} from './programs.ts';

const folder = useFolders();
useSeller();
let client: Awaited<ReturnType<typeof installClient>>;
let treasury: Treasury;
let dataDir: string;
let n = 0;
const open = async (): Promise<void> => {
  treasury = await openRich({ dataDir, proxyHoldMs: 700 });
};
beforeAll(async () => {
  dataDir = folder();
  await open();
  client = await installClient();
}, 600_000);
afterAll(async () => {
  await treasury.close();
  client.remove();
});

const price = 10_000;

const once = async (program: Program, request: Parameters<Program['ask']>[0]): Promise<Said> => {
  program.ask(request);
  return program.next();
};
const asked = (path = '/data') => ({
  url: `${seller.url}${path}`,
  method: 'POST',
  headers: { 'content-type': 'text/plain' },
  body: 'what is the weather?',
});
const nothing = (): void => {};

const withoutPython = pythonMissing();
const runtimes: readonly { name: string; skip: string | null; runtime: () => Promise<Runtime> }[] = [
  ...kinds(javaScripts).map((name) => ({
    name,
    skip: missing(name),
    runtime: () => javaScript(name, client.driver),
  })),
  ...kinds(pythonWays).map((way) => ({
    name: `Python, ${way}`,
    skip: withoutPython,
    runtime: async () => storyIn(await installWheel(), way),
  })),
];

describe.each(runtimes)('$name', ({ skip, runtime }) => {
  let agent: TestAgent;
  let config: string;
  let before: number;
  let here: Runtime;

  beforeAll(async () => {
    if (skip === null) here = await runtime();
  }, 600_000);
  beforeEach(async ({ skip: leaveOut }) => {
    leaveOut(skip !== null, skip ?? undefined);
    n += 1;
    agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00', maxPerPayment: '0.10' });
    config = folder();
    before = await receivedBySeller();
  });
  afterEach(killPrograms);

  const start = (): Promise<Program> =>
    startProgram(here, {
      HOME: config,
      XDG_CONFIG_HOME: config,
      TREASURY_DATA: dataDir,
      TREASURY_AGENT_ID: agent.agentId,
      TREASURY_API_KEY: agent.key,
    });
  const rows = () => [
    ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
  ];
  const keys = (): string[] => {
    try {
      return readdirSync(join(config, 'agent-treasury/requests'));
    } catch {
      return [];
    }
  };
  const setPolicy = async (policy: object): Promise<void> => {
    const { status } = await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, policy);
    expect(status).toBe(200);
  };
  const held = () =>
    until('the held payment', () => rows().find(({ state }) => state === 'awaiting_approval'));
  const decide = async (word: 'grant' | 'deny'): Promise<void> => {
    const { approvalId } = await held();
    const path = `/v1/approvals/${approvalId}`;
    const { hash } = (await treasury.client.get(path)).body;
    expect((await treasury.client.post(`${path}/${word}`, word === 'grant' ? { hash } : {})).status).toBe(
      200,
    );
  };
  /** Rows, signed transactions and money on the chain agree. */
  const expectPaid = async (times: number): Promise<void> => {
    const over = ['seen', 'final', 'failed', 'denied', 'cancelled'];
    await until('the payments', () => rows().every(({ state }) => over.includes(state)));
    const paid = rows().filter(({ state }) => state === 'seen' || state === 'final');
    expect([paid.length, (await receivedBySeller()) - before]).toEqual([times, times * price]);
  };

  it('pays, and gets the answer with its payment', async () => {
    const program = await start();
    const said = await once(program, asked('/data?city=Bern'));
    expect(said).toMatchObject({ status: 200, text: '{"sun":true}', url: `${seller.url}/data?city=Bern` });
    expect(said.payment).toBe(rows()[0]?.id);
    expect(await once(program, asked())).toMatchObject({ status: 200 });
    expect(await once(program, asked())).toMatchObject({ status: 200 });
    await expectPaid(3);
    expect(keys()).toEqual([]);
  });

  it('is told the code and the time when it is over budget', async () => {
    await setPolicy({ maxPerPayment: '0.01', dailyBudget: '0.01' });
    const program = await start();
    expect(await once(program, asked())).toMatchObject({ status: 200 });
    // While it is open, nobody knows when its money is free again.
    await until('the first payment', () => rows()[0]?.state === 'final');
    const refused = await once(program, asked());
    expect(refused).toMatchObject({ failed: 'TreasuryError', code: 'daily_budget', status: 402 });
    expect(Date.parse(refused.retryAt ?? '')).toBeGreaterThan(Date.now());
    expect(refused.nextStep).toContain('Repeat the request at 20');
    expect(keys()).toEqual([]);
    await expectPaid(1);
  });

  it('waits for the owner, who allows one and declines the other', async () => {
    await setPolicy({ approveAbove: '0' });
    const program = await start();
    program.ask(asked('/one'));
    expect(await program.next()).toMatchObject({ waiting: 'awaiting_approval', paymentId: rows()[0]?.id });
    await decide('grant');
    let said = await outcome(program);
    expect(said).toMatchObject({ status: 200, payment: rows()[0]?.id });
    program.ask(asked('/two'));
    await decide('deny');
    said = await outcome(program);
    expect(said).toMatchObject({ failed: 'TreasuryError', code: 'approval_denied' });
    expect(keys()).toEqual([]);
    await expectPaid(1);
  });

  it('gives up its wait when it is told to, and later goes on with the same payment', async () => {
    await setPolicy({ approveAbove: '0' });
    const program = await start();
    program.ask({ ...asked(), withinMs: 300 });
    expect(await outcome(program)).toMatchObject({ failed: expect.stringMatching(/Timeout|TreasuryError/) });
    expect(keys()).toHaveLength(1);
    program.ask(asked());
    await decide('grant');
    const said = await outcome(program);
    expect(said).toMatchObject({ status: 200, payment: rows()[0]?.id });
    await expectPaid(1);
  });

  it('is killed while the owner decides, and the next program gets what was allowed', async () => {
    await setPolicy({ approveAbove: '0' });
    const first = await start();
    first.ask(asked());
    await held();
    await first.kill();
    const file = join(config, 'agent-treasury/requests', keys()[0] ?? '');
    expect(openTo(file)).toBeNull();
    await decide('grant');
    expect(await once(await start(), asked())).toMatchObject({ status: 200, payment: rows()[0]?.id });
    expect(keys()).toEqual([]);
    await expectPaid(1);
  });

  it('is killed in the middle of an answer, and the next program gets all of it', async () => {
    let finish = nothing;
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, { 'content-length': '10' }).write('first');
      finish = () => response.end('-last');
    };
    const first = await start();
    expect(await once(first, { ...asked(), reads: false })).toEqual({ begun: 200 });
    await first.kill();
    const second = await start();
    second.ask(asked());
    finish();
    expect(await second.next()).toMatchObject({ status: 200, text: 'first-last', payment: rows()[0]?.id });
    expect(keys()).toEqual([]);
    await expectPaid(1);
    expect(seller.shown).toHaveLength(1);
  });

  it('has its treasury restarted in the middle, and pays once', async () => {
    let isOver = false;
    seller.behave = async ({ settle, response }) => {
      await settle();
      if (isOver) response.end('{"sun":true}');
    };
    const program = await start();
    program.ask(asked());
    await until('the seller', () => seller.shown.length > 0);
    const closing = treasury.close();
    // A treasury that ends waits a while for its sellers.
    seller.shown[0]?.response.destroy();
    await closing;
    isOver = true;
    await open();
    const said = await outcome(program);
    expect(said).toMatchObject({ status: 200, text: '{"sun":true}', payment: rows()[0]?.id });
    expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
    expect(keys()).toEqual([]);
    await expectPaid(1);
  });
});
