// The verifier: it proves an honest statement, and finds every change of a file, of an anchor or of what an RPC shows.
import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PublicKey, SystemProgram, TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeVerifier } from '../../build/verifier.ts';
import { rpcAt } from '../../server/books/verify/rpc.ts';
import { anchorLine, headLine } from '../../server/books/verify/statement-lines.ts';
import { verdictLines } from '../../server/books/verify/told.ts';
import type { Verdict } from '../../server/books/verify/verify.ts';
import { letIn, run } from '../cli/terminal.ts';
import { aDay, openAnchoring, type Anchoring } from '../harness/chain/anchored.ts';
import { createDice } from '../harness/dice.ts';
import { freePort } from '../harness/programs/free-port.ts';
import {
  addAnchor,
  below,
  genesis,
  madeStatement,
  newSigner,
  signatureOf,
  textOf,
  verifyMade,
  wireOf,
  type Made,
} from '../harness/engine/made-statement.ts';
import { oldestNode } from '../harness/programs/oldest-node.ts';
import { deploy, removeFolder, temporaryFolder } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

/** VERIFY_SEED tries other changes. */
const seed = Number(process.env['VERIFY_SEED'] ?? 20_261_125);
const dice = createDice(seed);
const perKind = tries(50, 1_000);
const size = { spans: 10, entries: tries(100, 1_000) };
const honest = madeStatement(dice, size);
const file = Buffer.from(textOf(honest.lines));

it('proves an honest statement, and says from when to when, since when, and by which key', async () => {
  const verdict = await verifyMade(honest);
  expect(verdict.faults).toEqual([]);
  const all = size.spans * size.entries;
  expect(verdictLines(verdict, honest.signer.address)).toEqual([
    `These ${all} entries from the beginning to 2026-10-11T00:00:00Z are complete and unaltered since they were anchored in 10 spans, the first at 2026-10-02T00:10:00Z and the last at 2026-10-11T00:10:00Z, by ${honest.signer.address}.`,
    'This does not say that the records were true then, nor that this signer anchored no other books.',
    'The anchors are on Solana’s main network.',
  ]);
});

/** Whether the verifier lets a changed file pass. */
const passes = async (changed: string | Uint8Array): Promise<boolean> => {
  try {
    return (await verifyMade(honest, changed)).faults.length === 0;
  } catch (error) {
    if ((error as Error).name !== 'NotVerifiable') throw error;
    return false;
  }
};

const { lines } = honest;
const any = (): number => below(dice, lines.length);
const changes: Record<string, () => string | Uint8Array> = {
  'one byte changed'() {
    const bytes = Buffer.from(file);
    const at = below(dice, bytes.length);
    bytes[at] = ((bytes[at] ?? 0) + 1 + below(dice, 255)) % 256;
    return bytes;
  },
  'one row dropped': () => textOf(lines.toSpliced(any(), 1)),
  'two rows swapped'() {
    const [a, b] = [any(), any()];
    const other = a === b ? (b + 1) % lines.length : b;
    return textOf(lines.with(a, lines[other] ?? '').with(other, lines[a] ?? ''));
  },
  'one row added': () => textOf(lines.toSpliced(below(dice, lines.length + 1), 0, lines[any()] ?? '')),
};

describe(`of ${perKind} statements each, seed ${seed}, none passes with`, () => {
  it.each(Object.entries(changes))(
    '%s',
    async (_name, change) => {
      let found = 0;
      for (let n = 0; n < perKind; n += 1) found += (await passes(change())) ? 0 : 1;
      expect(found).toBe(perKind);
    },
    3_600_000,
  );
});

const small = (): Made => madeStatement(createDice(7), { spans: 4, entries: 5 }, honest.signer);
const perSpan = 6;
const spanAt = (n: number): [number, number] => [1 + n * perSpan, perSpan];

