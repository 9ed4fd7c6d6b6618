// Strangers flood the mailbox: a word is read all the same, and the RPC is asked a bounded number of times.
import { PublicKey } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { memoOf, newPhone, registerPhone, transferOf, partsOf, type Phone } from '../harness/phone.ts';
import { createRpcProxy, type Fault, type Proxy } from '../harness/rpc-proxy.ts';
import { openTreasury, openSandbox, until, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { mailboxOf } from '../../server/engine/domain/phone.ts';

let sandbox: Awaited<ReturnType<typeof openSandbox>>;
let proxy: Proxy;
let treasury: Treasury;
let phone: Phone;
let stranger: Phone;
let url: string;
beforeAll(async () => {
  sandbox = await openSandbox();
  proxy = await createRpcProxy(sandbox.rpcUrl);
  const ws = `ws://127.0.0.1:${new URL(sandbox.rpcUrl).port}`;
  treasury = await openTreasury({ args: ['--rpc', proxy.url, '--ws', ws] });
  // The next probe of the RPC, which reads a transaction too, is six hours away.
  await treasury.client.get('/v1/diagnostics');
  // An account that holds less than its rent takes no word.
  await treasury.client.post('/v1/sandbox/faucet', { amount: '10' });
  phone = await newPhone({ host: { ...treasury.host, rpcUrl: sandbox.rpcUrl } });
  stranger = await newPhone({ host: { ...treasury.host, rpcUrl: sandbox.rpcUrl } });
  await registerPhone(treasury, phone);
  url = String((await treasury.client.get('/v1/phone-wallets')).body['freeze']);
});
afterAll(async () => {
  await treasury.close();
  await proxy.close();
  await sandbox.close();
});

const isFrozen = (): boolean => treasury.host.engine.context.store.freeze.get() !== null;

/** Writes so many lines that say `at:freeze` and name these accounts as well, and the phone's word in their midst. */
const flood = async (lines: number, alsoNamed: readonly string[]): Promise<string> => {
  const parts = partsOf(url);
  let said = '';
  for (let n = 0; n < lines; n += 1) {
    if (n === lines / 2) said = await phone.say(url);
    const transfer = transferOf(stranger.keys.publicKey, { ...parts, lamports: 1_000 + n });
    for (const named of alsoNamed)
      transfer.keys.push({ pubkey: new PublicKey(named), isSigner: false, isWritable: false });
    await stranger.send([memoOf(parts.memo), transfer]);
  }
  return said;
};

const commitmentOf = (params: readonly unknown[]): unknown =>
  (params[1] as { commitment?: unknown } | undefined)?.commitment;

/** The transactions that were read while `work` ran with the mailbox hidden, and until the freeze after it. */
const readAfter = async (work: () => Promise<string>): Promise<string[]> => {
  const mailbox = mailboxOf(treasury.owner);
  const hidden: Fault = ({ method, params }, forward) =>
    method === 'getSignaturesForAddress' && params[0] === mailbox ? null : forward();
  proxy.fault = hidden;
  const said = await work();
  const before = proxy.seen.length;
  proxy.fault = null;
  await until('the freeze', isFrozen);
  expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(said);
  await treasury.client.post('/v1/unfreeze');
  // What brought SOL is read as well, once it is final: that is for the books.
  const asked = proxy.seen
    .slice(before)
    .filter(({ method, params }) => method === 'getTransaction' && commitmentOf(params) === 'confirmed');
  return asked.map(({ params }) => String(params[0]));
};

it('by strangers who do not know the wallet is set aside unread', async () => {
  const read = await readAfter(() => flood(tries(200, 600), []));
  expect(read.length).toBeLessThanOrEqual(2);
});

it('by strangers who name the wallet too is read once, at most 200 lines a pass, the newest with the oldest', async () => {
  const read = await readAfter(() => flood(420, [phone.address]));
  expect(read.length).toBeLessThanOrEqual(423);
  expect(read.length).toBeGreaterThan(2);
  const times = new Map<string, number>();
  for (const signature of read) times.set(signature, (times.get(signature) ?? 0) + 1);
  expect([...times.values()].filter((count) => count > 1)).toEqual([]);
  expect(isFrozen()).toBe(false);
});
