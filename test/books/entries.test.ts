// The journal as entries: each movement once, between the right places, in the order of the blocks, and until when
// they are final.
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entriesOf, type Entry, type Place } from '../../server/books/entry.ts';
import { finalUntil, waitsFor } from '../../server/books/final.ts';
import { lineOf } from '../../server/books/line.ts';
import { createMerkleTree } from '../../server/books/merkle.ts';
import { entriesIn } from '../../server/books/pass.ts';
import { nothingFound, setReconciliationMark } from '../../server/engine/domain/reconciliation-mark.ts';
import type { BookedTransfer, NewTransfer, Store } from '../../server/engine/ports.ts';
import { lamports, usdc } from '../../server/money.ts';
import { reservedPayment } from '../harness/engine/payment-row.ts';
import { openStore } from '../harness/engine/store.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

const row: BookedTransfer = {
  seq: 1,
  id: 'pay_1',
  kind: 'payment',
  isFailed: false,
  agentId: 'a',
  groupId: 'grp_1',
  payer: 'wallet of a',
  isDraw: false,
  payee: 'seller',
  asset: 'USDC',
  amount: usdc(100n),
  splits: [],
  serviceId: 'svc',
  serviceName: 'Service',
  url: 'https://api.example.com/x?y=1',
  description: 'what',
  feeLamports: 10_000n,
  rentLamports: 0n,
  txSignature: 'sig',
  at: 1_000,
};
const places: Record<string, Place> = {
  treasury: { kind: 'treasury' },
  'wallet of a': { kind: 'agent', agentId: 'a' },
  'wallet of b': { kind: 'agent', agentId: 'b' },
};
const placeOf = (address: string): Place => places[address] ?? { kind: 'outside', address };
const made = (change: Partial<BookedTransfer>): Entry[] =>
  entriesOf({ ...row, ...change } as BookedTransfer, placeOf);
const short = ({ id, kind, asset, amount, from, to }: Entry): string =>
  [id, kind, amount, asset, from, '->', to]
    .map((one) => (typeof one === 'object' ? Object.values(one).join(' ') : one))
    .join(' ');

describe('a transfer makes', () => {
  it.each<[string, Partial<BookedTransfer>, string[]]>([
    [
      'spending and its fee',
      {},
      ['pay_1 spending 100 USDC agent a -> outside seller', 'pay_1.fee fee 10000 SOL treasury -> outside '],
    ],
    [
      'no fee where a facilitator pays it',
      { feeLamports: 0n },
      ['pay_1 spending 100 USDC agent a -> outside seller'],
    ],
    [
      'an entry for each part of a split',
      {
        feeLamports: 0n,
        splits: [
          { payee: 'platform', amount: usdc(7n) },
          { payee: 'wallet of b', amount: usdc(3n) },
        ],
      },
      [
        'pay_1 spending 90 USDC agent a -> outside seller',
        'pay_1.1 spending 7 USDC agent a -> outside platform',
        'pay_1.2 transfer 3 USDC agent a -> agent b',
      ],
    ],
    [
      'a transfer where another agent is paid',
      { payee: 'wallet of b', feeLamports: 0n },
      ['pay_1 transfer 100 USDC agent a -> agent b'],
    ],
    [
      'a charge, which stays with the owner',
      { kind: 'charge', payee: 'treasury', feeLamports: 0n },
      ['pay_1 charge 100 USDC agent a -> treasury'],
    ],
    [
      'its refund',
      { kind: 'refund', payer: 'treasury', payee: 'wallet of a', feeLamports: 0n },
      ['pay_1 refund 100 USDC treasury -> agent a'],
    ],
    [
      'a transfer for an allocation',
      { kind: 'allocation', payer: 'treasury', payee: 'wallet of a', feeLamports: 0n },
      ['pay_1 transfer 100 USDC treasury -> agent a'],
    ],
    [
      'a transfer for a draw on the cold treasury',
      { kind: 'allocation', payer: 'cold', isDraw: true, payee: 'wallet of a', feeLamports: 0n },
      ['pay_1 transfer 100 USDC cold cold -> agent a'],
    ],
    [
      'a withdrawal of SOL',
      {
        kind: 'withdrawal',
        payer: 'treasury',
        payee: 'x',
        asset: 'SOL',
        amount: lamports(5n),
        feeLamports: 0n,
      } as Partial<BookedTransfer>,
      ['pay_1 withdrawal 5 SOL treasury -> outside x'],
    ],
    [
      'a withdrawal to what is, or becomes, the cold treasury',
      { kind: 'withdrawal', payer: 'treasury', payee: 'cold', feeLamports: 0n },
      ['pay_1 withdrawal 100 USDC treasury -> outside cold'],
    ],
    [
      'rent for an account that it opened',
      { rentLamports: 9n, feeLamports: 0n },
      ['pay_1 spending 100 USDC agent a -> outside seller', 'pay_1.rent fee 9 SOL treasury -> outside '],
    ],
    [
      'the fee alone where it failed',
      { isFailed: true, rentLamports: 9n },
      ['pay_1.fee fee 10000 SOL treasury -> outside '],
    ],
  ])('%s', (_, change, entries) => {
    expect(made(change).map(short)).toEqual(entries);
  });

  it('entries with the origin that was paid for, and none for a URL of no origin', () => {
    expect(made({})[0]).toMatchObject({ origin: 'https://api.example.com', agentId: 'a', groupId: 'grp_1' });
    for (const url of [null, 'mcp:weather', 'nonsense']) expect(made({ url })[0]?.origin).toBe(null);
  });

  it('lines that hold every fact once, on one line', () => {
    const [line] = made({ serviceId: 'a\n"b"' }).map(lineOf);
    expect(line).toBe(
      '{"id":"pay_1","kind":"spending","at":"1970-01-01T00:00:01.000Z","asset":"USDC","amount":"0.0001","from":"agent:a","to":"outside:seller","agent":"a","service":"a\\n\\"b\\"","transaction":"sig"}',
    );
  });
});