describe('finds in the file', () => {
  const broken: [string, (made: Made) => string | Uint8Array, RegExp][] = [
    [
      'a whole span dropped',
      ({ lines: all }) => textOf(all.toSpliced(...spanAt(1))),
      /does not follow the span before/,
    ],
    [
      'two spans exchanged',
      ({ lines: all }) => {
        const moved = all.slice(7, 13);
        return textOf([...all.slice(0, 1), ...moved, ...all.slice(1, 7), ...all.slice(13)]);
      },
      /does not follow the span before/,
    ],
    [
      'a span twice',
      ({ lines: all }) => textOf([...all, ...all.slice(19)]),
      /does not follow the span before/,
    ],
    [
      'the last anchor cut off',
      ({ lines: all }) => textOf(all.slice(0, -1)),
      /The 5 entries at the end have no anchor/,
    ],
    ['the last byte cut off', ({ lines: all }) => textOf(all).slice(0, -1), /has no line break at its end/],
    ['a blank line at the end', ({ lines: all }) => `${textOf(all)}\n`, /The entry at the end has no anchor/],
    [
      'a blank line within',
      ({ lines: all }) => textOf(all.toSpliced(3, 0, '')),
      /line 4 is not the line of an entry/,
    ],
    [
      'a space at the end of a line',
      ({ lines: all }) => textOf(all.with(3, `${all[3]} `)),
      /not the line of an entry/,
    ],
    ['CRLF', ({ lines: all }) => textOf(all).replaceAll('\n', '\r\n'), /^NotVerifiable/],
    [
      'CRLF behind an anchor',
      ({ lines: all }) => textOf(all.with(6, `${all[6]}\r`)),
      /Line 7 is not the line of an anchor/,
    ],
    ['a byte order mark', ({ lines: all }) => `\ufeff${textOf(all)}`, /^NotVerifiable/],
    [
      'other spelling of the same JSON',
      ({ lines: all }) =>
        textOf(all.with(3, (all[3] ?? '').replace('"', '"\\u0069').replace('\\u0069i', '\\u0069'))),
      /not the line of an entry/,
    ],
    [
      'a field too many',
      ({ lines: all }) => textOf(all.with(3, (all[3] ?? '').replace(/}$/, ',"x":1}'))),
      /not the line of an entry/,
    ],
    [
      'bytes that are not UTF-8',
      ({ lines: all }) =>
        Buffer.concat([
          Buffer.from(textOf(all.slice(0, 3))),
          Buffer.of(0xff, 0x0a),
          Buffer.from(textOf(all.slice(3))),
        ]),
      /line 4 is not UTF-8/,
    ],
    [
      'a line without an end',
      ({ lines: all }) => `${textOf(all)}${'x'.repeat(300_000)}`,
      /The entry at the end has no anchor/,
    ],
    ['no anchor at all', ({ lines: all }) => textOf(all.slice(0, 1)), /holds no anchor: nothing is proved/],
    [
      'another signer in the head',
      ({ lines: all }) => textOf(all.with(0, headLine({ signer: newSigner().address, genesis }))),
      /The statement is that of .*, not of/,
    ],
    [
      'another chain in the head',
      ({ lines: all, signer }) =>
        textOf(all.with(0, headLine({ signer: signer.address, genesis: signer.address }))),
      /of another chain/,
    ],
    ['no statement', () => 'timestamp,id,kind\r\n', /^NotVerifiable: This file is not a statement/],
    ['nothing', () => '', /^NotVerifiable: This file is not a statement/],
  ];
  it.each(broken)('%s', async (_name, change, why) => {
    const made = small();
    const told = await verifyMade(made, change(made)).then(
      ({ faults }) => faults.join('\n'),
      (error: Error) => `${error.name}: ${error.message}`,
    );
    expect(told).toMatch(why);
  });

  it('nothing where the first or the last spans are left out: it says what the rest covers', async () => {
    const made = small();
    const rest = await verifyMade(made, textOf([...made.lines.slice(0, 1), ...made.lines.slice(7, 19)]));
    expect(rest.faults).toEqual([]);
    expect(verdictLines(rest, made.signer.address)[0]).toMatch(
      /^These 10 entries from 2026-10-02T00:00:00Z to 2026-10-04T00:00:00Z/,
    );
  });

  it('the span, and says that the others agree', async () => {
    const made = small();
    const verdict = await verifyMade(made, textOf(made.lines.toSpliced(8, 1)));
    expect(verdictLines(verdict, made.signer.address)).toEqual([
      'This statement is not proved.',
      'From 2026-10-02T00:00:00Z to 2026-10-03T00:00:00Z (days of UTC): it holds 4 entries, and 5 were anchored.',
      '3 other spans, with 15 entries, agree with their anchors.',
    ]);
  });
});

