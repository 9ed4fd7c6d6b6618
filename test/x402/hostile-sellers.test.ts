// An agent of its own asks each hostile seller of hostile/sellers.ts under one key: at first, again, and once more
// after every signed transaction has landed or is proven expired. Nothing is signed beyond policy and quote, and
// nothing twice.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transfer } from '../../server/engine/ports.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Answer } from '../harness/http-client.ts';
import { isLab } from '../harness/kinds.ts';
import {
  deploy,
  openTreasury,
  rpcCall,
  openSandbox,
  until,
  type TestSandbox,
  type Treasury,
} from '../harness/treasury.ts';
import { price, type Case } from './hostile/case.ts';
import { cases as all, openHostileSellers, type HostileSellers, type Visit } from './hostile/sellers.ts';
import { debitsOf, type Landed } from './official/shop.ts';

const cases = all.filter(({ isSlow = false }) => isLab || !isSlow);
/** Few enough at a time that no case waits for a processor longer than the treasury waits for a seller. */
const atOnce = 12;
const isOpen = ({ state }: Transfer): boolean =>
  ['reserved', 'signed', 'sent', 'seen', 'unknown'].includes(state);

interface Told {
  first: Answer;
  again: Answer;
  /** The answer after everything has landed or expired. */
  last: Answer;
  rows: Transfer[];
  debits: Landed[];
  /** The amount that the budget counts at the end. */
  spent: bigint;
  visits: Visit[];
  tookMs: number;
}

let sandbox: TestSandbox;
let sellers: HostileSellers;
let treasury: Treasury;
const told = new Map<string, Told>();

const inTurns = async <T>(work: readonly T[], run: (one: T) => Promise<void>): Promise<void> => {
  const rest = [...work];
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) await run(one);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
};

/** Of a busy machine alone: the answer outlasts the wait, or the seller does not even ask to be paid in time. */
const isLate = ({ status }: Case, answer: Answer): boolean =>
  (answer.body['delivering'] === true && !status.includes(202)) ||
  (answer.body['code'] === 'not_available' && !status.includes(501));

beforeAll(async () => {
  sandbox = await openSandbox();
  sellers = await openHostileSellers(sandbox.rpcUrl);
  const origins = [sellers.url, sellers.other].flatMap((origin) => ['--allow-origin', origin]);
  treasury = await openTreasury({
    args: ['--rpc', sandbox.rpcUrl, '--ws', sandbox.rpcUrl.replace('http', 'ws'), ...origins],
    sockets: 64,
  });
  await treasury.client.post('/v1/sandbox/faucet', { amount: '1000' });
  const { store, time } = treasury.host.engine.context;
  const people = { treasury: treasury.owner, treasuryUrl: treasury.host.url };
  const agents = new Map<string, { ask(): Promise<Answer>; wallet: string }>();
  for (const { name, limits, request } of cases) {
    const { wallet, client } = await deploy(treasury.client, name, {
      dailyBudget: '1.00',
      maxPerPayment: '0.50',
      allocate: '0.50',
      ...limits,
    });
    const scene = sellers.enter(name, { ...people, wallet });
    const body = { url: `${sellers.url}/${name}`, ...request?.(scene) };
    const key = randomUUID();
    agents.set(name, {
      wallet,
      ask: () => client.post(`/v1/agents/${name}/fetch`, body, { key, prefer: 'wait=3' }),
    });
  }
  const ask = (name: string): Promise<Answer> => agents.get(name)?.ask() ?? Promise.reject(new Error(name));
  const askFirst = async (played: Case): Promise<Answer> => {
    let answer = await ask(played.name);
    for (let left = 20; left > 0 && isLate(played, answer); left -= 1) answer = await ask(played.name);
    return answer;
  };

  const firsts = new Map<string, { answer: Answer; tookMs: number }>();
  await inTurns(cases, async (played) => {
    const begin = performance.now();
    firsts.set(played.name, { answer: await askFirst(played), tookMs: performance.now() - begin });
  });
  const agains = new Map<string, Answer>();
  await inTurns(cases, async ({ name }) => void agains.set(name, await ask(name)));
  await sellers.settleLate();
  // Other transactions can no longer land.
  await rpcCall(sandbox.rpcUrl, 'sandbox_warp', [400]);
  await until('everything to land or die', () => !store.transfers.open().some(isOpen), 120_000);
  const lasts = new Map<string, Answer>();
  await inTurns(cases, async ({ name }) => void lasts.set(name, await ask(name)));
  await until('the rest', () => !store.transfers.open().some(isOpen), 60_000);

  for (const { name } of cases) {
    const [first, again, last] = [firsts.get(name), agains.get(name), lasts.get(name)];
    const wallet = agents.get(name)?.wallet ?? '';
    if (first === undefined || again === undefined || last === undefined) throw new Error(name);
    const { open, final } = store.spend.at(name, time.now());
    told.set(name, {
      first: first.answer,
      tookMs: first.tookMs,
      again,
      last,
      rows: [...store.transfers.iterate({ agentId: name, kinds: ['payment'] })],
      debits: await debitsOf(sandbox.rpcUrl, wallet),
      spent: open + final,
      visits: sellers.visits.filter((visit) => visit.case === name),
    });
  }
}, 600_000);

