// The page on which the cold wallet signs its allowance, in a real browser with wallets that sign for real.
import { ComputeBudgetProgram, type TransactionInstruction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatUsdc, usdc } from '../../server/money.ts';
import { goTo, openPage, openServed, useBrowser, type Seen, inside } from '../harness/browser.ts';
import { createColdWallet, type ColdWallet } from '../harness/chain/cold-wallet.ts';
import { addSigningWallet, theft } from '../harness/chain/signing-wallet.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

const one = 1_000_000n;
let treasury: Treasury;
let cold: ColdWallet;
let seen: Seen;

const post = (path: string, body: object = {}) => treasury.client.post(`/v1/${path}`, body);
const allocate = () => post('agents/scout/allocate', { amount: '1.00' });
const view = async () => (await treasury.client.get('/v1/cold')).body['cold'];

beforeAll(async () => {
  treasury = await openServed();
  await deploy(treasury.client, 'scout', { allocate: null });
  cold = await createColdWallet(treasury.host.rpcUrl, 500n * one);
  await post('cold', { address: cold.address });
  const own = (await treasury.client.get('/v1/dashboard')).body['treasury'].amount;
  const all = { to: cold.address, amount: formatUsdc(usdc(BigInt(own))), asset: 'USDC' };
  await treasury.client.post('/v1/treasury/withdraw', all, { key: 'all' });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  await post('cold/resume');
  await post('cold/pause', { paused: false });
  await cold.allow(treasury.owner, 5n * one);
  await treasury.host.engine.context.funds.compare();
  seen = await openPage(treasury.host.url);
});
afterEach(() => seen.close());

const path = '/treasury/allowance';
const signIn = async (page: Page, at: string): Promise<void> => {
  await page.goto(treasury.host.newLoginUrl() ?? '');
  await inside(page).waitFor();
  await goTo(page, at);
};
const sign = async (page: Page, amount: string, wallet = 'Test wallet'): Promise<void> => {
  await page.getByLabel('New allowance').fill(amount);
  await page.getByRole('button', { name: wallet }).click();
};