/** Puts another transaction where the statement's second anchor is. */
const replaced = (made: Made, memo: string, wire: Buffer): Made => {
  const anchor = made.anchors[1];
  if (anchor === undefined) throw new Error('two anchors');
  const transaction = signatureOf(wire);
  made.chain.set(transaction, { wire, err: null, blockTime: anchor.facts.to / 1_000 + 600 });
  made.lines[anchor.at] = anchorLine({ memo, transaction });
  return made;
};

/** The same with the statement's own signature, as an RPC that lies would show it. */
const lying = (
  made: Made,
  change: (shown: { wire: Buffer; err: unknown; blockTime: number }) => object,
): Made => {
  const { transaction = '' } = made.anchors[1] ?? {};
  const shown = made.chain.get(transaction);
  if (shown === undefined) throw new Error('two anchors');
  made.chain.set(transaction, { ...shown, ...change(shown) });
  return made;
};

const second = (made: Made) => made.anchors[1]?.memo ?? '';
const payment = SystemProgram.transfer({
  fromPubkey: new PublicKey(honest.signer.address),
  toPubkey: new PublicKey(newSigner().address),
  lamports: 1,
});
const other = newSigner();

describe('finds on the chain', () => {
  const broken: [string, (made: Made) => Made, RegExp][] = [
    [
      'an anchor that is not there',
      (made) => (made.chain.delete(made.anchors[1]?.transaction ?? ''), made),
      /knows no finalized transaction/,
    ],
    [
      'one that failed',
      (made) => lying(made, () => ({ err: { InstructionError: [0, 'x'] } })),
      /failed on the chain/,
    ],
    ['one without a time', (made) => lying(made, () => ({ blockTime: null })), /does not say when/],
    [
      'one from before its span had ended',
      (made) => lying(made, () => ({ blockTime: 1 })),
      /before it had ended/,
    ],
    [
      'one of another memo',
      (made) => replaced(made, second(made), wireOf(made.signer, second(made).replace(' 5 ', ' 6 '))),
      /says something else/,
    ],
    [
      'one of another signer',
      (made) => replaced(made, second(made), wireOf(other, second(made))),
      /was not signed by/,
    ],
    [
      'a payment with its memo',
      (made) => replaced(made, second(made), wireOf(made.signer, second(made), [payment])),
      /not that of an anchor/,
    ],
    [
      'two memos',
      (made) =>
        replaced(
          made,
          second(made),
          wireOf(made.signer, second(made), [
            new TransactionInstruction({
              programId: new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
              keys: [],
              data: Buffer.from(second(made)),
            }),
          ]),
        ),
      /not that of an anchor/,
    ],
    [
      'an RPC that shows another content',
      (made) =>
        lying(made, ({ wire }) => {
          const changed = Buffer.from(wire);
          changed[changed.length - 70] = (changed.at(-70) ?? 0) ^ 1;
          return { wire: changed };
        }),
      /was not signed by/,
    ],
    [
      'an RPC that shows another signer’s',
      (made) => lying(made, () => ({ wire: wireOf(other, second(made)) })),
      /was not signed by/,
    ],
    [
      'an RPC that shows nothing',
      (made) => lying(made, () => ({ wire: Buffer.alloc(0) })),
      /was not signed by/,
    ],
  ];
  it.each(broken)('%s', async (_name, change, why) => {
    const { faults } = await verifyMade(change(small()));
    expect(faults[0]).toMatch(/^From 2026-10-02T00:00:00Z to 2026-10-03T00:00:00Z \(days of UTC\): /);
    expect(faults.join('\n')).toMatch(why);
  });

  it('anchors of another signer than the reader’s', async () => {
    const { faults } = await verifyMade(honest, file, other.address);
    expect(faults[0]).toBe(`The statement is that of ${honest.signer.address}, not of ${other.address}.`);
    expect(faults.filter((one) => /was not signed by/.test(one))).toHaveLength(size.spans);
  });

  it('an anchor that its signer made of what does not fit', async () => {
    const entry = honest.lines[1] ?? '';
    const wrong: [Parameters<typeof addAnchor>[1], Parameters<typeof addAnchor>[2], RegExp][] = [
      [[entry], {}, /holds entries of another time/],
      [[], { previous: null }, /its anchor contradicts itself/],
      [[], { from: 0 }, /its anchor contradicts itself/],
      [[], { from: Date.parse('2026-10-05T00:00:01Z') }, /does not follow the span before/],
      [[honest.lines[2] ?? '', entry], {}, /out of order/],
      [['{"id":"x"}'], {}, /not the line of an entry/],
    ];
    for (const [entries, facts, why] of wrong) {
      const made = small();
      addAnchor(made, entries, facts);
      expect((await verifyMade(made)).faults.join()).toMatch(why);
    }
  });
});

