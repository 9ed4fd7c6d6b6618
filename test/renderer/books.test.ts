// The books in a real browser, of a treasury that is some months ahead: months and their close, files, rules, and the links
// of the screen that was there before.
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { nameOfMonth, shortMonth } from '../../renderer/screens/books/month-words.ts';
import { shifted } from '../../server/contract/books/book-words.ts';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { enterFalseDeposit } from '../harness/chain/false-deposit.ts';
import { chainRead } from '../harness/chain/chain-read.ts';
import { settledRequest } from '../harness/engine/model-row.ts';
import { deploy, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

let treasury: Treasury;
let seen: Seen;
/** Fourteen hours before UTC, or after: its months begin on another day. */
const timezoneId = 'Pacific/Kiritimati';
const paidIn = new Date().toISOString().slice(0, 7);
const month = nameOfMonth(paidIn);
let ahead = 0;

beforeAll(async () => {
  treasury = await openServed({
    clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
  });
  const { client, host } = treasury;
  const [scout, planner] = [await deploy(client, 'scout'), await deploy(client, 'planner')];
  await client.post('/v1/agents/scout/rename', { displayName: 'Research Scout' });
  for (const amount of ['0.20', '0.30']) await scout.pay(amount);
  await planner.pay('0.10');
  await until('all to be final', () => host.engine.context.store.transfers.open().length === 0);
  ahead = 40 * 86_400_000;
  await chainRead(treasury, () => Date.now() + ahead);
  seen = await openDashboard(treasury, '/', { timezoneId });
});
afterAll(async () => {
  await seen.close();
  await treasury.close();
});
beforeEach(() => goTo(seen.page, '/'));
afterEach(() => {
  expect(seen.complaints.splice(0)).toEqual([]);
});

const isOn = async () => (await treasury.client.get('/v1/books/anchor')).body['on'];

describe('the books', () => {
  it('are anchored from the moment on at which the owner switches it on', async () => {
    const { page } = seen;
    await goTo(page, '/books');
    const anchoring = page.getByRole('switch', { name: 'Anchor the books once a day' });
    await page.getByText('(0.000005 SOL)').waitFor();
    expect([await anchoring.isChecked(), await isOn()]).toEqual([false, false]);
    await anchoring.click();
    await until('the switch to be on', async () => (await isOn()) && (await anchoring.isChecked()));
    await anchoring.click();
    await until('the switch to be off', async () => !(await isOn()) && !(await anchoring.isChecked()));
  });

  it('sum a month by agent and service, and lead to its entries', async () => {
    const { page } = seen;
    await page.getByRole('link', { name: 'Books' }).first().click();
    await page.getByText('Totals so far.').waitFor();
    await page.getByRole('link', { name: nameOfMonth(shifted(paidIn, 1)) }).click();
    await page
      .getByRole('columnheader', { name: shortMonth(paidIn) })
      .first()
      .waitFor();
    await page.getByRole('link', { name: month }).click();
    await page
      .getByRole('table', { name: 'By agent' })
      .getByRole('row', { name: /Research Scout.*2 payments.*0\.50/ })
      .waitFor();
    await page.getByRole('table', { name: 'By service' }).getByRole('row', { name: /0\.60/ }).waitFor();
    // Until a rule assigns one.
    expect(await page.getByRole('table', { name: 'By account' }).count()).toBe(0);
    await page.getByText('A month begins at midnight in UTC').waitFor();
    // Nothing was spent before, so that there is nothing to compare with.
    expect(await page.getByRole('columnheader').allInnerTexts()).not.toContain(
      shortMonth(shifted(paidIn, -1)),
    );
    expect(await page.getByText('new', { exact: true }).count()).toBe(0);
    await page.getByRole('link', { name: '2 payments of Research Scout in Activity' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await page.getByLabel('Agent', { exact: true }).first().waitFor();
  });

  it('close a month, say what differs, and shout about one that has changed', async () => {
    const { page } = seen;
    await goTo(page, `/books/${paidIn}`);
    await page.getByRole('button', { name: `Close ${month}` }).click();
    await page.getByText('Journal, chain and file agree').waitFor();
    const list = page.getByRole('navigation', { name: 'Months' });
    await list.getByRole('link', { name: /Closed on/ }).waitFor();
    const { store, time } = treasury.host.engine.context;
    const [closed] = store.books.months();
    if (closed === undefined) throw new Error('no month is closed');
    store.atomically(() => store.books.setMonth({ ...closed, changedAt: time.now() }));
    await page.reload();
    await page.getByText('has changed since it was closed').waitFor();
    await list.getByRole('link', { name: /Changed since it was closed/ }).waitFor();
    enterFalseDeposit(treasury);
    await page.getByRole('button', { name: 'Compare again' }).click();
    await page.getByText(`${month} does not match`).waitFor();
    await page.getByText(/At the month’s end the treasury held/).waitFor();
  });

  it('are printed without what is of use on a screen alone, and saved month by month', async () => {
    const { page } = seen;
    await goTo(page, `/books/${paidIn}`);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const lines = readFileSync(await (await download).path(), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('Sandbox Weather') && line.includes('USDC'))).toHaveLength(3);
    await page.evaluate('window.print = () => { window.isPrinted = true; }');
    await page.getByRole('button', { name: 'Print' }).click();
    expect(await page.evaluate('window.isPrinted')).toBe(true);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    for (const hidden of ['Print', 'Compare again', /^Assign accounts/])
      expect([hidden, await page.getByRole('button', { name: hidden }).count()]).toEqual([hidden, 0]);
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page
      .getByText(new RegExp(`^Treasury ${treasury.owner} on Solana sandbox, by the clock of UTC`))
      .waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: null, colorScheme: 'light' });
  });

  it('are saved as a file of the chosen period and program', async () => {
    const { page } = seen;
    await goTo(page, `/books/download/${paidIn}`);
    const saved = async (): Promise<[string, string]> => {
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download the file' }).click();
      const file = await download;
      return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8')];
    };
    const [name, text] = await saved();
    expect(name).toBe('books-spreadsheet.csv');
    expect(
      text.split('\n').filter((line) => line.includes('Sandbox Weather') && line.includes('USDC')),
    ).toHaveLength(3);
    await page.getByText('Saved as books-spreadsheet.csv.').first().waitFor();
    await page.getByLabel('Program', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Xero' }).click();
    await page.getByText('Xero does not recognize lines that it already has').waitFor();
    await page.getByText('only whole days that are final').waitFor();
    expect((await saved())[0]).toBe('books-xero.csv');
    await page.getByText(/Saved as books-xero\.csv, up to the end of \d{4}-\d\d-\d\d\./).waitFor();
    await page.getByLabel('Period').first().click();
    await page.getByRole('option', { name: 'Chosen days' }).click();
    await page.getByLabel('First day').fill('2090-01-01');
    await page.getByText('The first day must not be after the last.').waitFor();
    expect(await page.getByRole('button', { name: 'Download the file' }).isDisabled()).toBe(true);
    await page.getByLabel('Program', { exact: true }).first().click();
    await page.getByRole('option', { name: 'hledger' }).click();
    await page.getByText('So choose everything each time.').waitFor();
    expect(await page.getByLabel('Period').first().inputValue()).toBe('Everything');
  });

  it('take the sales of a seller from its file, and say which line is none', async () => {
    const { page } = seen;
    const { deposits } = (await treasury.client.get('/v1/treasury/deposits')).body;
    const deposit = deposits.find(({ currency }: { currency: string }) => currency === 'USDC');
    const sold = { ...deposit, recipient: treasury.owner, route: 'GET /report', service: null };
    await goTo(page, `/books/download/${paidIn}`);
    const enter = async (text: string): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Import a file' }).click();
      const buffer = Buffer.from(text);
      await (await chooser).setFiles({ name: 'sales.jsonl', mimeType: 'application/jsonl', buffer });
    };
    await enter(`${JSON.stringify(sold)}\n{}`);
    await page.getByText('Line 2 of sales.jsonl is not a sale, so nothing was entered.').waitFor();
    // A browser says nothing of a file that is chosen again, unless the field was emptied.
    expect(await page.locator('input[type=file]').inputValue()).toBe('');
    await enter(JSON.stringify(sold));
    await page.getByText(`1 of them is a final deposit, ${deposit.amount} USDC`).waitFor();
    await page.getByRole('tab', { name: 'Months' }).click();
    await page.getByText('of it from 1 sale').waitFor();
  });

  it('say what a rule would catch before it is saved, and keep the order of rules', async () => {
    const { page } = seen;
    await goTo(page, `/books/${paidIn}`);
    await page.getByRole('button', { name: /^Assign accounts \(\d+\)$/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/it catches 3 entries, 0\.60/).waitFor();
    const account = dialog.getByRole('textbox', { name: 'Account' });
    await account.fill('Expenses:weather');
    await dialog.getByText('It must be an account such as Expenses:Research').waitFor();
    await account.fill('Expenses:Weather');
    await dialog.getByRole('button', { name: 'Save the rule' }).click();
    await page
      .getByRole('table', { name: 'By account' })
      .getByRole('row', { name: /Expenses:Weather.*0\.60/ })
      .waitFor();

    await page.getByRole('tab', { name: 'Rules' }).click();
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await dialog.getByRole('button', { name: 'Save the rule' }).click();
    await dialog.getByText('Choose at least one condition.').waitFor();
    await dialog.getByLabel('Agent').first().click();
    await page.getByRole('option', { name: 'Research Scout' }).click();
    await dialog.getByText(/An earlier rule, rule 1, already takes 2 entries/).waitFor();
    await account.fill('Expenses:Research');
    await dialog.getByRole('button', { name: 'Save the rule' }).click();
    await dialog.waitFor({ state: 'detached' });
    const rules = page.getByRole('list', { name: 'Rules' }).getByRole('listitem');
    await rules.nth(1).getByText('Agent Research Scout').waitFor();
    // With the keyboard alone: the focus follows the rule.
    await page.getByRole('button', { name: 'Move rule 2 up' }).focus();
    await page.keyboard.press('Enter');
    await rules.nth(0).getByText('Expenses:Research').waitFor();
    await page.locator(':focus[aria-label="Move rule 1 down"]').waitFor();
    await page.getByRole('button', { name: 'Remove rule 2' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await rules.nth(1).waitFor({ state: 'detached' });
  });

  it('list model tokens beside the month, with a field for the invoice', async () => {
    const { page } = seen;
    const { store } = treasury.host.engine.context;
    await treasury.client.post('/v1/model-suppliers', { kind: 'openai', name: 'OpenAI' });
    const made = {
      id: 'mod_1',
      agentId: 'scout',
      at: Date.now(),
      amount: 300_000n,
      mark: 'estimated',
    } as const;
    store.atomically(() => settledRequest(store, made));
    await goTo(page, `/books/${paidIn}`);
    await page.getByText('0.30 estimated, 0.00 unknown, 0.00 of corrections. No invoice yet.').waitFor();
    await page.getByLabel('Invoice of openai for the whole month').fill('0.2');
    await page.getByRole('button', { name: 'Enter the invoice' }).click();
    await page.getByText('Invoiced: 0.20, 0.10 less than recorded.').waitFor();
  });

  it('keep the focus on their tabs, and tell fees with their unit', async () => {
    const { page } = seen;
    await goTo(page, `/books/${paidIn}`);
    await page.getByRole('tab', { name: 'Months' }).focus();
    for (const name of ['Files', 'Rules', 'Months']) {
      await page.keyboard.press('ArrowRight');
      await page.getByRole('tab', { name, selected: true }).waitFor();
      expect(await page.locator(':focus').innerText()).toBe(name);
    }
    const { now } = (await treasury.client.get(`/v1/books/months/${paidIn}/totals`)).body;
    await page.getByText(`${now.fees.entries} network fees and account rents`).waitFor();
    await page.route(/\/totals/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { now: { fees: object; words: object } };
      body.now.fees = { amount: '0.001234567', entries: 3 };
      body.now.words = { amount: '0.000002', entries: 2 };
      await route.fulfill({ response, json: body });
    });
    await page.reload();
    await page.getByText('2 messages from phones added').waitFor();
    for (const width of [320, 768, 1024]) {
      await page.setViewportSize({ width, height: 900 });
      const value = page.locator('.figure-value', { hasText: '0.001234' });
      const unit = value.getByText('SOL', { exact: true });
      const [whole, part] = [await value.boundingBox(), await unit.boundingBox()];
      if (whole === null || part === null) throw new Error('the fees are not shown');
      // On the line of the amount, and within the tile.
      expect(part.x + part.width, `at ${width}`).toBeLessThanOrEqual(whole.x + whole.width + 1);
      expect(part.y - whole.y, `at ${width}`).toBeLessThan(whole.height / 2);
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('open from an address of the month’s screen that was there before', async () => {
    const { page } = seen;
    await page.goto(`${treasury.host.url}/?month=${paidIn}#/activity/month`);
    await page.getByRole('heading', { name: month }).waitFor();
    expect(new URL(page.url()).hash).toBe(`#/books/${paidIn}`);
  });

  it('say why they cannot be read, and are read when that is over', async () => {
    const { page } = seen;
    const months = /\/v1\/books\/months/;
    const json = { code: 'halted', error: 'The records cannot be read.' };
    await page.route(months, (route) => route.fulfill({ status: 503, json }));
    await goTo(page, '/books');
    await page.getByText('The records cannot be read.').waitFor();
    await page.unroute(months);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Totals so far.').waitFor();
    // The browser itself reports the answer.
    expect(seen.complaints.splice(0).filter((one) => !one.includes('503'))).toEqual([]);
  });
});
