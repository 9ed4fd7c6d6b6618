// The store refuses a row unless every column holds what its table promises.
import { describe, expect, it } from 'vitest';
import { ifAny, mapper, type Columns } from '../../server/store/row.ts';
import { plainTransfer } from '../../server/store/transfers/transfer-rows.ts';

const read = (value: unknown, of: (row: Columns) => unknown): unknown => mapper('t', of)({ c: value });

const readings: readonly [name: string, of: (row: Columns) => unknown, good: unknown[][], bad: unknown[]][] =
  [
    ['text', (row) => row.text('c'), [['a', 'a']], [null, 1n, Buffer.from('a')]],
    [
      'text or null',
      (row) => row.textOrNull('c'),
      [
        ['', ''],
        [null, null],
      ],
      [1n],
    ],
    ['a word', (row) => row.word('c', ['yes', 'no']), [['no', 'no']], ['maybe', '', null, 0n]],
    ['a word or null', (row) => row.wordOrNull('c', ['yes']), [[null, null]], ['maybe']],
    ['an integer', (row) => row.integer('c'), [[-7n, -7]], ['7', 7.5, null, 2n ** 53n]],
    [
      'an integer or null',
      (row) => row.integerOrNull('c'),
      [
        [0n, 0],
        [null, null],
      ],
      ['0'],
    ],
    [
      'a flag',
      (row) => row.flag('c'),
      [
        [0n, false],
        [1n, true],
      ],
      [2n, null, 'true'],
    ],
    ['an amount', (row) => row.usdc('c'), [[2n ** 62n, 2n ** 62n]], [1, '1', null]],
    ['bytes', (row) => row.bytes('c'), [[Buffer.from('a'), Buffer.from('a')]], ['a', null]],
    ['bytes or null', (row) => row.bytesOrNull('c'), [[null, null]], ['a']],
    ['a JSON object', (row) => row.object('c'), [['{"a":1}', { a: 1 }]], ['[]', 'null', '{', null]],
    ['a JSON object or null', (row) => row.objectOrNull('c'), [[null, null]], ['"a"']],
    ['strings', (row) => row.strings('c'), [['["a"]', ['a']]], ['[1]', '{}', 'a', null]],
    ['strings or null', (row) => row.stringsOrNull('c'), [[null, null]], ['[null]']],
  ];

describe('a column', () => {
  it.each(readings)('of %s holds that and nothing else', (_kind, of, good, bad) => {
    for (const [stored, value] of good) expect(read(stored, of)).toEqual(value);
    for (const stored of [...bad, undefined]) expect(() => read(stored, of), String(stored)).toThrow('t.c');
  });

  it('that is wrong is named, without its value', () => {
    expect(() => read('a secret', (row) => row.integer('c'))).toThrow(
      'The records cannot be read: t.c holds string, and should hold an integer.',
    );
  });
});

describe('a row', () => {
  it('that is missing is an error, or undefined if it may be missing', () => {
    const map = mapper('t', (row) => row.text('c'));
    expect(() => map(undefined)).toThrow('t has no such row');
    expect(ifAny(map)(undefined)).toBeUndefined();
  });
});

/** A transfer that failed on the chain: every column holds a value, or may be null. */
const transfer = {
  seq: 1n,
  id: 'pay_1',
  kind: 'payment',
  agent_id: 'a',
  wallet_index: 1n,
  wallet: 'w',
  payee: 'p',
  asset: 'USDC',
  amount: 5n,
  service_id: 's',
  service_name: 's',
  description: '',
  invoice: null,
  reason: null,
  key_id: null,
  group_id: null,
  key_1: null,
  key_2: null,
  key_3: null,
  cause: null,
  source: null,
  state: 'failed',
  refusal_code: 'payment_failed',
  refusal_message: 'no',
  refusal_details: '{}',
  policy_version: 1n,
  approval_id: null,
  grant_id: null,
  fee_lamports: 5_000n,
  rent_lamports: 0n,
  created_at: 1n,
  reserved_at: 1n,
  signature: 'sig',
  message_hash: 'hash',
  wire: Buffer.from('wire'),
  blockhash: 'b',
  last_valid_height: 9n,
  signed_slot: 3n,
  signed_height: 2n,
  signed_at: 1n,
  sent_at: null,
  seen_at: null,
  seen_slot: null,
  block_time: null,
  ended_at: null,
  receipt: null,
  evidence: null,
};

describe('a transfer', () => {
  it('is read completely', () => {
    expect(plainTransfer(transfer)).toMatchObject({ id: 'pay_1', asset: 'USDC', amount: 5n });
    const sol = { ...transfer, kind: 'withdrawal', asset: 'SOL' };
    expect(plainTransfer(sol)).toMatchObject({ asset: 'SOL', amount: 5n });
  });

  it.each([
    ['state', 'stolen'],
    ['kind', 'gift'],
    ['asset', 'BTC'],
    ['amount', 5],
    ['refusal_code', 'because'],
  ])('whose %s is %j is refused', (column, value) => {
    expect(() => plainTransfer({ ...transfer, [column]: value })).toThrow(`transfer.${column}`);
  });

  it.each(Object.keys(transfer))('without its column %s is refused', (column) => {
    const { [column as 'id']: _gone, ...rest } = transfer;
    expect(() => plainTransfer(rest)).toThrow();
  });

  it('that pays a service in SOL is refused', () => {
    expect(() => plainTransfer({ ...transfer, asset: 'SOL' })).toThrow('only a withdrawal moves SOL');
  });
});
