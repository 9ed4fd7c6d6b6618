// The theft drill: the honest number against a thief who has the data folder, the keychain's content and the passphrase,
// and takes all that the chain gives.
import { spawn } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../../server/log.ts';
import { formatUsdc, parseUsdc, usdc } from '../../../server/money.ts';
import { vaultOf } from '../../../server/vault/of-network.ts';
import { createVault, needsPassphrase, type Protection } from '../../../server/vault/vault.ts';
import { createColdWallet, type ColdWallet } from '../../harness/chain/cold-wallet.ts';
import { createDice, type Dice } from '../../harness/dice.ts';
import { useFolders } from '../../harness/folders.ts';
import { hasKeychain, inSession, openKeychain, withKeychain } from '../../harness/programs/keychain.ts';
import { drain, type Way } from '../../harness/chain/thief.ts';
import type { Loot } from '../../harness/chain/thief-program.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { isLarge, tries } from '../../harness/tries.ts';
import { PASSPHRASE, scryptCost } from '../../vault/constants.ts';

const newFolder = useFolders();
const one = 1_000_000n;
const states = Number(process.env['TREASURY_THEFTS'] ?? tries(2, 60));

const amountBy = (dice: Dice, most: number): string =>
  formatUsdc(usdc(BigInt(1 + Math.floor(dice.roll() * most * 1e6))));

/** One random step of a life. */
const step = async (
  dice: Dice,
  { client, owner }: Treasury,
  { agents, cold, key }: { agents: TestAgent[]; cold: ColdWallet; key: string },
): Promise<unknown> => {
  const agent = agents[Math.floor(dice.roll() * agents.length)] as TestAgent;
  const path = `/v1/agents/${agent.agentId}`;
  const moves = [
    () => client.post(`${path}/allocate`, { amount: amountBy(dice, 400) }),
    () => client.post(`${path}/allocate`, { amount: amountBy(dice, 20) }),
    () => agent.pay(amountBy(dice, 2)),
    () => client.post(`${path}/recall`, { amount: amountBy(dice, 4) }),
    () =>
      client.post(
        '/v1/treasury/withdraw',
        { to: cold.address, amount: amountBy(dice, 300), asset: 'USDC' },
        { key },
      ),
    () => cold.allow(owner, BigInt(1 + Math.floor(dice.roll() * 700e6))),
    () => cold.revoke(),
    () => client.post('/v1/freeze'),
    () => client.post('/v1/unfreeze'),
    () => client.post(`${path}/archive`),
  ] as const;
  return moves[Math.floor(dice.roll() * moves.length)]?.();
};

interface House {
  dataDir: string;
  /** The home folder that holds the keychain; null where the root is in the data folder. */
  keychain: string | null;
  passphrase?: string;
}

const createHouse = async (protection: Protection, keychain: string | null): Promise<House> => {
  const dataDir = newFolder();
  const passphrase = needsPassphrase(protection) ? PASSPHRASE : undefined;
  const log = createLog('silent');
  const folder = join(dataDir, 'sandbox');
  await createVault({ dataDir: folder, network: 'sandbox', log, protection, scryptCost }).create(passphrase);
  return { dataDir, keychain, ...(passphrase === undefined ? {} : { passphrase }) };
};

const thief = fileURLToPath(new URL('../../harness/chain/thief-program.ts', import.meta.url));

