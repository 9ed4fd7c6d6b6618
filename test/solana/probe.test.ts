// What a treasury needs of an RPC is one list: the calls that the program makes, the probe, and the page for the owner.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rpcNeeds } from '../../server/solana/probe.ts';

const folder = new URL('../../server/solana/', import.meta.url);
/** The faucet's is the sandbox's own. */
const notNeeded = ['requestAirdrop'];

it('lists every method that the program calls, and operating.md says what does not work without it', () => {
  const called = readdirSync(folder)
    .filter((file) => file !== 'probe.ts')
    .flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(/call\(\s*'([a-z]\w+)'/gi)])
    .map(([, method = '']) => method)
    .filter((method) => !notNeeded.includes(method) && !method.startsWith('sandbox_'));
  expect(new Set(Object.keys(rpcNeeds))).toEqual(new Set([...called, 'websocket', 'isBlockhashValid']));
  const page = readFileSync(new URL('../../build/docs/operating.md', import.meta.url), 'utf8');
  const table = page.slice(
    page.indexOf('### What an RPC must be able to do'),
    page.indexOf('### When the network'),
  );
  for (const [what, { without }] of Object.entries(rpcNeeds)) {
    const row =
      table.split('\n').find((line) => line.includes(what === 'websocket' ? what : `\`${what}\``)) ?? '';
    const sentence = `${without[0]?.toLowerCase()}${without.slice(1, -1)}`.replace(/^uSDC/, 'USDC');
    expect(row.toLowerCase(), what).toContain(sentence.toLowerCase());
  }
});
