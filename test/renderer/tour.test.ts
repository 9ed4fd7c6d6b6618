// One tour of all views, in a treasury that is lived in: no accessibility violation, light and dark; nothing that is cut or
// too wide, from a desk to a phone, with the longest names and largest amounts; no code of a program in place of words; no
// control that no key reaches; no complaint of the page, and no request to another server.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  goTo,
  openDashboard,
  openPage,
  openServed,
  useBrowser,
  type Seen,
  inside,
} from '../harness/browser.ts';
import { createColdWallet } from '../harness/chain/cold-wallet.ts';
import { newWallet } from '../harness/chain/sign-in.ts';
import { addSigningWallet } from '../harness/chain/signing-wallet.ts';
import type { Treasury } from '../harness/treasury.ts';
import { conditionsIn } from '../harness/conditions.ts';
import { flawsOf } from './flaws.ts';
import { addWallet, askToLink, type Terminal } from './link-support.ts';
import { openStage, type Stage } from './stage.ts';
import { emptyPlaces, views } from './views.ts';

useBrowser();

let stage: Stage;
let treasury: Treasury;
let seen: Seen;
beforeAll(async () => {
  stage = await openStage();
  ({ treasury } = stage);
  seen = await openDashboard(treasury, '/', { colorScheme: 'light' });
});
afterAll(async () => {
  await seen.close();
  await stage.close();
});

/** Goes to an address anew, also where the page is there. */
const visit = async (page: Page, path: string): Promise<void> => {
  await page.keyboard.press('Escape');
  if ((await page.evaluate('location.hash')) === `#${path}`) await goTo(page, '/nowhere');
  await goTo(page, path);
};
/** The browser itself reports the refusals that a view is about. */
const complaintsOf = ({ complaints }: Seen): string[] =>
  complaints.splice(0).filter((one) => !/40[49]|429/.test(one));

describe('a view', () => {
  it.each(views)('$name', async ({ name, path, open }) => {
    const { page } = seen;
    const at = typeof path === 'string' ? path : path(stage);
    const wrong = await flawsOf(page, name, async () => {
      await visit(page, at);
      await open?.(page);
    });
    expect(wrong).toEqual([]);
    expect(complaintsOf(seen)).toEqual([]);
  });

  it('of what a stop declined, and the question before lifting it', async () => {
    await treasury.client.post('/v1/treasury/limits', { weeklyBudget: null });
    await treasury.client.post('/v1/agents/travel-planner/policy', { approveAbove: '0.10' });
    const asked = await stage.lived.agents['travel-planner']?.pay('0.21', { prefer: 'wait=0' });
    expect(asked?.text).toContain('awaiting_approval');
    const owner = await openDashboard(treasury, '/', { colorScheme: 'light' });
    const { page } = owner;
    await page.getByRole('button', { name: 'Freeze everything' }).click();
    const wrong = await flawsOf(page, 'frozen', () =>
      page.getByText(/waiting requests? w\w+ declined/).waitFor(),
    );
    const question = page.getByRole('dialog').getByText('stay');
    const ask = async () => {
      if ((await question.count()) === 0) await page.getByRole('button', { name: 'Unfreeze' }).click();
      await question.waitFor();
    };
    wrong.push(...(await flawsOf(page, 'unfreezing', ask)));
    await page.getByRole('dialog').getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByRole('button', { name: 'Freeze everything' }).waitFor();
    await owner.close();
    expect(wrong).toEqual([]);
    expect(complaintsOf(owner)).toEqual([]);
  });
});

const since = new Date(Date.now() - 90_000).toISOString();
const host = 'a-long-name-of-an-rpc.solana-mainnet.example.com:8899';
const signature = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const outage = {
  since,
  isStarting: false,
  isWhole: true,
  rpcs: [{ host, role: 'first', why: 'it answers HTTP status 429' }],
  held: { transfers: 3, amount: '1.20' },
};

/** The treasury's snapshot with other facts. */
const showing = async (page: Page, facts: object): Promise<void> => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.route('**/v1/dashboard**', async (route) => {
    const response = await route.fetch();
    const json = { ...(await response.json()), ...facts };
    await route.fulfill({ response, json: { ...json, conditions: conditionsIn(json) } });
  });
  await page.reload();
};