/** Copies what lies in the house; resolves to the micro-USDC that the thief then takes. */
const rob = async ({ dataDir, keychain, ...known }: House, way: Way): Promise<bigint> => {
  const copy = newFolder();
  cpSync(dataDir, copy, { recursive: true });
  if (keychain === null) {
    const vault = vaultOf({ dataDir: copy, network: 'sandbox' }, createLog('silent'));
    await vault.unlock(known.passphrase);
    return drain(vault.signingKey, way);
  }
  // A keychain is one for each session, so this thief is a program of its own.
  const home = newFolder();
  cpSync(join(keychain, '.local'), join(home, '.local'), { recursive: true });
  const { wrapper, env } = inSession(home);
  const [command = process.execPath, ...words] = [...wrapper, process.execPath, thief];
  const child = spawn(command, words, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const loot: Loot = { ...known, ...way, dataDir: copy };
  child.stdin.end(JSON.stringify(loot));
  const [taken, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (taken === '') throw new Error(`the thief failed: ${errors}`);
  return BigInt(taken);
};

/** Lives for a while and is robbed. Returns what is wrong, if anything. */
const robbed = async (house: House, seed: number, isOpen: boolean): Promise<string | null> => {
  const dice = createDice(seed);
  const slow = ['--confirm-ms', '40', '--finalize-ms', '200'];
  const treasury = await openTreasury({ ...house, ...(isOpen ? { args: slow } : {}) });
  try {
    const { client, host, owner } = treasury;
    const limits = { dailyBudget: '100000', maxPerPayment: '100', allocate: '5.00' };
    const agents = [await deploy(client, 'one', limits), await deploy(client, 'two', limits)];
    const cold = await createColdWallet(host.rpcUrl, 500n * one);
    const purse = await createColdWallet(host.rpcUrl, 1n);
    await client.post('/v1/cold', { address: cold.address });
    await cold.allow(owner, 30n * one);
    for (let n = 0; n < 12; n += 1) await step(dice, treasury, { agents, cold, key: `k${n}` });
    if (isOpen)
      // Not awaited: the thief comes in their midst.
      for (let n = 0; n < 6; n += 1)
        void step(dice, treasury, {
          agents,
          cold: { ...cold, allow: async () => {}, revoke: async () => {} },
          key: `o${n}`,
        }).catch(() => {});
    else {
      await until('all to end', () => host.engine.context.store.transfers.open().length === 0);
      await host.engine.context.funds.compare();
    }
    const told = parseUsdc(String((await client.get('/v1/dashboard')).body['exposure'].amount)) ?? -1n;
    const way = { rpcUrl: host.rpcUrl, wallets: 6, cold: cold.address, to: purse.address };
    const taken = await rob(house, way);
    const isRight = isOpen ? taken <= told : taken === told;
    return isRight ? null : `seed ${seed}, ${isOpen ? 'open' : 'nothing open'}: told ${told}, taken ${taken}`;
  } finally {
    await treasury.close();
  }
};

/** In turn under each protection, with nothing open and with payments open. */
const robAll = async (protections: readonly Protection[], keychain: string | null): Promise<void> => {
  const seed = isLarge ? Math.floor(Math.random() * 2 ** 32) : 1_984_271;
  const wrong: (string | null)[] = [];
  for (let n = 0; n < states; n += 1) {
    const round = Math.floor(n / protections.length);
    const protection = protections[n % protections.length] ?? 'key-file';
    const house = await createHouse(protection, keychain);
    const fault = await robbed(house, (seed + n) % 2 ** 32, (n + round) % 2 === 1);
    wrong.push(fault === null ? null : `${protection}, ${fault}`);
  }
  expect(wrong.filter((fault) => fault !== null)).toEqual([]);
};

const title = 'to the unit when nothing is open, and otherwise at most that';
const timeout = 60_000 + states * 30_000;

it(`says what a thief of the data folder can take in ${states} states, ${title}`, { timeout }, () =>
  robAll(['key-file', 'passphrase-file'], null),
);

describe.skipIf(!hasKeychain)(withKeychain('with its keys in the keychain'), () => {
  const home = newFolder();
  let close: () => Promise<void>;
  beforeAll(async () => (close = await openKeychain(home)));
  afterAll(() => close());

  it(`says what a thief of both can take in ${states} states, ${title}`, { timeout }, () =>
    robAll(['keychain', 'keychain+seal'], home),
  );
});
