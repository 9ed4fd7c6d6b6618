// The theft drill: the honest number against a thief who has the data folder, and takes all that the chain gives.
import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLog } from '../../server/log.ts';
import { formatUsdc, parseUsdc, usdc } from '../../server/money.ts';
import { vaultOf } from '../../server/vault/of-network.ts';
import { createColdWallet, type ColdWallet } from '../harness/cold-wallet.ts';
import { createDice, type Dice } from '../harness/dice.ts';
import { useFolders } from '../harness/folders.ts';
import { drain } from '../harness/thief.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';

const newFolder = useFolders();
const one = 1_000_000n;
const states = Number(process.env['TREASURY_THEFTS'] ?? tries(3, 100));

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

/** Lives for a while and is robbed. Returns what is wrong, if anything. */
const robbed = async (seed: number, isOpen: boolean): Promise<string | null> => {
  const dice = createDice(seed);
  const slow = ['--confirm-ms', '40', '--finalize-ms', '200'];
  const treasury = await openTreasury(isOpen ? { args: slow } : {});
  try {
    const { client, host, owner, dataDir } = treasury;
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
    else await until('all to end', () => host.engine.context.store.transfers.open().length === 0);
    const stolen = newFolder();
    cpSync(dataDir, stolen, { recursive: true });
    const vault = vaultOf({ dataDir: stolen, network: 'sandbox' }, createLog('silent'));
    await vault.unlock();
    await host.engine.context.funds.compare();
    const told = parseUsdc(String((await client.get('/v1/dashboard')).body['exposure'].amount)) ?? -1n;
    const taken = await drain(host.rpcUrl, {
      signingKey: vault.signingKey,
      wallets: 6,
      cold: cold.address,
      to: purse.address,
    });
    const isRight = isOpen ? taken <= told : taken === told;
    return isRight ? null : `seed ${seed}, ${isOpen ? 'open' : 'nothing open'}: told ${told}, taken ${taken}`;
  } finally {
    await treasury.close();
  }
};

const title = 'to the unit when nothing is open, and otherwise at most that';
it(
  `says what a thief can take in ${states} states, ${title}`,
  { timeout: 60_000 + states * 30_000 },
  async () => {
    const seed = Math.floor(Math.random() * 2 ** 32);
    const wrong: (string | null)[] = [];
    for (let n = 0; n < states; n += 1) wrong.push(await robbed((seed + n) % 2 ** 32, n % 2 === 1));
    expect(wrong.filter((fault) => fault !== null)).toEqual([]);
  },
);
