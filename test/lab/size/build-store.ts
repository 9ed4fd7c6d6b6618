// Three data folders of one real host, with the same agents, services and chain: one without a past, one whose past
// fills a page of every list, and one with a long past.
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import {
  deploy,
  instantly,
  spawnTreasury,
  until,
  type Process,
  type TestAgent,
} from '../../harness/treasury.ts';
import { writePast } from './past.ts';
import { openStore } from '../../harness/engine/store.ts';

export interface Size {
  agents: number;
  payments: number;
}

/** The agents that may pay, with the API keys that the host gave them. */
export interface Payers {
  size: Size;
  payers: { agentId: string; key: string }[];
}

export interface Folders {
  large: string;
  /** Two payments a day of each agent, for 30 days: charts have about as many points as those of a long past. */
  small: string;
  empty: string;
  payers: Payers;
}

const payersCount = 4;
const daysOfSmall = 30;
const paymentsADay = 2;
const services = 100;
const limits = { dailyBudget: '100000', maxPerPayment: '1' };

export const databaseOf = (dataDir: string): string => join(dataDir, 'sandbox', 'treasury.db');

/** Builds them in `folder`, or reuses those that were built there for this size. */
export const buildStores = async (
  folder: string,
  size: Size,
  say: (text: string) => void,
): Promise<Folders> => {
  const [large, small, empty] = ['large', 'small', 'empty'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const notes = join(folder, 'payers.json');
  if (existsSync(notes)) {
    const payers = JSON.parse(readFileSync(notes, 'utf8')) as Payers;
    if (payers.size.agents !== size.agents || payers.size.payments !== size.payments)
      throw new Error(`--keep: ${folder} holds a store of another size. Name another folder, or remove it.`);
    return { large, small, empty, payers };
  }
  for (const one of [large, small, empty]) rmSync(one, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let begin = performance.now();
  const passed = (): string => {
    const seconds = (performance.now() - begin) / 1_000;
    begin = performance.now();
    return `${seconds.toFixed(1)} s`;
  };
  const payers = { size, payers: await buildBase(empty, size.agents) };
  say(`${size.agents} agents deployed by a host in ${passed()}`);
  cpSync(empty, large, { recursive: true });
  cpSync(empty, small, { recursive: true });
  const few = { days: daysOfSmall, payments: daysOfSmall * paymentsADay * size.agents };
  writePast(databaseOf(small), { now: Date.now(), ...few });
  writePast(databaseOf(large), {
    now: Date.now(),
    payments: size.payments,
    progress: (written) => written % 1_000_000 === 0 && written > 0 && say(`${written} payments written`),
  });
  say(`${size.payments} payments written in ${passed()}`);
  // Then both have been started equally often, and the journal's head is sealed.
  for (const dataDir of [large, small, empty]) await (await startOn(dataDir)).kill('SIGTERM');
  say(`each started and stopped once in ${passed()}`);
  writeFileSync(notes, JSON.stringify(payers), { mode: 0o600 });
  return { large, small, empty, payers };
};

export const startOn = (dataDir: string, args: readonly string[] = []): Promise<Process> =>
  spawnTreasury(dataDir, [...instantly, '--log-level', 'warn', ...args]);

/** Agents with wallets, some with money, one payment and one denial: all made by a host. */
export const buildBase = async (dataDir: string, agents: number): Promise<Payers['payers']> => {
  const host = await startOn(dataDir);
  try {
    const { client } = host;
    await succeed(client.post('/v1/sandbox/faucet', { amount: '100000' }));
    const deployed: TestAgent[] = [];
    for (let number = 1; number <= agents; number += 1) {
      const allocate = number <= payersCount ? '1000' : null;
      deployed.push(await deploy(client, `agent-${number}`, { ...limits, allocate }));
    }
    const [first] = deployed;
    if (first === undefined) throw new Error('--agents: there has to be one');
    // The first one opened the wallet's account, and is not a usual allocation.
    await succeed(client.post(`/v1/agents/${first.agentId}/allocate`, { amount: '1' }));
    await succeed(first.pay('0.01', { key: randomUUID() }));
    await succeed(first.pay('0.01', { key: randomUUID() }));
    const denial = await first.pay('2', { key: randomUUID() });
    if (denial.status !== 402) throw new Error(`a denial was answered ${denial.status}: ${denial.text}`);
    await until('all to be final', async () => {
      const { entries } = (await client.get('/v1/activity?limit=20')).body;
      return entries.every(({ state }: { state: string }) => state === 'final' || state === 'denied');
    });
    return deployed.slice(0, payersCount).map(({ agentId, key }) => ({ agentId, key }));
  } finally {
    host.client.close();
    await host.kill('SIGTERM');
    addServices(databaseOf(dataDir));
  }
};

const succeed = async (asked: Promise<{ status: number; text: string }>): Promise<void> => {
  const { status, text } = await asked;
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
};

const addServices = (file: string): void => {
  const store = openStore(file);
  store.atomically(() => {
    for (let number = 0; number < services; number += 1)
      store.services.upsert({
        id: `service-${number}`,
        name: `Service ${number}`,
        description: `What the weather does in the town of number ${number}`,
        category: 'weather',
        source: 'svc-native',
        endpoint: 'GET /',
        origin: `https://service-${number}.example.com`,
        payees: [Keypair.generate().publicKey.toBase58()],
        pricing: {},
        price: '0.01',
        vouched: false,
      });
  });
  store.close();
};
