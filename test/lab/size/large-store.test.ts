// A small instance of the large stores: complete in every respect, and reported and verified in steps.
import { cpSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyJournal } from '../../../server/engine/records/audit.ts';
import { previewOperations } from '../../../server/engine/api/limits/preview.ts';
import type { Store, Transfer, TransferQuery } from '../../../server/engine/ports.ts';
import { usdc } from '../../../server/money.ts';
import { openTreasury, removeFolder, temporaryFolder, type Treasury } from '../../harness/treasury.ts';
import { buildBase, databaseOf, type Payers } from './build-store.ts';
import { writePast } from './past.ts';
import { payOn } from './questions.ts';
import { openStore } from '../../harness/engine/store.ts';
import { localDoor } from '../../harness/local-door.ts';

const payments = 1_000;
const folder = temporaryFolder();
const untouched = join(folder, 'untouched.db');
const copies: string[] = [];
let payers: Payers['payers'];
let treasury: Treasury;
let store: Store;
let all: Transfer[];

beforeAll(async () => {
  payers = await buildBase(folder, 3);
  writePast(databaseOf(folder), { now: Date.now(), payments });
  cpSync(databaseOf(folder), untouched);
  treasury = await openTreasury({ dataDir: folder });
  ({ store } = treasury.host.engine.context);
  all = [...store.transfers.iterate({})];
});
afterAll(async () => {
  await treasury.close();
  [folder, ...copies].forEach(removeFolder);
});

const copyOfDatabase = (): string => {
  const copy = temporaryFolder();
  copies.push(copy);
  const file = join(copy, 'treasury.db');
  cpSync(untouched, file);
  return file;
};
const sumOf = (rows: readonly { amount: bigint }[]): bigint =>
  rows.reduce((total, { amount }) => total + amount, 0n);
const totalOf = (
  some: readonly { amount: bigint; payments: number }[],
): { amount: bigint; payments: number } => ({
  amount: some.reduce((sum, { amount }) => sum + amount, 0n),
  payments: some.reduce((sum, { payments: n }) => sum + n, 0),
});
const token = (): string => readFileSync(treasury.host.cookieFile ?? '', 'utf8');
const steps = (check: ReturnType<Store['journal']['verifyAll']>, between: (step: number) => void) => {
  for (let step = 1; ; step += 1) {
    const { done, value } = check.next();
    if (done) return { steps: step, result: value };
    between(step);
  }
};
const stream = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const { url, owner } = treasury.host;
    get(
      `${url}/v1/statement?owner=${owner}`,
      { headers: { authorization: `Bearer ${token()}` } },
      (response) => {
        let rows = 0;
        response.on('data', (chunk: Buffer) => (rows += chunk.toString('latin1').split('\n').length - 1));
        response.on('end', () => resolve(rows - 1));
      },
    ).on('error', reject);
  });

describe('a past written by SQL', () => {
  it('is a journal that verifies, and rules that do', () => {
    expect(all.length).toBeGreaterThan(payments);
    expect([verifyJournal(store), store.journal.verifyRules()]).toEqual([null, null]);
    expect(store.freeze.get()).toBeNull();
  });

  it('is a ledger that sums to zero and equals the chain', () => {
    const balances = store.ledger.balances();
    const own = [...balances].filter(([name]) => name.startsWith('USDC:'));
    expect(own.reduce((sum, [, balance]) => sum + balance, 0n)).toBe(0n);
    for (const { address, balance } of store.wallets.list())
      expect(balances.get(`USDC:${address}`) ?? 0n).toBe(balance);
  });

  it('counts in the window of each agent, for ever and by day', () => {
    const { time } = treasury.host.engine.context;
    const now = time.now();
    const paid = all.filter(({ kind, state }) => kind === 'payment' && state === 'final');
    for (const { agentId } of store.agents.list()) {
      const own = paid.filter((row) => row.agentId === agentId);
      const recent = own.filter(({ reservedAt, blockTime }) =>
        [reservedAt ?? 0, blockTime ?? 0].some((at) => at > now - 86_400_000),
      );
      expect(store.spend.at(agentId, now).final).toBe(sumOf(recent));
      expect(store.spend.lifetime(agentId)).toEqual({
        spent: sumOf(own),
        payments: own.length,
        requests: 0,
      });
    }
    const byDay = store.agents.list().flatMap(({ agentId }) => store.spend.agentByDay(agentId, 400, now));
    expect(sumOf(byDay)).toBe(sumOf(paid));
  });

  it('lets an agent pay on', async () => {
    await payOn({ host: treasury, payers })();
    all = [...store.transfers.iterate({})];
  });
});

