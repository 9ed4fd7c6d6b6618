// An owner's whole life with real money, as network mainnet on a chain that we did not write: first start, words, deposit,
// agents, purchases, an outage, a theft, three restores, and leaving. Every command is typed as the documents print it. After
// each step the records agree with the chain to the unit, and their sum with what went in and out.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseSol, parseUsdc } from '../../../server/money.ts';
import { createThief, type IndependentChain } from '../../harness/chain/independent-chain.ts';
import { until } from '../../harness/treasury.ts';
import { buy, sign, type Buyer, type Sellers } from './buyer.ts';
import type { Eyes } from './eyes.ts';
import { createPerson, type Person, type Typed } from './person.ts';
import { addressOfKey, keyOfWords } from './words.ts';

const passphrase = 'a long passphrase of mine';
const treasury = 'npm run -s treasury --';
const headless = 'npm run headless --';
/** Of an account without data, on mainnet: (128 bytes) x 3,480 x 2. */
const leastLamports = 890_880n;
const usdcOf = (text: string): bigint => parseUsdc(text) ?? -1n;

export interface Setting {
  chain: IndependentChain;
  hasKeychain: boolean;
  /** 0: there is none. */
  outageMs: number;
  /** Null: nothing is bought. */
  sellers: Sellers | null;
  /** Null: the owner never opens the dashboard. */
  eyes: Eyes | null;
  /** Those who are to leave at the end. */
  people: Person[];
  /** Called after each step. */
  done(step: string): void;
}

/** On a machine of their own. */
const newPerson = ({ people, hasKeychain }: Setting): Person => {
  const person = createPerson(hasKeychain);
  people.push(person);
  return person;
};

interface Host {
  typed: Typed;
  url: string;
  owner: string;
  loginUrl: string;
}

interface Life extends Setting {
  person: Person;
  /** Options that every start has. */
  network: string;
  host: Host;
  words: string;
  /** What the treasury and its agents must hold together, in micro-USDC. */
  held: bigint;
}

interface Snapshot {
  treasury: { walletAddress: string; amount: string; spendableSol: string };
  agents: { agentId: string; walletAddress: string; balance: string; status: string }[];
  frozen: boolean;
}

const ready = async (typed: Typed): Promise<Host> => {
  const [line] = await typed.shows(/\{"ready":true.*\}/);
  return { ...(JSON.parse(line) as Omit<Host, 'typed'>), typed };
};

const choosePassphrase = async (typed: Typed): Promise<void> => {
  for (const question of [/Choose a passphrase for the vault: /, /The same again: /]) {
    await typed.shows(question);
    typed.answerHidden(passphrase);
  }
};

const givePassphrase = async (typed: Typed): Promise<void> => {
  await typed.shows(/Passphrase of the vault: /);
  typed.answerHidden(passphrase);
};

/** Starts the treasury. @param isNew the passphrase is chosen */
const startHost = async (person: Person, options: string, isNew: boolean): Promise<Host> => {
  const typed = person.type(`${headless} ${options} --port 0`);
  await (isNew ? choosePassphrase(typed) : givePassphrase(typed));
  return ready(typed);
};

/** The terminal of this person becomes the owner's. */
const logIn = async (person: Person): Promise<void> => {
  const typed = person.type(`${treasury} unlock`);
  await givePassphrase(typed);
  await typed.shows(/This terminal is logged in/);
};

const snapshotOf = async (person: Person): Promise<Snapshot> =>
  JSON.parse(await person.run(`${treasury} --json status`)) as Snapshot;

/** @throws unless each wallet is one of the words, each balance is the chain's, and their sum is what there must be */
const agree = async ({ person, chain, words, held }: Life): Promise<void> => {
  let sum = 0n;
  const ours = [0, 1, 2, 3].map((index) => addressOfKey(keyOfWords(words, index)));
  const snapshot = await snapshotOf(person);
  const wallets = [
    {
      name: 'the treasury',
      wallet: snapshot.treasury.walletAddress,
      units: BigInt(snapshot.treasury.amount),
    },
    ...snapshot.agents.map(({ agentId, walletAddress, balance }) => ({
      name: agentId,
      wallet: walletAddress,
      units: usdcOf(balance),
    })),
  ];
  for (const { name, wallet, units } of wallets) {
    if (!ours.includes(wallet)) throw new Error(`the words do not lead to the wallet of ${name}`);
    const onChain = await chain.unitsOf(wallet);
    if (units !== onChain) throw new Error(`${name}: recorded ${units}, on the chain ${onChain}`);
    sum += onChain;
  }
  if (sum !== held) throw new Error(`together they hold ${sum}, and it must be ${held}`);
};

const step = async <T>(life: Life, name: string, act: () => Promise<T>): Promise<T> => {
  const made = await act();
  await agree(life);
  life.done(name);
  return made;
};

