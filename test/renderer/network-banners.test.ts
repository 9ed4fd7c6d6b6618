// An outage, an RPC that lacks something, and a key that somebody else has: on every screen, at every width.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, type Treasury } from '../harness/treasury.ts';
import { openDashboard, openServed, useBrowser } from '../harness/browser.ts';

useBrowser();

const signature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
  await deploy(treasury.client, 'scout');
});
afterAll(() => treasury.close());

/** The treasury's snapshot with other facts of the network. */
const showing = async (page: Page, facts: object): Promise<void> => {
  await page.route('**/v1/dashboard**', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...facts } });
  });
  await page.reload();
};

const since = new Date(Date.now() - 90_000).toISOString();
const host = 'a-long-name-of-an-rpc.solana-mainnet.example.com:8899';
const outage = {
  since,
  isStarting: false,
  isWhole: true,
  rpcs: [{ host, role: 'first', why: 'it answers HTTP status 429' }],
  held: { transfers: 3, amount: '1.20' },
};
const facts = {
  outage,
  rpcFaults: [
    { host, answer: 'it refuses getTransaction (error -32601)', without: 'Deposits are never listed.' },
  ],
  foreignDebits: [{ wallet: 'w', agentId: 'scout', signature, amount: '2.00', timestamp: since }],
};

describe('what is wrong with the network and the keys', () => {
  it.each([360, 768, 1280, 1600])('is above every screen, and fits %s pixels', async (width) => {
    const { page, close } = await openDashboard(treasury, '/', { viewport: { width, height: 1_000 } });
    await showing(page, facts);
    for (const words of [
      'Somebody else has a key of yours',
      signature,
      'The network cannot be reached',
      'it answers HTTP status 429',
      '3 open transfers hold',
      'Balances as of',
      'Deposits are never listed',
    ])
      await page.getByText(words).first().waitFor();
    const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(isTooWide)).toBe(false);
    if (process.env['SHOTS'] !== undefined)
      await page.screenshot({ path: `${process.env['SHOTS']}/network-${width}.png`, fullPage: true });
    await close();
  });

  it('says in a start without the network that it waits, and nothing of SOL that was not read', async () => {
    const { page, close } = await openDashboard(treasury);
    const { treasury: money } = (await treasury.client.get('/v1/dashboard')).body;
    await showing(page, {
      outage: { ...outage, isStarting: true },
      treasury: { ...money, sol: '0.00', spendableSol: '0.00', transfersLeft: 0 },
    });
    await page.getByText('Waiting for the network').first().waitFor();
    expect(await page.getByText('No SOL for network fees').count()).toBe(0);
    await close();
  });
});
