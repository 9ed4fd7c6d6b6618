// After a restore from the chain alone: older moves are in the opening balances, and are no deposits.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createFaucet } from '../../server/solana/faucet.ts';
import { anchoringIn, aDay, dayMs, type Anchoring } from '../harness/anchored.ts';
import { audit } from '../harness/audit.ts';
import { deploy, instantly, removeFolder, temporaryFolder } from '../harness/treasury.ts';

const agedMs = 3 * dayMs;
let dataDir = '';
afterEach(() => removeFolder(dataDir));

/** A treasury whose agent was given money by us and by somebody else, days before its database was lost. */
const restored = async (): Promise<Anchoring> => {
  dataDir = temporaryFolder();
  const first = await anchoringIn({ args: instantly, aheadMs: 0, dataDir });
  const scout = await deploy(first.client, 'scout', { dailyBudget: '50' });
  await scout.pay('0.25');
  const faucet = createFaucet(first.host.rpcUrl);
  await faucet.fund(scout.wallet, 1_234_567n);
  faucet.close();
  await first.pass(agedMs);
  await first.close();
  const folder = join(dataDir, 'sandbox');
  for (const file of readdirSync(folder)) if (file.startsWith('treasury.db')) rmSync(join(folder, file));
  return anchoringIn({ args: instantly, aheadMs: agedMs, dataDir });
};

/** To wallets of agents. */
const depositsOf = ({ host, owner }: Anchoring): string[] =>
  host.engine.context.store.deposits
    .list(null, 9)
    .filter(({ wallet }) => wallet !== owner)
    .map(({ amount }) => String(amount));

it('an anchor enters nothing that the opening balances hold', async () => {
  const books = await restored();
  expect((await audit(books.host)).drift).toEqual([]);
  await books.client.post('/v1/unfreeze');
  await books.turn(true);
  await books.pass(aDay);
  await books.final(1);
  const found = [(await audit(books.host)).drift, depositsOf(books)];
  await books.close();
  expect(found).toEqual([[], []]);
});

it('the close of a month enters nothing that they hold, and the first whole month after it closes', async () => {
  const books = await restored();
  await books.pass(75 * dayMs);
  const close = async (month: string) =>
    (await books.client.post(`/v1/books/months/${month}/close`, {})).body['state'];
  const months = (await books.client.get('/v1/books/months')).body['months'].slice(1).toReversed();
  const states = [];
  for (const { month } of months) states.push(await close(month));
  const found = [(await audit(books.host)).drift, depositsOf(books)];
  await books.close();
  expect(states.slice(1)).toEqual(months.slice(1).map(() => 'closed'));
  expect(found).toEqual([[], []]);
});