describe('a list', () => {
  const queries: [string, Omit<TransferQuery, 'limit'>, (row: Transfer) => boolean][] = [
    ['denied', { states: ['denied'] }, ({ state }) => state === 'denied'],
    ['failed', { states: ['failed', 'dead', 'cancelled'] }, () => false],
    ['went through', { states: ['seen', 'final'] }, ({ state }) => state === 'seen' || state === 'final'],
    ['under way', { states: ['reserved', 'signed', 'sent'] }, () => false],
    ['an allocation', { kinds: ['allocation'] }, ({ kind }) => kind === 'allocation'],
    [
      'an allocation or a payment',
      { kinds: ['allocation', 'payment'], states: ['denied'] },
      ({ state }) => state === 'denied',
    ],
    ['of a service', { serviceId: 'service-1' }, ({ serviceId }) => serviceId === 'service-1'],
    [
      'of a service, by an agent, denied',
      { serviceId: 'service-13', agentId: 'agent-2', states: ['denied'] },
      (row) => row.serviceId === 'service-13' && row.agentId === 'agent-2' && row.state === 'denied',
    ],
  ];
  it.each(queries)('with the filter “%s” holds exactly its transfers', (_case, query, isMeant) => {
    const found = store.transfers.list({ ...query, limit: payments * 2 });
    expect(found.map(({ id }) => id)).toEqual(all.filter(isMeant).map(({ id }) => id));
  });

  it('finds a pasted id or signature, whole or by its beginning', async () => {
    const row = all[Math.floor(payments / 2)];
    const texts = [
      row?.id,
      row?.signed?.signature,
      row?.id.slice(0, -1),
      row?.signed?.signature.slice(0, 60),
    ];
    for (const text of texts) {
      const { entries } = (await treasury.client.get(`/v1/activity?q=${text}`)).body;
      expect(entries.map(({ id }: { id: string }) => id)).toEqual([row?.id]);
    }
  });

  it('counts the states as they are', () => {
    const counts: Record<string, number> = {};
    for (const { state } of store.transfers.iterate({})) counts[state] = (counts[state] ?? 0) + 1;
    expect(store.transfers.countByState()).toEqual(counts);
  });
});

describe('the spending of a span that is over', () => {
  it('counts a payment that is seen later', () => {
    const own = openStore(copyOfDatabase());
    try {
      const now = Date.now();
      const spent = (): bigint => totalOf(own.spend.between(now - 2 * 86_400_000, now - 1, now)).amount;
      const before = spent();
      expect(spent()).toBe(before);
      const yesterday = Date.now() - 86_400_000;
      const [one] = own.agents.list();
      const { seq: _seq, ...like } = all.find(({ state }) => state === 'final') as Transfer;
      own.atomically(() => {
        const fresh = {
          id: 'pay_late',
          kind: 'payment',
          asset: 'USDC',
          amount: usdc(5n),
          agentId: one?.agentId ?? '',
          state: 'reserved',
        } as const;
        own.transfers.insert({ ...like, ...fresh, createdAt: yesterday, reservedAt: yesterday });
        const signed = like.signed && { ...like.signed, signature: 'late', messageHash: 'late' };
        own.transfers.move('pay_late', 'reserved', 'signed', { signed });
        own.transfers.move('pay_late', 'signed', 'seen', {
          seenAt: yesterday,
          seenSlot: 1,
          blockTime: yesterday,
        });
        own.transfers.move('pay_late', 'seen', 'final', { endedAt: yesterday });
      });
      expect(spent()).toBe(before + 5n);
    } finally {
      own.close();
    }
  });
});

