// The statement of a real treasury, from its command to a reader who has one file and Node 20.
import { execFile } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeVerifier } from '../../build/verifier.ts';
import { letIn, run } from '../cli/terminal.ts';
import { aDay, openAnchoring, type Anchoring } from '../harness/anchored.ts';
import { freePort } from '../harness/free-port.ts';
import { oldestNode } from '../harness/oldest-node.ts';
import { deploy, removeFolder, temporaryFolder } from '../harness/treasury.ts';

let books: Anchoring;
let verifier: string;
let closedPort: number;
const folder = temporaryFolder();
const file = join(folder, 'statement.jsonl');
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
  const written = await command('books', 'statement', '--out', file);
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining(`Written to ${file}: `)]);
  const printed = await command('books', 'statement');
  expect(printed.stdout).toBe(readFileSync(file, 'utf8'));
  const none = await command('books', 'statement', '--from', '2030-02-01', '--to', '2030-01-01');
  expect([none.code, none.stderr]).toEqual([2, 'from: must not be after the end of the period.\n']);
});

it('one file, on Node 20, proves it; and so does the command', async () => {
  expect(statSync(verifier).size).toBeLessThan(100_000);
  const lines = readFileSync(file, 'utf8').split('\n').length - 1 - 1 - 3;
  const proved = await verify(file, ...reader());
  expect(proved.stderr).toBe('');
  expect(proved.code).toBe(0);
  expect(proved.stdout).toMatch(
    new RegExp(`^These ${lines} entries from the beginning to .* are complete and`),
  );
  expect(proved.stdout).toContain(
    '\nThis does not say that the records were true then, nor that this signer anchored no other books.\n',
  );
  expect(proved.stdout).toContain('\nThe anchors are on a chain of its own (genesis ');
  expect(await command('verify', file, ...reader())).toMatchObject({ code: 0, stdout: proved.stdout });
});

const changed = join(folder, 'changed.jsonl');
const both = async (...args: string[]) => {
  const [alone, own] = [await verify(...args), await command('verify', ...args)];
  expect(own.code).toBe(alone.code);
  return { code: alone.code, text: alone.stdout + alone.stderr, own: own.stdout + own.stderr };
};

describe('both end with', () => {
  it('1 for a statement that was changed, and name the days', async () => {
    writeFileSync(changed, readFileSync(file, 'utf8').replace('"amount":"0.05"', '"amount":"0.04"'));
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
      file,
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
      () => [file, ...reader().slice(0, 2), '--rpc', `http://127.0.0.1:${closedPort}`],
      /The RPC cannot be reached \(ECONNREFUSED\)\. Try again/,
    ],
    [
      'an RPC that is none',
      () => [file, ...reader().slice(0, 2), '--rpc', books.host.url],
      /The RPC cannot be reached/,
    ],
    [
      'no URL',
      () => [file, ...reader().slice(0, 2), '--rpc', 'localhost'],
      /--rpc: must be the address of a Solana RPC/,
    ],
    [
      'no address',
      () => [file, '--signer', 'me', ...reader().slice(2)],
      /--signer: must be a Solana address/,
    ],
    ['no statement', () => [verifier, ...reader()], /is not a statement that can be verified/],
    ['no file', () => [join(folder, 'missing'), ...reader()], /missing cannot be read \(ENOENT\)/],
    ['a folder', () => [folder, ...reader()], /cannot be read \(EISDIR\)/],
    ['no file name', () => reader(), /[Uu]sage|missing required argument/],
    ['no signer', () => [file, ...reader().slice(2)], /--signer/],
    ['no RPC', () => [file, ...reader().slice(0, 2)], /--rpc/],
    ['an unknown option', () => [file, ...reader(), '--quick'], /--quick/],
  ])('2 for %s', async (_name, args, why) => {
    const { code, text, own } = await both(...args());
    expect([code, text, own]).toEqual([2, expect.stringMatching(why), expect.stringMatching(why)]);
    expect(text).not.toMatch(/\n +at /);
  });
});
