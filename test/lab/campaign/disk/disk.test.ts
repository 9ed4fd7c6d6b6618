// The gates about disk and process rely on these: the reading of a log of system calls, and the disk after a cut.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../../../harness/treasury.ts';
import { createDiskImage, type Loss } from './disk-image.ts';
import { createDice } from '../../../harness/dice.ts';
import { acknowledgedIn, sentIn } from './leaving.ts';
import { allWell, judge, noFaults, type Seen, type Tally } from './recovery.ts';
import { readTrace, type SystemCall } from './trace-log.ts';

const folder = temporaryFolder();
afterAll(() => removeFolder(folder));

const hex = (bytes: Buffer | string): string =>
  [...Buffer.from(bytes)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const fd = (path: string): string => `7<${hex(path)}>`;
const read = (...lines: string[]): SystemCall[] => {
  const file = join(folder, 'trace');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return readTrace(file);
};
const write = (path: string, at: number, bytes: Buffer | string): string =>
  `10 pwrite64(${fd(path)}, "${hex(bytes)}", ${Buffer.from(bytes).length}, ${at}) = ${Buffer.from(bytes).length}`;
const sync = (path: string): string => `10 fsync(${fd(path)}) = 0`;
const connection = 'TCP:[127.0.0.1:1->127.0.0.1:2]';
const said = (text: string): string => `10 write(9<${connection}>, "${hex(text)}", 5) = 5`;

describe('a log of system calls', () => {
  it('is read with the bytes of each call', () => {
    const bytes = Buffer.from([0, 34, 92, 10, 255, 41, 60]);
    const [call] = read(write('/d/a b', 4096, bytes));
    expect(call).toMatchObject({
      thread: 10,
      name: 'pwrite64',
      target: '/d/a b',
      result: 7,
      injected: false,
    });
    expect(call?.data).toEqual(bytes);
  });

  it('joins a call with its return, and the parts of one write', () => {
    const [first, second] = read(
      `10 fsync(${fd('/d/a')} <unfinished ...>`,
      `11 writev(9<${connection}>, [{iov_base="${hex('ab')}", iov_len=2}, {iov_base="${hex('c')}", iov_len=1}], 2) = 3`,
      '10 <... fsync resumed>) = 0',
    );
    expect(first).toMatchObject({ name: 'fsync', line: 0, returnedLine: 2, result: 0 });
    expect(second).toMatchObject({ thread: 11, target: connection });
    expect(second?.data.toString()).toBe('abc');
  });

  it('marks calls that failed by injection, and calls that never returned', () => {
    const [failed, killed] = read(
      `fsync(${fd('/d/a')}) = -1 EIO (Input/output error) (INJECTED)`,
      `10 fsync(${fd('/d/a')}) = ?`,
    );
    expect(failed).toMatchObject({ thread: 0, result: -1, injected: true });
    expect(killed).toMatchObject({ result: null, injected: false });
  });
});

const http = (body: object): string => `HTTP/1.1 200 OK\r\nA: b\r\n\r\n${JSON.stringify(body)}`;

describe('the bytes that left the host', () => {
  it('hold every answer that names a payment or a task, and no request', () => {
    const calls = read(
      said(http({ paymentId: 'pay_1', status: 'confirmed' })),
      said(http({ transferId: 'alc_1', status: 'confirmed' })),
      said(http({ status: 200, body: '', payment: { paymentId: 'pay_2', status: 'pending' } })),
      said(http({ taskId: 'task_1', status: 'success', paymentId: 'chg_1' })),
      said(`POST / HTTP/1.1\r\n\r\n${JSON.stringify({ paymentId: 'pay_3', status: 'confirmed' })}`),
      said('HTTP/1.1 503 No\r\n\r\n{"paymentId":"pay_4","status":"pending"}'),
    );
    expect(acknowledgedIn(calls).map(({ id, status, delivered }) => `${id} ${status} ${delivered}`)).toEqual([
      'pay_1 confirmed false',
      'alc_1 confirmed false',
      'pay_2 pending true',
      'task_1 success false',
    ]);
  });

  it('hold every transaction, to the chain or to a seller', () => {
    const wire = 'A'.repeat(200);
    const header = Buffer.from(JSON.stringify({ payload: { transaction: wire } })).toString('base64');
    const calls = read(
      said(`POST / HTTP/1.1\r\n\r\n{"method":"sendTransaction","params":["${wire}",{}]}`),
      said(`GET /a HTTP/1.1\r\nPAYMENT-SIGNATURE: ${header}\r\n\r\n`),
      said('POST / HTTP/1.1\r\n\r\n{"method":"getLatestBlockhash","params":[]}'),
    );
    expect(sentIn(calls)).toEqual([
      { line: 0, wire },
      { line: 1, wire },
    ]);
  });
});

describe('a disk after a cut', () => {
  const [name, other] = ['/d/a', '/d/b'];
  const before = new Map([[name, Buffer.alloc(2048, 1)]]);
  const cut = (lines: string[], step: number, loss: Loss, seed = 1) => {
    const image = createDiskImage('/d', before, read(...lines));
    image.goTo(step);
    return image.cut(loss, createDice(seed).roll);
  };
  const old = Buffer.alloc(512, 1);
  const fresh = Buffer.alloc(2048, 2);

  it('holds synced bytes, whatever is lost', () => {
    for (const loss of ['dropped', 'subset', 'torn'] as const)
      expect(cut([write(name, 0, fresh), sync(name)], 1, loss).get(name)).toEqual(fresh);
  });

  it('does not hold unsynced bytes when they are dropped', () => {
    const lines = [write(name, 0, fresh), sync(name), write(name, 0, old), write(name, 4096, old)];
    expect(cut(lines, 3, 'dropped').get(name)).toEqual(fresh);
    expect(cut(lines, 0, 'dropped').get(name)).toEqual(before.get(name));
  });

  it('may hold whole writes, or sectors of one, and nothing else', () => {
    const seen = { subset: new Set<string>(), torn: new Set<string>() };
    const calls = read(write(name, 0, fresh));
    for (let seed = 1; seed < 200; seed += 1) {
      for (const loss of ['subset', 'torn'] as const) {
        const image = createDiskImage('/d', before, calls);
        image.goTo(0);
        const bytes = image.cut(loss, createDice(seed * 7_919).roll).get(name) ?? Buffer.alloc(0);
        const sectors = [0, 1, 2, 3].map((n) => bytes.subarray(512 * n, 512 * n + 512));
        expect(sectors.every((one) => new Set(one).size === 1)).toBe(true);
        seen[loss].add(sectors.map((one) => one[0]).join(''));
      }
    }
    expect([...seen.subset].toSorted()).toEqual(['1111', '2222']);
    expect(seen.torn.size).toBe(16);
  });

  it('has a name only when its folder was synced, and keeps a name whose removal was not synced', () => {
    const create = `10 openat(AT_FDCWD<${hex('/x')}>, "${hex(other)}", O_RDWR|O_CREAT, 0600) = 7<${hex(other)}>`;
    const lines = [create, write(other, 0, 'b'), sync(other), sync('/d'), `10 unlink("${hex(name)}") = 0`];
    expect(cut(lines, 2, 'dropped').has(other)).toBe(false);
    expect(cut(lines, 3, 'dropped').get(other)?.toString()).toBe('b');
    expect(cut(lines, 4, 'dropped').has(name)).toBe(true);
    expect(cut([...lines, sync('/d')], 5, 'dropped').has(name)).toBe(false);
  });

  it('follows a rename, a truncation, and writes one after the other', () => {
    const lines = [
      `10 openat(AT_FDCWD<${hex('/x')}>, "${hex(other)}", O_WRONLY|O_CREAT|O_EXCL, 0600) = 7<${hex(other)}>`,
      `10 write(${fd(other)}, "${hex('one')}", 3) = 3`,
      `10 write(${fd(other)}, "${hex('two')}", 3) = 3`,
      `10 ftruncate(${fd(other)}, 5) = 0`,
      sync(other),
      `10 rename("${hex(other)}", "${hex(name)}") = 0`,
      sync('/d'),
    ];
    const files = cut(lines, 6, 'dropped');
    expect([...files].map(([path, bytes]) => `${path} ${bytes.toString()}`)).toEqual(['/d/a onetw']);
  });

  it('does not count a sync that failed', () => {
    const lines = [write(name, 0, fresh), `10 fsync(${fd(name)}) = -1 EIO (Input/output error) (INJECTED)`];
    expect(cut(lines, 5, 'dropped').get(name)).toEqual(before.get(name));
  });
});

const after = (rows: Seen['after']['rows']) => ({ rows, audit: allWell });

describe('a treasury after a fault', () => {
  const row = { id: 'pay_1', kind: 'payment', state: 'final', wire: 'w', signedAt: 1 };
  const told = { status: 200, paid: true, id: 'pay_1', text: 'pay_1' };
  const well: Seen = {
    point: 'here',
    answers: [null],
    sent: ['w'],
    told: [told],
    quiet: true,
    warped: false,
    before: { rows: [] },
    after: { rows: [row], audit: allWell },
  };
  const faults = (change: Partial<Seen>): string[] => {
    const tally: Tally = { figures: { ...noFaults }, failures: [] };
    judge({ ...well, ...change }, tally);
    const named = Object.keys(noFaults).filter((name) => tally.figures[name] !== 0);
    expect(tally.failures.length).toBeGreaterThanOrEqual(named.length);
    return named;
  };

  it('is in order when each key is paid once and reports it', () => {
    expect(faults({})).toEqual([]);
  });

  it.each<[string, Partial<Seen>]>([
    ['paid twice', { after: after([row, { ...row, id: 'pay_2' }]), told: [told] }],
    ['told wrong', { after: after([{ ...row, state: 'dead' }]) }],
    ['not in the journal', { sent: ['w', 'another'] }],
    ['open after recovery', { after: after([row, { ...row, id: 'pay_2', state: 'sent' }]) }],
    ['open after recovery', { quiet: false }],
    ['audits not clean', { after: { rows: [row], audit: '{}' } }],
    ['keys without an answer', { told: [{ ...told, status: 500 }] }],
    [
      'acknowledged and lost',
      { answers: [{ status: 200, text: '{"paymentId":"pay_0"}', body: {}, headers: {} }] },
    ],
  ])('is found to be %s', (name, change) => {
    expect(faults(change)).toContain(name);
  });
});