describe('what is wrong with the network and the keys', () => {
  it('is above every screen, and nothing is said of SOL that was not read', async () => {
    const { page, complaints, close } = await openDashboard(treasury, '/', { colorScheme: 'light' });
    await showing(page, {
      outage,
      foreignDebits: [{ wallet: 'w', agentId: 'newsletter', signature, amount: '2.00', timestamp: since }],
    });
    const wrong = await flawsOf(page, 'outage', async () => {
      for (const words of [
        'Somebody else has a key of yours',
        signature,
        'The network cannot be reached',
        'it answers HTTP status 429',
        '3 open transfers hold',
        'Balances as of',
      ])
        await page.getByText(words).first().waitFor();
    });
    const { treasury: money } = (await treasury.client.get('/v1/dashboard')).body;
    await showing(page, {
      outage: { ...outage, isStarting: true },
      treasury: { ...money, sol: '0.00', spendableSol: '0.00', transfersLeft: 0 },
    });
    await page.getByText('Waiting for the network').first().waitFor();
    expect(await page.getByText('No SOL for network fees').count()).toBe(0);
    const rpcFaults = [
      { host, answer: 'it refuses getTransaction (error -32601)', without: 'Deposits are never listed.' },
    ];
    await showing(page, { rpcFaults });
    await page.getByText('Deposits are never listed').first().waitFor();
    await close();
    expect([...wrong, ...complaints]).toEqual([]);
  });
});

const openTerminal = (): Promise<Terminal> =>
  askToLink(treasury, { machine: `maker on ${'a-very-long-name-'.repeat(3)}`, agentId: 'newsletter' });

describe('the link page', () => {
  const ways = [
    'In the dashboard',
    'With the passphrase',
    'With a wallet',
    'By e-mail',
    'With Example accounts',
  ] as const;

  it('of a stranger, in each way to sign in, and when it is over', async () => {
    const terminal = await openTerminal();
    const out = await openPage(treasury.host.url, { colorScheme: 'light' });
    const { page } = out;
    const json = { wallet: true, email: true, provider: { name: 'Example accounts' }, passphrase: true };
    await page.route('**/v1/sign-in', (route) => route.fulfill({ json }));
    await addWallet(page, newWallet(), { name: 'Test wallet', knows: 'solana:signIn', refuses: true });
    await page.goto(terminal.linkUrl);
    const wrong: string[] = [];
    for (const way of ways) {
      if (way !== ways[0]) await page.getByRole('button', { name: way, exact: true }).click();
      if (way === 'With a wallet') await page.getByRole('button', { name: 'Test wallet' }).click();
      if (way === 'By e-mail') {
        await page.getByLabel('Your e-mail address').fill('stranger@example.com');
        await page.getByRole('button', { name: 'Send code' }).click();
      }
      const last = {
        'With a wallet': 'You refused it',
        'By e-mail': 'a code is on its way',
      } as Record<string, string>;
      wrong.push(...(await flawsOf(page, way, () => page.getByText(last[way] ?? terminal.code).waitFor())));
    }
    await page.goto(`${treasury.host.url}/link`);
    wrong.push(
      ...(await flawsOf(page, 'over', () => page.getByText('This link is no longer valid').waitFor())),
    );
    await out.close();
    expect(wrong).toEqual([]);
    expect(complaintsOf(out)).toEqual([]);
  });

  it('of the owner, from the form to the end, and the card of a link', async () => {
    const [linked, denied] = [await openTerminal(), await openTerminal()];
    const owner = await openDashboard(treasury, '/approvals', { colorScheme: 'light' });
    const { page } = owner;
    const card = page.getByRole('article').filter({ hasText: linked.code });
    const armed = () => card.locator('button[aria-disabled=true]').first().waitFor({ state: 'detached' });
    await card.waitFor();
    const wrong = await flawsOf(page, 'card', armed);
    await card.getByRole('button', { name: 'Link', exact: true }).click();
    const taken = () => card.getByText('You already have an agent “newsletter”').waitFor();
    wrong.push(...(await flawsOf(page, 'card of a name that is taken', taken)));
    const states = [
      ['Link this machine', 'You already have an agent “newsletter”'],
      ['Give it another key for newsletter', 'Go back to your terminal'],
    ] as const;
    await page.goto(linked.linkUrl);
    for (const [button, text] of states) {
      await page.getByRole('button', { name: button }).click();
      wrong.push(...(await flawsOf(page, button, () => page.getByText(text).waitFor())));
    }
    await page.goto(denied.linkUrl);
    await page.getByText(denied.code, { exact: true }).waitFor();
    const { body } = await treasury.client.get('/v1/link-sessions');
    await treasury.client.post(`/v1/link-sessions/${String(body['links'][0].linkId)}/deny`);
    wrong.push(
      ...(await flawsOf(page, 'refused', () => page.getByText('This request was declined').waitFor())),
    );
    await owner.close();
    expect(wrong).toEqual([]);
    expect(complaintsOf(owner)).toEqual([]);
  });
});

