// Signing in at the link page, in a real browser: with a wallet that signs, a code that comes by e-mail, an identity
// provider, and the passphrase.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDashboard, openPage, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { newWallet, type TestWallet } from '../harness/chain/sign-in.ts';
import { until, type Treasury } from '../harness/treasury.ts';
import {
  addIdentity,
  addWallet,
  askToLink,
  keptBy,
  openProvider,
  type Terminal,
  type TestProvider,
} from './link-support.ts';
import { addressIn, codeIn, openMailServer, type TestMailServer } from '../signin/mail-server.ts';

useBrowser();

const mailPassword = 'secret of the mail server';
let ahead = 0;
let treasury: Treasury;
let terminal: Terminal;
let seen: Seen;
let wallet: TestWallet;
let mailbox: TestMailServer;
let provider: TestProvider;
beforeAll(async () => {
  treasury = await openServed({
    clock: { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead },
  });
  wallet = newWallet();
  mailbox = await openMailServer({ password: mailPassword, disabledCommands: ['STARTTLS'] });
  provider = await openProvider(`${treasury.host.url}/link`);
  await addIdentity(treasury, 'wallet', wallet.address, 'My hardware wallet');
});
afterAll(async () => {
  await treasury.close();
  await mailbox.close();
  await provider.close();
});
beforeEach(async () => {
  // Ten link sessions a minute are allowed.
  ahead += 60_000;
  terminal = await askToLink(treasury);
  seen = await openPage(treasury.host.url);
});
afterEach(async () => {
  const { complaints } = seen;
  await seen.close();
  expect(complaints).toEqual([]);
});

/** Opens the page of the link, and one of the ways to sign in. */
const begin = async (way: string): Promise<Page> => {
  const { page } = seen;
  await page.goto(terminal.linkUrl);
  await page.getByRole('button', { name: way }).click();
  return page;
};

const forgive = (status: string): void => {
  seen.complaints.splice(0, Infinity, ...seen.complaints.filter((one) => !one.includes(status)));
};

/** Completes the link as a signed-in person, under a fresh agent id. */
const complete = async (page: Page, agentId: string): Promise<void> => {
  expect(await keptBy(page)).toBe('{"cookie":""}');
  await page.getByRole('textbox', { name: 'Agent' }).fill(agentId);
  await page.getByRole('button', { name: 'Link this machine' }).click();
  await page.getByText('Go back to your terminal').waitFor();
  ahead += 2_000;
  expect((await terminal.poll()).body).toMatchObject({ status: 'complete', agentId });
  expect(await keptBy(page)).toBe('{"cookie":""}');
};

const status = async (): Promise<unknown> => {
  ahead += 2_000;
  return (await terminal.poll()).body['status'];
};

const typeCode = async (page: Page, code: string): Promise<void> => {
  await page.getByLabel('The six-digit code in the e-mail').click();
  await page.keyboard.type(code);
};

/** Goes to the provider's own pages, signs in and consents there; complaints of those pages are not ours. */
const agreeAs = async (page: Page, login: string): Promise<void> => {
  await page.route('https://fonts.googleapis.com/**', (route) => route.fulfill({ contentType: 'text/css' }));
  const before = seen.complaints.length;
  await page.getByRole('button', { name: 'Continue with Example accounts' }).click();
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(`${treasury.host.url}/link**`);
  seen.complaints.length = before;
};

describe('a wallet', () => {
  it.each(['solana:signIn', 'solana:signMessage'] as const)(
    'that supports %s signs in, and the machine is linked',
    async (knows) => {
      await addWallet(seen.page, wallet, { name: 'Test wallet', knows });
      const page = await begin('With a wallet');
      await page.getByRole('button', { name: 'Test wallet' }).click();
      await page.getByText('You are signed in as My hardware wallet').waitFor();
      await complete(page, `by-${knows.slice(7).toLowerCase()}`);
    },
  );

  it('whose holder refuses signs nothing, and can be tried again', async () => {
    await addWallet(seen.page, wallet, { name: 'Test wallet', knows: 'solana:signIn', refuses: true });
    const page = await begin('With a wallet');
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('You refused it in Test wallet. Nothing was signed.').waitFor();
    expect(await page.getByRole('button', { name: 'Test wallet' }).isEnabled()).toBe(true);
    expect(await status()).toBe('pending');
  });

  it('of another person links nothing', async () => {
    await addWallet(seen.page, newWallet(), { name: 'Test wallet', knows: 'solana:signIn' });
    const page = await begin('With a wallet');
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('is not among those that the owner added').waitFor();
    await page.getByText('You are not signed in.').waitFor();
    expect(await status()).toBe('pending');
    forgive('403');
  });

  it('is reported missing until it is installed', async () => {
    await addWallet(seen.page, wallet, { name: 'Late wallet', knows: 'solana:signIn', isLate: true });
    const page = await begin('With a wallet');
    await page.getByText('This browser has no wallet for Solana').waitFor();
    await page.evaluate('addWallet()');
    await page.getByRole('button', { name: 'Late wallet' }).waitFor();
    await page.getByText('This browser has no wallet for Solana').waitFor({ state: 'detached' });
  });
});