it('lists twenty faults, and counts the others', async () => {
  const made = madeStatement(createDice(9), { spans: 30, entries: 1 });
  const { faults } = await verifyMade(made, textOf(made.lines.filter((line) => !line.startsWith('{"id"'))));
  expect(faults).toHaveLength(21);
  expect(faults.at(-1)).toBe('10 further faults are not listed.');
});

const sayingWhy = (verdict: Promise<Verdict>): Promise<string> =>
  verdict.then(String, (error: Error) => error.message);

const isSigner = (signer: string): Promise<string> => sayingWhy(verifyMade(honest, file, signer));

it('knows an address, and the URL of an RPC', async () => {
  expect(await isSigner('nobody')).toBe('--signer: must be a Solana address (32 bytes in base58).');
  // 33 bytes: one digit more than an address may still be one, where its number is small.
  expect(await isSigner('1'.repeat(33))).toMatch('--signer');
  expect(() => rpcAt('ftp://example.com')).toThrow('--rpc: must be the address of a Solana RPC');
});

describe('the statement of a real treasury, for a reader who has one file and Node 20', () => {
  let books: Anchoring;
  let verifier: string;
  let closedPort: number;
  const folder = temporaryFolder();
  const statement = join(folder, 'statement.jsonl');
  const command = (...args: string[]) => run(['--data', books.dataDir, ...args], { home: folder });

  beforeAll(async () => {
    verifier = await makeVerifier(folder);
    closedPort = await freePort();
    books = await openAnchoring();
    const agent = await deploy(books.client, 'scout', { dailyBudget: '50' });
    for (let day = 0; day < 3; day += 1) {
      for (let n = 0; n < 5; n += 1) await agent.pay('0.05');
      await books.pass(aDay);
      await books.final(day + 1);
    }
    await letIn(books);
  });
  afterAll(async () => {
    await books.close();
    removeFolder(folder);
  });

  /** As the accountant runs it. */
  const verify = async (...args: string[]) => {
    try {
      const { stdout, stderr } = await promisify(execFile)(oldestNode ?? '', [verifier, ...args]);
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, stdout, stderr };
    }
  };
  const reader = (): string[] => ['--signer', books.owner, '--rpc', books.host.rpcUrl];

  it('the command tells what is anchored, turns it off and on, and writes the statement', async () => {
    const off = await command('books', 'anchor', 'off');
    expect(off.stdout).toMatch(/^Anchoring +off; would cost 0.000005 SOL a day$/m);
    const on = await command('books', 'anchor', 'on');
    expect(on.stdout).toMatch(/^Anchoring +on; costs 0.000005 SOL a day$/m);
    expect(on.stdout).toMatch(/^the beginning +\d{4}-\d\d-\d\d/m);
    const { json } = await command('books', 'anchor', '--json');
    expect(json).toMatchObject({ on: true, signer: books.owner });
    expect(json.anchors).toHaveLength(3);
    const written = await command('books', 'statement', '--out', statement);
    expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`Written to ${statement}: `)]);
    const printed = await command('books', 'statement');
    expect(printed.stdout).toBe(readFileSync(statement, 'utf8'));
    const none = await command('books', 'statement', '--from', '2030-02-01', '--to', '2030-01-01');
    expect([none.code, none.stderr]).toEqual([2, 'from: must not be after the end of the period.\n']);
  });

  it('one file, on Node 20, proves it; and so does the command', async () => {
    expect(statSync(verifier).size).toBeLessThan(100_000);
    const count = readFileSync(statement, 'utf8').split('\n').length - 1 - 1 - 3;
    const proved = await verify(statement, ...reader());
    expect(proved.stderr).toBe('');
    expect(proved.code).toBe(0);
    expect(proved.stdout).toMatch(
      new RegExp(`^These ${count} entries from the beginning to .* are complete and`),
    );
    expect(proved.stdout).toContain(
      '\nThis does not say that the records were true then, nor that this signer anchored no other books.\n',
    );
    expect(proved.stdout).toContain('\nThe anchors are on a chain of its own (genesis ');
    expect(await command('verify', statement, ...reader())).toMatchObject({ code: 0, stdout: proved.stdout });
  });

  const changed = join(folder, 'changed.jsonl');
  const both = async (...args: string[]) => {
    const [alone, own] = [await verify(...args), await command('verify', ...args)];
    expect(own.code).toBe(alone.code);
    return { code: alone.code, text: alone.stdout + alone.stderr, own: own.stdout + own.stderr };
  };

  describe('both end with', () => {
    it('1 for a statement that was changed, and name the days', async () => {
      writeFileSync(changed, readFileSync(statement, 'utf8').replace('"amount":"0.05"', '"amount":"0.04"'));
      const { code, text, own } = await both(changed, ...reader());
      expect([code, own]).toEqual([1, text]);
      expect(text).toMatch(
        /^This statement is not proved\.\nFrom the beginning to .*: its entries are not those/,
      );
      const json = await command('verify', changed, ...reader(), '--json');
      expect(JSON.parse(json.stderr)).toMatchObject({ code: 'not_proved' });
    });

    it('1 for the statement of another signer', async () => {
      const { code, text } = await both(
        statement,
        '--signer',
        '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2',
        ...reader().slice(2),
      );
      expect(code).toBe(1);
      expect(text).toContain(
        `The statement is that of ${books.owner}, not of 7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2.`,
      );
    });

    it.each<[string, () => string[], RegExp]>([
      [
        'an RPC that does not answer',
        () => [statement, ...reader().slice(0, 2), '--rpc', `http://127.0.0.1:${closedPort}`],
        /The RPC cannot be reached \(ECONNREFUSED\)\. Try again/,
      ],
      [
        'an RPC that is none',
        () => [statement, ...reader().slice(0, 2), '--rpc', books.host.url],
        /The RPC cannot be reached/,
      ],
      [
        'no URL',
        () => [statement, ...reader().slice(0, 2), '--rpc', 'localhost'],
        /--rpc: must be the address of a Solana RPC/,
      ],
      [
        'no address',
        () => [statement, '--signer', 'me', ...reader().slice(2)],
        /--signer: must be a Solana address/,
      ],
      ['no statement', () => [verifier, ...reader()], /is not a statement that can be verified/],
      ['no file', () => [join(folder, 'missing'), ...reader()], /missing cannot be read \(ENOENT\)/],
      ['a folder', () => [folder, ...reader()], /cannot be read \(EISDIR\)/],
      ['no file name', () => reader(), /[Uu]sage|missing required argument/],
      ['no signer', () => [statement, ...reader().slice(2)], /--signer/],
      ['no RPC', () => [statement, ...reader().slice(0, 2)], /--rpc/],
      ['an unknown option', () => [statement, ...reader(), '--quick'], /--quick/],
    ])('2 for %s', async (_name, args, why) => {
      const { code, text, own } = await both(...args());
      expect([code, text, own]).toEqual([2, expect.stringMatching(why), expect.stringMatching(why)]);
      expect(text).not.toMatch(/\n +at /);
    });
  });
});