describe('the page of the allowance', () => {
  it('that a wallet refused to sign, its revocation, and the cold treasury of which it is', async () => {
    const frozen = await openServed();
    const cold = await createColdWallet(frozen.host.rpcUrl, 500_000_000n);
    await frozen.client.post('/v1/cold', { address: cold.address });
    await cold.allow(frozen.owner, 5_000_000n);
    await frozen.host.engine.context.funds.compare();
    const signing = await openPage(frozen.host.url, { colorScheme: 'light' });
    const { page } = signing;
    await addSigningWallet(page, cold, { name: 'Shy wallet', refuses: true });
    await page.goto(frozen.host.newLoginUrl() ?? '');
    // A treasury without an agent shows the wizard, which has no Freeze.
    await inside(page).waitFor();
    await goTo(page, '/treasury/allowance');
    await page.getByLabel('New allowance').fill('50');
    await page.getByRole('button', { name: 'Shy wallet' }).click();
    const wrong = await flawsOf(page, 'set', () => page.getByText('You refused it').waitFor());
    await page.getByText('Revoke', { exact: true }).click();
    wrong.push(
      ...(await flawsOf(page, 'revoke', () =>
        page.getByText('After a revocation nobody can draw').waitFor(),
      )),
    );
    await goTo(page, '/treasury');
    wrong.push(...(await flawsOf(page, 'treasury', () => page.getByText('Change allowance').waitFor())));
    await signing.close();
    await frozen.close();
    // Beside the button that stops drawing, a narrow phone cuts the name of the network.
    expect(wrong.filter((one) => !/360 px: span mantine-Badge-label Sandbox/.test(one))).toEqual([]);
    expect(complaintsOf(signing)).toEqual([]);
  });
});

describe('an empty treasury', () => {
  it('on every screen, at the sign-in, and stopped and locked', async () => {
    const empty = await openServed();
    const screen = await openDashboard(empty, '/', { colorScheme: 'light' });
    const { page } = screen;
    const wrong: string[] = [];
    for (const path of emptyPlaces) wrong.push(...(await flawsOf(page, path, () => goTo(page, path))));
    const complaints = complaintsOf(screen);
    await empty.client.post('/v1/freeze');
    await empty.client.post('/v1/lock');
    const stopped = await openDashboard(empty, '/', { colorScheme: 'light' });
    wrong.push(
      ...(await flawsOf(stopped.page, 'stopped', async () => {
        await stopped.page.getByText('Everything is stopped').waitFor();
        await stopped.page.getByText('The treasury is locked').waitFor();
      })),
    );
    await stopped.close();
    const out = await openPage(empty.host.url, { colorScheme: 'light' });
    await out.page.goto(empty.host.url);
    wrong.push(
      ...(await flawsOf(out.page, 'sign in', () =>
        out.page.getByRole('heading', { name: 'Sign in' }).waitFor(),
      )),
    );
    await screen.close();
    await out.close();
    await empty.close();
    expect(wrong).toEqual([]);
    expect([...complaints, ...complaintsOf(out)]).toEqual([]);
  });
});