describe('e-mail', () => {
  const owner = 'maker@example.com';
  beforeAll(async () => {
    const { page, close, complaints } = await openDashboard(treasury, '/settings/people');
    const form = page.getByRole('region', { name: 'Mail server' });
    await form.getByLabel('Host').fill('192.0.2.1');
    await form.getByLabel('Port').fill(String(mailbox.port));
    await form.getByRole('combobox', { name: 'Encryption' }).click();
    await page.getByRole('option', { name: 'None' }).click();
    await form.getByLabel('Sender').fill('treasury@example.com');
    await form.getByLabel('User').fill('maker');
    await form.getByRole('textbox', { name: 'Password' }).fill(mailPassword);
    await form.getByRole('button', { name: 'Save mail server' }).click();
    // Each error is shown at its field.
    await form.getByText('since the server is not on this computer').waitFor();
    await form.getByLabel('Host').fill('127.0.0.1');
    await form.getByRole('button', { name: 'Save mail server' }).click();
    await form.getByLabel('Test message to').fill('test@example.com');
    await form.getByRole('button', { name: 'Send a test message' }).click();
    await page.getByText('The mail server accepted a message').waitFor();
    expect((await mailbox.mailTo('test@example.com')).subject).toContain('test');
    expect(mailbox.logins.map(({ password }) => password)).toEqual([mailPassword]);
    // The password cannot be read, neither now nor after a reload.
    await form.getByPlaceholder('Stored; type to replace it').waitFor();
    expect(await form.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('');
    await page.reload();
    await form.getByPlaceholder('Stored; type to replace it').waitFor();
    expect(await form.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('');
    expect(await page.content()).not.toContain(mailPassword);
    // Without a new password the old one stays.
    await form.getByLabel('Sender').fill('agent-treasury@example.com');
    await form.getByRole('button', { name: 'Save mail server' }).click();
    await until('it to be kept', async () => {
      const { body } = await treasury.client.get('/v1/sign-in/settings');
      return body['mailServer'].from === 'agent-treasury@example.com' && body['mailServer'].hasPassword;
    });

    const panel = page.getByRole('region', { name: 'Let other people link' });
    await panel.getByText('E-mail', { exact: true }).click();
    await panel.getByLabel('E-mail address').fill('nobody');
    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByText('It must be an e-mail address.').waitFor();
    await panel.getByLabel('E-mail address').fill(owner);
    await panel.getByLabel('Label').fill('My mail');
    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByRole('listitem').filter({ hasText: 'My mail' }).waitFor();
    await close();
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
  });

  it('brings a code that signs in, and a wrong one does not', async () => {
    const page = await begin('By e-mail');
    await page.getByLabel('Your e-mail address').fill(owner);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('If this address is one of the owner’s, a code is on its way.').waitFor();
    expect(await page.getByRole('button', { name: /Send it again in \d+ s/ }).isDisabled()).toBe(true);
    const code = codeIn(await mailbox.mailTo(owner));
    await typeCode(page, code === '111111' ? '222222' : '111111');
    await page.getByText('This is not the code of the newest e-mail').waitFor();
    await typeCode(page, code);
    await page.getByText('You are signed in as My mail').waitFor();
    await complete(page, 'by-code');
    forgive('401');
  });

  it('accepts a pasted code, even after a wrong one', async () => {
    const page = await begin('By e-mail');
    await page.getByLabel('Your e-mail address').fill(owner);
    const before = mailbox.received.length;
    await page.getByRole('button', { name: 'Send code' }).click();
    await until('the mail', () => mailbox.received.length > before);
    const code = codeIn(await mailbox.mailTo(owner));
    const paste = async (text: string): Promise<void> => {
      await page.evaluate(`navigator.clipboard.writeText('${text}')`);
      await page.getByLabel('The six-digit code in the e-mail').click();
      await page.keyboard.press('Control+V');
    };
    await paste(code === '111111' ? '222222' : '111111');
    await page.getByText('This is not the code of the newest e-mail').waitFor();
    await paste(code);
    await page.getByText('You are signed in as My mail').waitFor();
    forgive('401');
  });

  it('brings a link that signs in at once, and leaves nothing of it in the address bar', async () => {
    const page = await begin('By e-mail');
    const before = mailbox.received.length;
    await page.getByLabel('Your e-mail address').fill(owner);
    await page.getByRole('button', { name: 'Send code' }).click();
    await until('the mail', () => mailbox.received.length > before);
    const link = addressIn(await mailbox.mailTo(owner)).href;
    // A hidden tab does not poll; here every tab counts as visible.
    await page.goto('about:blank');
    const other = await openPage(treasury.host.url);
    await other.page.goto(link);
    await other.page.getByText('You are signed in as My mail').waitFor();
    expect(other.page.url()).toBe(terminal.linkUrl);
    await other.page.getByText(terminal.code, { exact: true }).waitFor();
    await complete(other.page, 'by-mailed-link');
    await other.close();
    expect(other.complaints.filter((one) => !one.includes('429'))).toEqual([]);
    await page.goto(terminal.linkUrl);
    await page.getByText('Go back to your terminal').waitFor();
    // It works once.
    terminal = await askToLink(treasury);
    await page.goto(`${terminal.linkUrl}${new URL(link).hash}`);
    await page.getByText('This code no longer works').waitFor();
    forgive('401');
    forgive('429');
  });

  it('does not reveal whose address is known', async () => {
    const page = await begin('By e-mail');
    const before = mailbox.received.length;
    await page.getByLabel('Your e-mail address').fill('stranger@example.com');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('If this address is one of the owner’s, a code is on its way.').waitFor();
    expect(mailbox.received.length).toBe(before);
  });
});

describe('an identity provider', () => {
  const account = 'maker@provider.example';
  beforeAll(async () => {
    const { page, close, complaints } = await openDashboard(treasury, '/settings/people');
    const form = page.getByRole('region', { name: 'Identity provider' });
    await form.getByText(`${treasury.host.url}/link`, { exact: true }).waitFor();
    await form.getByLabel('Name').fill('Example accounts');
    await form.getByLabel('Issuer').fill('not a URL');
    await form.getByLabel('Client ID').fill(provider.clientId);
    await form.getByRole('textbox', { name: 'Client secret' }).fill(provider.clientSecret);
    await form.getByRole('button', { name: 'Save provider' }).click();
    await form.getByText('It must be a URL.').waitFor();
    await form.getByLabel('Issuer').fill(provider.issuer);
    await form.getByRole('button', { name: 'Save provider' }).click();
    await form.getByPlaceholder('Stored; type to replace it').waitFor();
    expect(await page.content()).not.toContain(provider.clientSecret);
    const panel = page.getByRole('region', { name: 'Let other people link' });
    await panel.getByText('Account', { exact: true }).click();
    await panel.getByLabel('E-mail address, or “sub”').fill(account);
    await panel.getByLabel('Label').fill('My account');
    await panel.getByRole('button', { name: 'Add', exact: true }).click();
    await panel.getByRole('listitem').filter({ hasText: 'My account' }).waitFor();
    await close();
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
  });

  it('identifies a person, and the machine is linked', async () => {
    const page = await begin('With Example accounts');
    await agreeAs(page, account);
    await page.getByText('You are signed in as My account').waitFor();
    expect(page.url()).toBe(terminal.linkUrl);
    await complete(page, 'by-provider');
    forgive('429');
  });

  it('identifies another person, who links nothing', async () => {
    const page = await begin('With Example accounts');
    await agreeAs(page, 'stranger@provider.example');
    await page.getByText('is not among those that the owner added').waitFor();
    expect(await status()).toBe('pending');
    expect(page.url()).toBe(terminal.linkUrl);
    forgive('403');
    forgive('429');
  });

  it('is not believed without a request from this tab', async () => {
    const page = await begin('With Example accounts');
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/provider/proof')) sent.push(request.url());
    });
    await page.route(`${provider.issuer}/**`, (route) => route.fulfill({ body: 'the provider' }));
    await page.getByRole('button', { name: 'Continue with Example accounts' }).click();
    await page.getByText('the provider').waitFor();
    await page.goto(`${treasury.host.url}/link?code=a-code-of-mallory&state=her-own-state`);
    await page.getByText('was not started in this tab').waitFor();
    await page.getByText(terminal.code, { exact: true }).waitFor();
    expect(page.url()).toBe(terminal.linkUrl);
    // A tab that asked for nothing does not even have a link.
    await page.goto(`${treasury.host.url}/link?code=a-code-of-mallory&state=her-own-state`);
    await page.getByText('This link is no longer valid').waitFor();
    expect(sent).toEqual([]);
    forgive(provider.issuer);
    forgive('429');
  });

  it('no longer signs in a person whom the owner removed', async () => {
    const owner = await openDashboard(treasury, '/settings/people');
    const row = owner.page.getByRole('listitem').filter({ hasText: 'My account' });
    await row.getByRole('button', { name: 'Remove My account' }).click();
    const dialog = owner.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await row.count()).toBe(1);
    await row.getByRole('button', { name: 'Remove My account' }).click();
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await row.waitFor({ state: 'detached' });
    await owner.close();
    const { page } = seen;
    await page.goto(terminal.linkUrl);
    await page.getByRole('button', { name: 'By e-mail' }).waitFor();
    expect(await page.getByRole('button', { name: 'With Example accounts' }).count()).toBe(0);
    expect(owner.complaints).toEqual([]);
  });
});