/** The words, which stand below the treasury and the network that they are of, and lead to it by the standards alone. */
const exportWords = async ({ person, host }: Pick<Life, 'person' | 'host'>): Promise<string> => {
  const typed = person.type(`${headless} --network mainnet --export-phrase`);
  await givePassphrase(typed);
  await typed.shows(new RegExp(`The recovery phrase of the treasury ${host.owner} on mainnet:`));
  const [words] = await typed.shows(/([a-z]+ ){23}[a-z]+/);
  if (addressOfKey(keyOfWords(words, 0)) !== host.owner)
    throw new Error('the words do not lead to the treasury');
  return words;
};

const deposit = async (life: Life): Promise<void> => {
  await life.chain.give(life.host.owner, { lamports: 50_000_000, units: 100_000_000n });
  life.held += 100_000_000n;
  await until('the deposit', async () => (await snapshotOf(life.person)).treasury.amount === '100000000');
};

/** Creates an agent and gives it money. */
const fill = async ({ person, host }: Life, agentId: string, amount: string): Promise<Buyer> => {
  const shown = await person.run(`${treasury} deploy ${agentId} --daily-budget 5 --max-per-payment 1`);
  const key = /"TREASURY_API_KEY": "([^"]+)"/.exec(shown)?.[1] ?? '';
  await person.run(`${treasury} allocate ${agentId} ${amount}`);
  return { url: host.url, owner: host.owner, agentId, key };
};

const settled = ({ person }: Life): Promise<unknown> =>
  until('all payments to end', async () => {
    const text = await person.run(`${treasury} --json history --limit 50`);
    return !/"status":\s*"pending"/.test(text);
  });

const buyFromBoth = async (life: Life, buyer: Buyer): Promise<void> => {
  if (life.sellers === null) return;
  await buy(buyer, life.sellers.v2);
  await buy(buyer, life.sellers.v1);
  life.held -= 20_000n;
  await settled(life);
};

/** Signed in the outage, never sent by the agent: the money must come back. */
const outage = async (life: Life, buyer: Buyer): Promise<void> => {
  const { chain, person, sellers, eyes, outageMs } = life;
  await chain.setFaults({ down: true });
  const begun = performance.now();
  if (sellers !== null) await sign(buyer, sellers.v2);
  const refused = person.type(`${treasury} allocate scout 1`);
  if ((await refused.ended()) === 0) throw new Error(`allocated in an outage: ${refused.screen()}`);
  await person.type(`${treasury} doctor`).shows(/Chain\s+not reachable/);
  await wait(Math.max(0, outageMs - (performance.now() - begun)));
  await eyes?.look('outage', '/');
  await eyes?.look('outage-treasury', '/treasury');
  await chain.setFaults({ down: false });
  await until('the chain to be back', async () => {
    const typed = person.type(`${treasury} doctor`);
    await typed.ended();
    return /Chain\s+reachable/.test(typed.screen());
  });
  await settled(life);
};

/** Somebody else has the words. */
const theft = async (life: Life, agentId: string): Promise<void> => {
  const { chain, person, words } = life;
  const { agents } = await snapshotOf(person);
  const wallet = agents.find((agent) => agent.agentId === agentId)?.walletAddress;
  const key = [1, 2, 3].map((index) => keyOfWords(words, index)).find((one) => addressOfKey(one) === wallet);
  if (key === undefined) throw new Error(`the words do not lead to the wallet of ${agentId}`);
  await (await createThief(chain)).take(key, 2_000_000n);
  life.held -= 2_000_000n;
  await until('the agent to be paused', async () => {
    const { agents: now } = await snapshotOf(person);
    return now.find((agent) => agent.agentId === agentId)?.status === 'suspended';
  });
  await life.eyes?.look('theft', '/');
  await life.eyes?.look('theft-agent', `/agents/${agentId}`);
};

const stop = async ({ host }: Life): Promise<void> => host.typed.interrupt();

const backUp = async ({ person }: Life): Promise<string> => {
  const printed = await person.run(`${treasury} backup`);
  return /^(\S+\.db): the records of/m.exec(printed)?.[1] ?? '';
};

/** The treasury is frozen after a restore; its owner has looked, and goes on. */
const goOn = async (life: Life): Promise<void> => {
  const { person } = life;
  if (!(await snapshotOf(person)).frozen) throw new Error('it is not frozen after the restore');
  await life.eyes?.signIn(life.host.loginUrl);
  await life.eyes?.look('restored', '/');
  await agree(life);
  await until('the freeze to be lifted', async () => {
    const typed = person.type(`${treasury} unfreeze`);
    await typed.shows(/\[y\/N\]/);
    typed.answer('y');
    if ((await typed.ended()) === 0) return true;
    // The comparison with the chain waits for finality.
    await typed.shows(/try again once the reason of the freeze shows the result/);
    return false;
  });
};

/** Starts with words that exist, on a machine that has none. */
const startFromWords = async (life: Life): Promise<Host> => {
  const typed = life.person.type(`${headless} ${life.network} --port 0 --import-phrase`);
  await typed.shows(/they are not shown\): /);
  typed.answerHidden(life.words);
  await choosePassphrase(typed);
  return ready(typed);
};