describe('the tree of RFC 6962', () => {
  // The roots of the test vectors of certificate-transparency-go, testonly/reference.go.
  const vectors: [Buffer, string][] = [
    ['', '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d'],
    ['00', 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'],
    ['10', 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77'],
    ['2021', 'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7'],
    ['3031', '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4'],
    ['40414243', '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef'],
    ['5051525354555657', 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c'],
    ['606162636465666768696a6b6c6d6e6f', '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328'],
  ].map(([hex = '', root = '']) => [Buffer.from(hex, 'hex'), root]);

  it('has the roots of its reference', () => {
    const tree = createMerkleTree();
    expect(tree.root()).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    for (const [leaf, root] of vectors) {
      tree.add(leaf.toString('latin1'));
      expect(tree.root()).toBe(root);
    }
  });
});

describe('the pass', () => {
  const owner = 'treasury';
  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = temporaryFolder();
    store = openStore(join(folder, 'treasury.db'), () => 1);
    store.atomically(() => {
      store.wallets.add({ address: owner, index: 0, agentId: null });
    });
  });
  afterEach(() => {
    store.close();
    removeFolder(folder);
  });

  const whole = { from: 0, to: Number.MAX_SAFE_INTEGER };
  const ids = (span = whole): string[] => [...entriesIn(store, span)].map(({ id }) => id);

  const withdrawn = (id: string, createdAt: number): NewTransfer =>
    reservedPayment({
      kind: 'withdrawal',
      id,
      agentId: null,
      walletIndex: 0,
      wallet: owner,
      createdAt,
      amount: 5n,
    });

  const land = (id: string, at: number, ends: 'final' | 'failed' = 'final'): void =>
    store.atomically(() => {
      store.transfers.insert(withdrawn(id, at));
      const signed = {
        messageHash: id,
        signature: id,
        wire: new Uint8Array(1),
        lifetime: { blockhash: '', lastValidHeight: 1, slot: 1, height: 1 },
        at,
      };
      store.transfers.move(id, 'reserved', 'signed', { signed });
      if (ends === 'failed') {
        const refusal = { code: 'payment_failed', message: '', details: {} } as const;
        return void store.transfers.move(id, 'signed', 'failed', { refusal, endedAt: at });
      }
      store.transfers.move(id, 'signed', 'seen', { seenAt: at, seenSlot: 1, blockTime: at });
      store.transfers.move(id, 'seen', 'final', { endedAt: at });
    });

  it('goes through thousands of one second and of many, each once and in order, in any part of them', () => {
    const times = Array.from({ length: 1_000 }, (_, index) => (index < 350 ? 5_000 : 5_000 + index * 7));
    for (const [index, at] of times.entries()) land(`t${index}`, at);
    expect(ids()).toEqual(times.map((_, index) => `t${index}`));
    expect(ids({ from: 5_000, to: 5_001 })).toHaveLength(350);
    expect(ids({ from: 5_001, to: 8_000 }).at(0)).toBe('t350');
    expect([...ids({ from: 0, to: 9_000 }), ...ids({ from: 9_000, to: whole.to })]).toEqual(ids());
    expect(store.books.count(whole)).toBe(1_000);
    expect(store.books.firstAt()).toBe(5_000);
  });

  it('puts what comes in before what goes out at the same moment, and a failure where it was seen', () => {
    land('later', 3_000);
    land('first', 1_000);
    land('failed', 2_000, 'failed');
    store.atomically(() => {
      const deposit = {
        id: 'dep',
        txSignature: 'd',
        from: 'x',
        wallet: owner,
        slot: 1,
        asset: 'USDC',
      } as const;
      store.deposits.insert({ ...deposit, amount: usdc(5n), status: 'confirmed', at: 1_000 });
    });
    expect(ids()).toEqual(['first', 'later']);
    store.atomically(() => store.deposits.settle('dep', 'final'));
    expect(ids()).toEqual(['dep', 'first', 'later']);
    expect(store.books.count(whole)).toBe(4);
  });

  it('tells what may still land before a moment', () => {
    expect(store.books.unsettled(whole.to)).toEqual({});
    store.atomically(() => {
      store.transfers.insert(withdrawn('open', 10));
    });
    expect(store.books.unsettled(10)).toEqual({});
    expect(store.books.unsettled(11)).toEqual({ reserved: 1 });
  });
});

const at = (text: string): number => Date.parse(text);

describe('the moment until which the books are final', () => {
  const zone = 'Europe/Berlin';
  const days = { first: at('2026-11-20T23:00:00Z'), second: at('2026-11-21T23:00:00Z') };

  let folder: string;
  let store: Store;
  beforeEach(() => {
    folder = temporaryFolder();
    store = openStore(join(folder, 'treasury.db'), () => days.first);
  });
  afterEach(() => {
    store.close();
    removeFolder(folder);
  });

  const seenFrom = (
    now: string,
    { entered = at(now) as number | null, doubt = null as string | null } = {},
  ) => ({
    store,
    time: { wall: () => at(now), doubt: () => doubt },
    funds: { enteredUntil: () => entered },
  });

  it('is the start of a day once five minutes of it have passed and were read', () => {
    expect(finalUntil(seenFrom('2026-11-21T23:04:59.999Z'), zone)).toBe(days.first);
    const now = seenFrom('2026-11-21T23:05:00Z');
    expect(finalUntil(now, zone)).toBe(days.second);
    expect(waitsFor(now, days.second)).toEqual([]);
    const early = seenFrom('2026-11-21T23:04:00Z');
    expect(waitsFor(early, days.second)).toEqual(['It has to be 2026-11-21T23:05:00.000Z or later.']);
    const unread = seenFrom('2026-11-21T23:30:00Z', { entered: at('2026-11-21T23:04:00Z') });
    expect(finalUntil(unread, zone)).toBe(days.first);
    expect(waitsFor(unread, days.second)).toEqual(['The chain has to be read once more.']);
    expect(finalUntil(seenFrom('2026-11-21T23:30:00Z', { entered: null }), zone)).toBe(0);
  });

  const reserve = (id: string, createdAt: number): void =>
    store.atomically(() => {
      if (store.agents.get('a') === undefined)
        store.agents.insert(
          {
            agentId: 'a',
            walletIndex: 1,
            displayName: '',
            status: 'active',
            statusReason: null,
            createdAt,
            archivedAt: null,
          },
          () => 'wallet',
        );
      store.transfers.insert(
        reservedPayment({ id, agentId: 'a', walletIndex: 1, wallet: 'wallet', createdAt, amount: 1n }),
      );
    });

  it('waits for what is open, however old, and for a deposit that is not final', () => {
    const now = seenFrom('2026-11-25T12:00:00Z');
    expect(finalUntil(now, zone)).toBe(at('2026-11-24T23:00:00Z'));
    reserve('late', at('2026-11-23T12:00:00Z'));
    expect(finalUntil(now, zone)).toBe(at('2026-11-22T23:00:00Z'));
    // Its block may have a time of the day before.
    reserve('early', days.second + 1_000);
    expect(finalUntil(now, zone)).toBe(days.first);
    expect(waitsFor(now, days.second)).toEqual(['1 transfer or deposit has to be final.']);
    store.atomically(() =>
      store.deposits.insert({
        id: 'd',
        txSignature: 's',
        from: 'f',
        wallet: 'w',
        asset: 'USDC',
        amount: usdc(1n),
        slot: 1,
        status: 'confirmed',
        at: days.first + 600_000,
      }),
    );
    expect(finalUntil(now, zone)).toBe(days.first);
    expect(waitsFor(now, days.second)).toEqual(['2 transfers and deposits have to be final.']);
    store.atomically(() => store.deposits.settle('d', 'final'));
    store.atomically(() => store.transfers.move('early', 'reserved', 'cancelled', cancelled));
    expect(finalUntil(now, zone)).toBe(at('2026-11-22T23:00:00Z'));
  });

  const cancelled = {
    refusal: { code: 'payment_failed', message: '', details: {} },
    endedAt: 1,
  } as const;

  it('is unknown while the records or the clock are in doubt', () => {
    const doubtful = seenFrom('2026-11-25T12:00:00Z', { doubt: 'the clock jumped' });
    expect(finalUntil(doubtful, zone)).toBe(0);
    expect(waitsFor(doubtful, days.second)).toEqual([
      'The owner has to confirm the time of this machine first.',
    ]);
    store.atomically(() => setReconciliationMark(store, { ...nothingFound, kind: 'debit' }));
    const marked = seenFrom('2026-11-25T12:00:00Z');
    expect(finalUntil(marked, zone)).toBe(0);
    expect(waitsFor(marked, days.second)).toEqual(['The records have to be compared with the chain first.']);
  });
});