afterAll(async () => {
  process.stdout.write(`${summary()}\n`);
  await treasury.close();
  await sellers.close();
  await sandbox.close();
});

const line = (cells: readonly unknown[]): string =>
  [String(cells[0]).padEnd(34), ...cells.slice(1).map((cell) => String(cell).padEnd(8))].join(' ').trimEnd();
const summary = (): string => {
  const rows = cases.flatMap(({ name }) => {
    const one = told.get(name);
    if (one === undefined) return [];
    const { first, again, last, rows: payments, debits, tookMs } = one;
    const signed = payments.filter((row) => row.signed !== null).length;
    const said = [first, again, last].map(
      ({ status, body }) => `${status} ${body['code'] ?? body['status'] ?? ''}`,
    );
    return [line([name, signed, debits.length, Math.round(tookMs), said.join(' | ')])];
  });
  return [line(['case', 'signed', 'landed', 'ms', 'answers: first | again | after death']), ...rows].join(
    '\n',
  );
};

const theOnly = (one: Told | undefined): Told => {
  if (one === undefined) throw new Error('the case was not run');
  return one;
};
const within = (count: number, most: Case['signed']): void =>
  most === 'at most 1' ? expect(count).toBeLessThanOrEqual(1) : expect(count).toBe(most);

it('runs at least 40 cases, each under its own name', () => {
  expect(cases.length).toBeGreaterThan(100);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

describe('the hostile seller', () => {
  it.each(cases.map((played) => [played.name, played] as const))('%s', (name, played) => {
    const { first, again, last, rows, debits, spent, visits } = theOnly(told.get(name));
    const said = [first, again, last].map(({ status, text }) => `${status} ${text.slice(0, 500)}`).join('\n');

    // The signatures are as many as policy and quote cover, and never a second one for the key.
    const signed = rows.filter((row) => row.signed !== null);
    within(signed.length, played.signed);
    expect(rows.length, said).toBeLessThanOrEqual(1);
    for (const { amount, payee } of signed) expect([amount, payee]).toEqual([BigInt(price), sellers.payee]);
    const shown = visits.filter((visit) => visit.shown !== null);
    const transactions = new Set(shown.flatMap((visit) => visit.shown?.transaction ?? []));
    expect(transactions.size).toBeLessThanOrEqual(signed.length);
    if (signed.length === 0) expect(shown).toEqual([]);

    // The payment goes where the 402 came from, and nowhere else.
    expect(shown.filter(({ at, path }) => at !== 'seller' || path !== `/${name}`)).toEqual([]);
    // No redirect is followed.
    expect(visits.filter(({ at, path }) => at !== 'seller' || path !== `/${name}`)).toEqual([]);
    expect(shown.length).toBeLessThan(100);

    // The chain and the budget agree.
    within(debits.length, played.landed);
    const paid = debits.reduce((sum, { units }) => sum + units, 0n);
    expect(paid).toBe(BigInt(price * debits.length));
    expect(spent).toBe(paid);
    expect(rows.filter(isOpen)).toEqual([]);
    const [row] = signed;
    if (row !== undefined) expect(row.state).toBe(debits.length === 1 ? 'final' : 'dead');

    // The delivery is recorded, and the agent's answers are plain.
    if (played.delivery !== undefined) {
      const isLost = played.name === 'settled-at-the-second-sight';
      expect(row?.purchase?.delivery, said).toBe(isLost ? 'delivered' : played.delivery);
    }
    expect(played.status, said).toContain(first.status);
    if (played.code !== undefined) expect(played.code, said).toContain(first.body['code']);
    expect(
      first.status === 200 || first.status === 202 || typeof first.body['error'] === 'string',
      said,
    ).toBe(true);
    if (row === undefined) return;
    const { paymentId } = first.body['payment'] ?? first.body['details'] ?? first.body;
    expect(paymentId ?? first.body['paymentId'], said).toBe(row.id);
    if (debits.length === 1) return;
    const after = last.body['payment']?.status ?? last.body['code'];
    expect(['failed', 'payment_failed', 'not_delivered'], said).toContain(after);
  });
});

it('never brought the treasury to contact a forbidden place', () => {
  expect(sellers.trespasses()).toBe(0);
});

it('leaves ledger and chain in agreement', async () => {
  expect(clean(await audit(treasury.host))).toEqual(allWell);
  const { transfers } = treasury.host.engine.context.store;
  const signed = [...transfers.iterate({ kinds: ['payment'] })].filter((row) => row.signed !== null);
  const hashes = signed.map((row) => row.signed?.messageHash);
  expect(new Set(hashes).size).toBe(hashes.length);
  // No property was added to every object of the process.
  expect(Object.keys(Object.prototype)).toEqual([]);
});