const databaseOf = ({ home }: Person): string => join(home, '.agent-treasury/mainnet');

/** The records are lost, the keys are there, and a backup is. */
const restoreBackup = async (life: Life, file: string): Promise<void> => {
  await stop(life);
  for (const name of ['treasury.db', 'treasury.db-wal', 'treasury.db-shm'])
    rmSync(join(databaseOf(life.person), name), { force: true });
  await life.person.run(`${headless} --network mainnet --restore ${file}`);
  life.host = await startHost(life.person, life.network, false);
  await logIn(life.person);
  await goOn(life);
};

/** A new machine: the words alone. */
const restoreWords = async (life: Life): Promise<void> => {
  await stop(life);
  life.person = newPerson(life);
  life.host = await startFromWords(life);
};

/** A new machine: the words, and then the backup. */
const restoreBoth = async (life: Life, file: string): Promise<void> => {
  await restoreWords(life);
  await stop(life);
  await life.person.run(`${headless} --network mainnet --restore ${file}`);
  life.host = await startHost(life.person, life.network, false);
  await logIn(life.person);
  await goOn(life);
};

/** Takes all money out, as operating.md says for the day on which somebody else has a key. What an account must keep stays. */
const leave = async (life: Life): Promise<void> => {
  const { person, chain } = life;
  const outside = addressOfKey(keyOfWords(life.words, 9_999));
  const withdrawAll = async (options: string): Promise<void> => {
    const typed = person.type(`${treasury} withdraw all ${outside}${options}`);
    await typed.shows(/\[y\/N\]/);
    typed.answer('y');
    if ((await typed.ended()) !== 0) throw new Error(typed.screen());
  };
  await person.run(`${treasury} freeze`);
  await withdrawAll('');
  for (const { agentId, balance } of (await snapshotOf(person)).agents)
    if (usdcOf(balance) > 0n) await person.run(`${treasury} recall ${agentId} all`);
  await withdrawAll('');
  const left = await chain.unitsOf(outside);
  if (left !== life.held) throw new Error(`${left} left, of ${life.held}`);
  life.held = 0n;
  // Fees and rents of what is not final yet are kept back.
  await until('the transfers to be final', async () => {
    const { spendableSol } = (await snapshotOf(person)).treasury;
    return parseSol(spendableSol) === (await chain.lamportsOf(life.host.owner)) - leastLamports;
  });
  await withdrawAll(' --sol');
  const stays = await chain.lamportsOf(life.host.owner);
  if (stays !== leastLamports) throw new Error(`${stays} lamports stay`);
};

/** The first start, and the words, which lead to the treasury by the standards alone. */
const begin = async (setting: Setting): Promise<Life> => {
  const { chain, eyes, done } = setting;
  const person = newPerson(setting);
  const network = `--network mainnet --rpc ${chain.rpcUrl}`;
  const host = await startHost(person, network, true);
  const words = await exportWords({ person, host });
  await logIn(person);
  await eyes?.signIn(host.loginUrl);
  await eyes?.look('welcome', '/welcome');
  done('first start, and the words lead to the treasury');
  return { ...setting, person, network, host, words, held: 0n };
};

/** The whole life. @throws at the first thing that goes wrong */
export const live = async (setting: Setting): Promise<void> => {
  const { eyes, outageMs } = setting;
  const life = await begin(setting);
  await step(life, 'a deposit of 100 USDC and 0.05 SOL', () => deposit(life));
  const buyer = await step(life, 'an agent with 20 USDC', () => fill(life, 'scout', '20.00'));
  await step(life, 'an agent with 10 USDC', () => fill(life, 'writer', '10.00'));
  await step(life, 'two purchases, x402 v2 and v1', () => buyFromBoth(life, buyer));
  await eyes?.look('overview', '/');
  await eyes?.look('treasury', '/treasury');
  if (outageMs > 0) await step(life, `an outage of ${outageMs / 1_000} s`, () => outage(life, buyer));
  const file = await step(life, 'a backup', () => backUp(life));
  await step(life, 'two purchases that the backup lacks', () => buyFromBoth(life, buyer));
  await step(life, 'a theft from an agent, which is paused', () => theft(life, 'writer'));
  await step(life, 'restored from the backup', () => restoreBackup(life, file));
  await step(life, 'restored from the words on a new machine', async () => {
    await restoreWords(life);
    await logIn(life.person);
  });
  await step(life, 'restored from words and backup on a new machine', () => restoreBoth(life, file));
  await step(life, 'left, with all money', () => leave(life));
  await stop(life);
};

/** The beginning, a move to a new machine with words and backup, and the end. @throws as `live` does */
export const liveShortly = async (setting: Setting): Promise<void> => {
  const life = await begin(setting);
  await step(life, 'a deposit', () => deposit(life));
  await step(life, 'an agent', () => fill(life, 'scout', '20.00'));
  const file = await step(life, 'a backup', () => backUp(life));
  await step(life, 'moved to a new machine', () => restoreBoth(life, file));
  await step(life, 'left', () => leave(life));
  await stop(life);
};