describe('the page of the allowance', () => {
  it('shows what is left and what it will be, has the wallet sign it, and follows it until it is final', async () => {
    const { page, complaints } = seen;
    await addSigningWallet(page, cold, { name: 'Test wallet' });
    await signIn(page, path);
    await page.getByText('Nothing is drawn while this page is open').waitFor();
    await until('the pause', async () => (await view())['pausedUntil'] !== null);
    expect((await allocate()).body['error']).toContain('is being changed');
    await page.getByLabel('New allowance').fill('50');
    expect(await page.getByText('Replaces what is left now; it is not added to it.').count()).toBe(1);
    expect(await page.getByText(/^5\.00/).count()).toBe(1);
    await sign(page, '50');
    await page.getByText('The allowance is 50.00 USDC now').waitFor();
    expect(await cold.account()).toMatchObject({ allowance: 50n * one, delegate: treasury.owner });
    expect((await allocate()).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  it('lets draws go on when it is left', async () => {
    const { page } = seen;
    await signIn(page, path);
    await until('the pause', async () => (await view())['pausedUntil'] !== null);
    await goTo(page, '/treasury');
    await until('its end', async () => (await view())['pausedUntil'] === null);
    expect((await allocate()).status).toBe(200);
  });

  it('revokes from the panel that stops drawing, and says that it stays stopped', async () => {
    const { page, complaints } = seen;
    await addSigningWallet(page, cold, { name: 'Test wallet' });
    await signIn(page, '/treasury');
    await page.getByRole('button', { name: 'Stop drawing' }).click();
    await until('the stop', async () => (await view())['stoppedAt'] !== null);
    await page.getByRole('button', { name: 'Resume drawing' }).waitFor();
    await page.locator('summary', { hasText: 'Revoke the allowance' }).click();
    await page.getByRole('link', { name: 'sign the revocation here' }).click();
    await page.getByText('Drawing has been stopped since').waitFor();
    await page.getByText('only revoking the allowance does').waitFor();
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('The allowance is revoked').waitFor();
    expect(await cold.account()).toMatchObject({ allowance: 0n, delegate: null });
    expect(complaints).toEqual([]);
  });

  const changes: Record<string, (instructions: TransactionInstruction[]) => TransactionInstruction[]> = {
    'sends something to a stranger beside it': (all) => [...all, theft(cold.address)],
    'gives away ten times as much': (all) => {
      all.at(-1)?.data.writeBigUInt64LE(500n * one, 1);
      return all;
    },
    'leaves the approval out': () => [theft(cold.address)],
  };
  it.each(Object.entries(changes))('sends nothing of a wallet that %s', async (_name, change) => {
    const { page } = seen;
    const known = async () => [await cold.account(), (await treasury.client.get('/v1/cold/allowance')).body];
    const before = await known();
    await addSigningWallet(page, cold, { name: 'Sly wallet', change });
    await signIn(page, path);
    await sign(page, '50', 'Sly wallet');
    await page.getByText('Your wallet changed the transaction').waitFor();
    await page.getByText('Nothing was sent.').waitFor();
    expect(await known()).toEqual(before);
  });

  it('lets a wallet set its own network fee', async () => {
    const { page } = seen;
    const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 9 });
    await addSigningWallet(page, cold, { name: 'Test wallet', change: (all) => [price, ...all] });
    await signIn(page, path);
    await sign(page, '8');
    await page.getByText('The allowance is 8').waitFor();
    expect(await cold.account()).toMatchObject({ allowance: 8n * one });
  });

  it('says so when the wallet refuses, and when it shows another account', async () => {
    const { page } = seen;
    await addSigningWallet(page, cold, { name: 'Shy wallet', refuses: true });
    await addSigningWallet(page, cold, { name: 'Other wallet', shows: treasury.owner });
    await signIn(page, path);
    await sign(page, '50', 'Shy wallet');
    await page.getByText('You refused it in Shy wallet. Nothing was signed.').waitFor();
    await sign(page, '50', 'Other wallet');
    await page.getByText(`does not show the account ${cold.address}`).waitFor();
    expect(await cold.account()).toMatchObject({ allowance: 5n * one });
  });
});

describe('the cold treasury on other screens', () => {
  it('gets the treasury’s own money back with one click and the confirmation of every withdrawal', async () => {
    await post('sandbox/faucet', { amount: '3.25' });
    const before = (await cold.account()).balance;
    const { page, complaints } = seen;
    await signIn(page, '/treasury');
    await page.getByRole('button', { name: 'Move funds to it…' }).click();
    await page.getByRole('dialog').getByText(cold.address, { exact: true }).waitFor();
    expect((await cold.account()).balance).toBe(before);
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('3.25 USDC sent').waitFor();
    await until('all to end', () => treasury.host.engine.context.store.transfers.open().length === 0);
    expect((await cold.account()).balance).toBe(before + 3_250_000n);
    expect(complaints).toEqual([]);
  });

  it('is named by the page of a draw as the source, and by that of no other transfer', async () => {
    // A page that ended with its browser leaves its pause, which would be over after two minutes.
    const { pauses, store } = treasury.host.engine.context;
    pauses.clear();
    store.atomically(() => store.cold.pause(cold.address, 0));
    const drawn = (await allocate()).body['transferId'];
    const recalled = (await post('agents/scout/recall', { amount: '0.50' })).body['transferId'];
    const { page } = seen;
    await signIn(page, `/activity/${drawn}`);
    await page.getByText('drawn within its allowance').waitFor();
    await page.getByTitle(cold.address).waitFor();
    await goTo(page, `/activity/${recalled}`);
    await page.getByText('0.50').first().waitFor();
    expect(await page.getByText('drawn within its allowance').count()).toBe(0);
    const { body } = await treasury.client.get(`/v1/transfers/${drawn}`);
    expect(body).toMatchObject({ source: cold.address, wallet: treasury.owner });
  });

  it('is recommended by the first run on mainnet alone', async () => {
    const { page } = seen;
    await signIn(page, '/welcome');
    await page.getByText('Deposit address', { exact: true }).first().waitFor();
    expect(await page.getByText('Recommended: keep most of it in a cold wallet').count()).toBe(0);
    await page.route('**/v1/dashboard**', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), network: 'mainnet' } });
    });
    await page.reload();
    await goTo(page, '/welcome');
    await page.getByText('Recommended: keep most of it in a cold wallet').waitFor();
    await page.getByRole('region', { name: 'Cold wallet' }).waitFor();
  });
});
