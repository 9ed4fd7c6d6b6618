// A seller that settles by itself and is killed at each step, and several of them on one store.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keySignerOf } from '../../server/paywall/key-file.ts';
import { isLab, kinds } from '../harness/kinds.ts';
import { tokenAccount } from '../x402/market.ts';
import { again, pay, pull, show, type Credential, type Foreign } from './credentials.ts';
import { createRelay } from './relay.ts';
import { steps, type SellingSettings, type Step } from './selling-process.ts';
import { market, useShop } from './use-shop.ts';

useShop();
const seed = randomBytes(32);
let relayed: Awaited<ReturnType<typeof createRelay>>;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  relayed = await createRelay(market.rpcUrl);
  await market.fundSol(keySignerOf(seed).address);
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await relayed.close();
});

interface Seller {
  url: string;
  child: ChildProcess;
}

const startSeller = async (): Promise<Seller> => {
  const settings: SellingSettings = {
    rpcUrl: relayed.url,
    recipient: market.seller.publicKey.toBase58(),
    path: join(market.dataDir, 'settling.db'),
    seed: seed.toString('hex'),
  };
  const program = join(import.meta.dirname, 'selling-process.ts');
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { url: line.toString().trim(), child };
};

const received = async (): Promise<number> => {
  const account = tokenAccount(market.seller.publicKey).toBase58();
  const { value } = (await market.rpc('getTokenAccountBalance', [account])) as { value: { amount: string } };
  return Number(value.amount);
};
const payFor = (dialect: Foreign, url: string): Promise<Credential> =>
  dialect === 'mpp' ? pull(market, url) : pay(market, dialect, url);

/** The RPC's calls at which the seller is killed: before the chain has them, or once it has. */
const calls = [
  ['simulateTransaction', 'fault'],
  ['sendTransaction', 'fault'],
  ['sendTransaction', 'lose'],
  ['getTransaction', 'fault'],
] as const;
const deaths: [string, (seller: Seller) => Step | null][] = [
  ...calls.map(([method, how]): (typeof deaths)[number] => [
    `${method}, ${how === 'fault' ? 'unsent' : 'unanswered'}`,
    ({ child }) => {
      const isIt = (called: string) => called === method && child.kill('SIGKILL');
      if (how === 'fault') relayed.relay.fault = (called) => (isIt(called) ? 'drop' : null);
      else relayed.relay.lose = isIt;
      return null;
    },
  ]),
  ...steps.map((step): (typeof deaths)[number] => [step, () => step]),
];

/** One for each step of verifying, signing, keeping, sending, confirming and granting. */
const ofEveryTest = [
  'simulateTransaction, unsent',
  'before sign',
  'after row',
  'sendTransaction, unanswered',
  'before end',
  'before grant',
];

describe.each(kinds(['x402-v2', 'x402-v1', 'mpp'] as const))('a seller of %s, killed', (dialect) => {
  let seller: Seller;
  beforeAll(async () => {
    seller = await startSeller();
  });
  it.each(deaths.filter(([name]) => isLab || ofEveryTest.includes(name)))(
    'at %s, is paid once and serves once',
    async (name, arrange) => {
      const path = `/${dialect}/${encodeURIComponent(name)}`;
      const before = await received();
      const credential = await payFor(dialect, seller.url + path);
      const step = arrange(seller);
      const headers = step === null ? {} : { 'die-at': step };
      await expect(show(seller.url + path, credential, { headers })).rejects.toThrow();
      expect(seller.child.signalCode ?? (await once(seller.child, 'exit'))[1]).toBe('SIGKILL');
      Object.assign(relayed.relay, { fault: null, lose: null });

      seller = await startSeller();
      expect((await show(seller.url + path, credential)).status).toBe(200);
      expect((await show(seller.url + path, credential)).status).toBe(402);
      expect((await received()) - before).toBe(10_000);
    },
  );
});

describe('two sellers on one store', () => {
  it.each(['x402-v2', 'mpp'] as const)('take one of two payments for one offer of %s', async (dialect) => {
    const [one, two] = await Promise.all([startSeller(), startSeller()]);
    const before = await received();
    for (let n = 0; n < 5; n += 1) {
      const url = `${one.url}/offer/${n}`;
      const first = await payFor(dialect, url);
      const second = await again(market, first);
      const answers = await Promise.all([
        show(url, first),
        show(`${two.url}/offer/${n}`, second),
        ...Array.from({ length: 10 }, () => show(`${two.url}/offer/${n}`, first)),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(11).fill(402)]);
    }
    expect((await received()) - before).toBe(50_000);
  });
});