describe('a preview of a policy', () => {
  it('reads the newest payments of many, and leaves turns of the event loop to others', async () => {
    const file = copyOfDatabase();
    writePast(file, { now: Date.now(), payments: 10_000 });
    const own = openStore(file);
    try {
      const unkeyed = {
        caller: { role: 'owner' },
        door: localDoor,
        query: {},
        key: null,
        waitMs: null,
      } as const;
      const params = { agentId: own.agents.list()[0]?.agentId ?? '' };
      const { previewPolicy } = previewOperations({ ...treasury.host.engine.context, store: own });
      let turns = 0;
      let isDone = false;
      const turn = (): void => {
        turns += 1;
        if (!isDone) setImmediate(turn);
      };
      turn();
      const answer = await previewPolicy({ ...unkeyed, params, body: {} });
      isDone = true;
      const { payments: looked } = answer.body as { payments: number };
      expect(looked).toBeGreaterThan(200);
      // One turn for every 50 that are read, and again for every 50 that are decided.
      expect(turns).toBeGreaterThan((1.5 * looked) / 50);
    } finally {
      own.close();
    }
  });
});

describe('a verification of everything', () => {
  it('goes in short steps, and includes rows that are written in between', () => {
    const own = openStore(copyOfDatabase());
    try {
      const head = own.journal.head().seq;
      let written = 0;
      const { steps: taken, result } = steps(own.journal.verifyAll(), () =>
        own.atomically(() => {
          written += 1;
          own.grants.insert({
            id: `grt_${written}`,
            agentId: 'agent-1',
            serviceId: 'service-1',
            payees: [],
            upTo: usdc(1n),
            used: usdc(0n),
            until: 1,
            createdAt: 1,
            revokedAt: null,
            endedBecause: null,
          });
          own.agents.update('agent-1', { displayName: `at ${written}` });
        }),
      );
      expect(result).toBeNull();
      expect(taken).toBeGreaterThan(head / 251);
    } finally {
      own.close();
    }
  });

  const edits: Record<string, [sql: string, says: string]> = {
    'an amount': [
      `DROP TRIGGER transfer_end_is_final; DROP TRIGGER transfer_purpose_is_fixed;
        UPDATE transfer SET amount = amount + 1 WHERE seq = 30`,
      'was changed outside',
    ],
    'a row that is gone': ['DROP TRIGGER transfer_is_kept; DELETE FROM transfer WHERE seq = 30', 'removed'],
    'the newest row, gone': [
      'DROP TRIGGER transfer_is_kept; DELETE FROM transfer WHERE seq = (SELECT max(seq) FROM transfer)',
      'removed',
    ],
    'a row under the entry of another': [
      `INSERT INTO agent_key SELECT 'key_x', agent_id, 'abc', 'mine', 1, NULL, NULL, journal_seq, NULL, NULL FROM agent_key LIMIT 1`,
      'key_x was changed outside',
    ],
    'an entry': [`UPDATE journal SET at = at + 1 WHERE seq = 40`, 'entry 40 of the journal was changed'],
    'an entry that is gone': [`DELETE FROM journal WHERE seq = 40`, 'entry 40 of the journal is missing'],
  };
  it.each(Object.entries(edits))('finds %s', (_case, [sql, says]) => {
    const file = copyOfDatabase();
    const db = new Database(file);
    db.pragma('foreign_keys = OFF');
    db.exec(sql);
    db.close();
    const own = openStore(file);
    try {
      expect(verifyJournal(own)).toContain(says);
    } finally {
      own.close();
    }
  });
});

describe('a statement', () => {
  it('leaves turns of the event loop to others between two chunks', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const rows = await stream();
    isOver = true;
    expect(rows).toBe(all.length);
    expect(turns).toBeGreaterThan(rows / 50);
  });
});
