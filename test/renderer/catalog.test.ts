// The catalog as the owner uses it, in a real browser against the real host: services are found, added, allowed and
// removed, and the settings of models and their providers are changed.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { goTo, openDashboard, openServed, useBrowser, type Seen } from '../harness/browser.ts';
import { newWallet } from '../harness/sign-in.ts';
import { deploy, instantly, until, type Treasury } from '../harness/treasury.ts';

useBrowser();

const payee = newWallet().address;
let seller: Server;
let origin = '';
let answer: { status: number; body: object };
let treasury: Treasury;
let seen: Seen;
let page: Page;
/** The page's requests to the treasury, without the files of the page itself. */
let sent: { method: string; path: string; body: string }[];
beforeAll(async () => {
  seller = createServer((_request, response) =>
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body)),
  );
  seller.listen(0, '127.0.0.1');
  await once(seller, 'listening');
  origin = `http://127.0.0.1:${(seller.address() as AddressInfo).port}`;
  treasury = await openServed({ args: [...instantly, '--allow-origin', origin] });
  await deploy(treasury.client, 'free', { allocate: null });
  await deploy(treasury.client, 'bound', { allocate: null, policy: { allowedServices: ['web-search'] } });
});
afterAll(async () => {
  await treasury.close();
  seller.close();
});
beforeEach(async () => {
  answer = {
    status: 402,
    body: { amount: '0.05', currency: 'USDC', recipient: payee, service: 'stock-quotes' },
  };
  seen = await openDashboard(treasury, '/catalog');
  ({ page } = seen);
  sent = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/'))
      sent.push({ method: request.method(), path: pathname + search, body: request.postData() ?? '' });
  });
});
/** The browser itself reports the treasury's refusals. */
let refusals = 0;
afterEach(async () => {
  await seen.close();
  expect(seen.complaints.filter((one) => !/status of (400|409|501)/.test(one))).toEqual([]);
  expect(seen.complaints).toHaveLength(refusals);
  refusals = 0;
});

const button = (name: string | RegExp, within: Page | Locator = page): Locator =>
  within.getByRole('button', { name });
const dialog = (): Locator => page.getByRole('dialog');
const card = (name: string): Locator =>
  page.getByRole('list', { name: 'Services' }).getByRole('listitem', { name, exact: true });
const asked = (method: string, path: string) =>
  sent.filter((one) => one.method === method && one.path.startsWith(path));
const search = (text: string) => page.getByLabel('Search services').pressSequentially(text, { delay: 30 });

const url = (): string => `${origin}/v1/quote?symbol=A`;
const look = async (name = 'Stock quotes'): Promise<void> => {
  await button('Add a service').click();
  await dialog().getByLabel('URL').fill(url());
  if (name !== '') await dialog().getByLabel('Name').fill(name);
  await button('Check its price', dialog()).click();
};
const allowFor = async (service: string, agentId: string): Promise<void> => {
  await button(`Allow for an agent: ${service}`).click();
  await dialog().getByRole('combobox', { name: 'Agent' }).or(dialog().getByLabel('Agent')).first().click();
  await page.getByRole('option', { name: agentId, exact: true }).click();
};
const allowedTo = async (agentId: string): Promise<string[]> =>
  (await treasury.client.get(`/v1/agents/${agentId}/policy`)).body['policy'].allowedServices;

describe('the services', () => {
  it('are found while typing, despite typing errors, and requested when the typing stops', async () => {
    await card('Sandbox Weather').waitFor();
    await search('wether sandbux');
    await card('FLUX.2 [pro]').waitFor({ state: 'detached' });
    await card('Sandbox Weather').waitFor();
    const asks = await until('the last search', () => {
      const made = asked('GET', '/v1/services/search');
      return made.at(-1)?.path.includes('q=wether+sandbux') === true && made;
    });
    // On a busy machine the typing has pauses: still not one request for each letter.
    expect(asks.length).toBeLessThan('wether sandbux'.length);
    await page.getByLabel('Search services').fill('zzqqxxyy');
    await page.getByText('Nothing is like that').waitFor();
  });

  it('are narrowed by source, each with its price; its page tells endpoint and payee', async () => {
    await page.getByLabel('Source').first().click();
    await page.getByRole('option', { name: 'Image model' }).click();
    await card('Sandbox Weather').waitFor({ state: 'detached' });
    const flux = card('FLUX.2 [max]');
    for (const text of ['0.07', '0.16', 'never called from here'])
      await flux.getByText(text).first().waitFor();
    await flux.getByRole('link', { name: 'FLUX.2 [max]' }).click();
    await page.getByText('POST /v1/agents/{agentId}/generate').waitFor();
    await button('Copy payee of FLUX.2 [max]').click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(treasury.owner);
  });
});

describe('a service that the owner adds', () => {
  it('is shown with its price and payee, added exactly as shown, and removed after a confirmation', async () => {
    await look();
    const said = dialog().getByRole('status', { name: 'What the service says about itself' });
    for (const text of ['0.05', payee, 'GET /v1/quote', 'stock-quotes'])
      await said.getByText(text).first().waitFor();
    expect(asked('POST', '/v1/services?')).toEqual([]);
    await button('Add to the catalog', dialog()).click();
    await card('Stock quotes').waitFor();
    const [added] = asked('POST', '/v1/services?');
    expect(JSON.parse(added?.body ?? '')).toEqual({
      url: url(),
      name: 'Stock quotes',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await card('Stock quotes').getByText('Added by you').waitFor();

    await look();
    await page.getByText('This replaces an entry').waitFor();
    await button('Cancel', dialog()).click();

    await dialog().waitFor({ state: 'detached' });
    await card('Stock quotes').getByRole('link').click();
    await button('Remove Stock quotes').click();
    await button('Cancel', dialog()).click();
    expect(asked('DELETE', '/v1/services')).toEqual([]);
    await button('Remove Stock quotes').click();
    await button('Remove', dialog()).click();
    await page.getByText('Stock quotes is no longer in the catalog').waitFor();
    await page.getByText('The catalog does not list it.').waitFor();
    const { body } = await treasury.client.get('/v1/services/search?q=stock-quotes');
    expect(body['results']).toEqual([]);
  });

  it('is previewed again when its form or its terms change', async () => {
    await look();
    await button('Add to the catalog', dialog()).waitFor();
    await dialog().getByLabel('Name').fill('Another name');
    await button('Check its price', dialog()).click();
    await dialog().getByText('Another name').waitFor();
    answer.body = { ...answer.body, recipient: newWallet().address };
    await button('Add to the catalog', dialog()).click();
    await dialog().getByText('Its offer has changed since the preview').waitFor();
    expect(await dialog().getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await button('Check its price', dialog()).waitFor();
    refusals = 1;
  });

  it.each([
    ['ftp://example.com/', 'It must be an https URL.'],
    ['https://10.0.0.1/', '10.0.0.1 is not a public internet address.'],
  ])('from %s is refused at its field', async (place, said) => {
    await button('Add a service').click();
    await dialog().getByLabel('URL').fill(place);
    await button('Check its price', dialog()).click();
    await dialog().getByText(said).waitFor();
    expect(await dialog().getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    refusals = 1;
  });

  it('that does not ask to be paid is refused at its field', async () => {
    answer = { status: 200, body: {} };
    await look('');
    await dialog().getByText('It answered 200').waitFor();
    refusals = 1;
  });
});

const ruleOf = async () => (await treasury.client.get('/v1/services/sandbox-weather')).body;
const decide = (blocked: boolean) => treasury.client.post('/v1/services/sandbox-weather/rules', { blocked });

describe('the page of a service', () => {
  it('blocks it for all agents after a word on what that means, and unblocks it', async () => {
    await goTo(page, '/catalog/service/sandbox-weather');
    await button('Block for all agents').click();
    await dialog().getByText('requests that wait for it are declined').waitFor();
    expect((await ruleOf())['blockedAt']).toBeNull();
    await button('Block it', dialog()).click();
    await page.getByText(/You blocked it on/).waitFor();
    expect((await ruleOf())['blockedAt']).not.toBeNull();
    await goTo(page, '/catalog');
    await card('Sandbox Weather').getByText('Blocked').waitFor();
    await goTo(page, '/catalog/service/sandbox-weather');
    await button('Unblock').click();
    await button('Block for all agents').waitFor();
    expect((await ruleOf())['blockedAt']).toBeNull();
  });

  it('says at once what was decided elsewhere, such as in another tab', async () => {
    await goTo(page, '/catalog');
    await card('Sandbox Weather').waitFor();
    await goTo(page, '/catalog/service/sandbox-weather');
    await button('Block for all agents').waitFor();
    await decide(true);
    await page.getByText(/You blocked it on/).waitFor();
    await goTo(page, '/catalog');
    await card('Sandbox Weather').getByText('Blocked').waitFor();
    await decide(false);
    await card('Sandbox Weather').getByText('Blocked').waitFor({ state: 'detached' });
  });

  it('shows who used it and what it cost over time, also where the catalog does not list it', async () => {
    const { store } = treasury.host.engine.context;
    const buyer = await deploy(treasury.client, 'buyer');
    await buyer.pay('0.02');
    await buyer.pay('0.02');
    await buyer.pay('0.03');
    await until('the end of all', () => store.transfers.open().length === 0);
    await goTo(page, '/catalog/service/sandbox-weather');
    await page.getByText('in 3 payments').waitFor();
    const prices = page.getByRole('list', { name: 'Prices, newest first' }).getByRole('listitem');
    expect(await prices.allInnerTexts()).toEqual([
      expect.stringMatching(/^0\.03 USDC[^]*1 payment$/),
      expect.stringMatching(/^0\.02 USDC[^]*2 payments$/),
    ]);
    await goTo(page, `/catalog/service/${encodeURIComponent('https://unlisted.example/a b')}`);
    await page.getByRole('heading', { name: 'https://unlisted.example/a b' }).waitFor();
    await page.getByText('No agent has paid it.').waitFor();
  });

  it('lists only as many rows as are near, and reads on while scrolling', async () => {
    const { store } = treasury.host.engine.context;
    const known = store.services.get('sandbox-weather');
    if (known === undefined) throw new Error('the sandbox sells the weather');
    store.atomically(() => {
      for (let n = 100; n < 220; n += 1)
        store.services.upsert({ ...known, id: `many-${n}`, name: `Many ${n}`, source: 'x402-marketplace' });
    });
    await goTo(page, '/activity');
    await goTo(page, '/catalog');
    await page.getByLabel('Order').first().click();
    await page.getByRole('option', { name: 'Name' }).click();
    await card('Many 100').waitFor();
    await card('Many 219').waitFor({ state: 'detached' });
    while ((await card('Many 219').count()) === 0) {
      await page.mouse.wheel(0, 4_000);
      await page.waitForTimeout(50);
    }
    expect(await page.getByRole('list', { name: 'Services' }).getByRole('listitem').count()).toBeGreaterThan(
      120,
    );
    store.atomically(() => {
      for (let n = 100; n < 220; n += 1) store.services.remove(`many-${n}`);
    });
  });
});

describe('allowing a service for an agent', () => {
  it('adds it to the agent’s list, and says how many are on it', async () => {
    await allowFor('Sandbox Weather', 'bound');
    await dialog().getByText('bound can pay 1 service now').waitFor();
    await button('Allow', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(await allowedTo('bound')).toEqual(['web-search', 'sandbox-weather']);
    await allowFor('Sandbox Weather', 'bound');
    await dialog().getByText('Already allowed: Sandbox Weather is on the list').waitFor();
    expect(await button(/Allow|Restrict/, dialog()).count()).toBe(0);
  });

  it('never restricts an agent that may pay every service', async () => {
    await allowFor('Sandbox Weather', 'free');
    await dialog().getByText('Already allowed: free can pay every service').waitFor();
    expect(await button(/Allow|Restrict/, dialog()).count()).toBe(0);
    await dialog().getByText('Close', { exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(asked('POST', '/v1/agents/free/policy')).toEqual([]);
    expect(await allowedTo('free')).toEqual([]);
  });

  it('shows the present list when it changes meanwhile', async () => {
    await treasury.client.post('/v1/agents/bound/policy', { allowedServices: ['a', 'b'] });
    await allowFor('Sandbox Weather', 'bound');
    await dialog().getByText('bound can pay 2 services now').waitFor();
    await treasury.client.post('/v1/agents/bound/policy', { allowedServices: [] });
    await dialog().getByText('bound can pay every service').waitFor();
    expect(await allowedTo('bound')).toEqual([]);
  });
});

const price = (model: string, resolution: string): Locator =>
  page.getByLabel(`Price of ${model} at ${resolution}`);
const offered = async (id: string) =>
  (await treasury.client.get('/v1/models')).body['models'].find((one: { id: string }) => one.id === id);

describe('the models', () => {
  beforeEach(() => goTo(page, '/catalog/models'));

  it('cost what the owner sets for each resolution, and can return to the shipped price', async () => {
    await price('FLUX.2 [pro]', '2k').fill('0.1');
    await button('Save').click();
    await button('Reset to 0.075: FLUX.2 [pro] at 2k').waitFor();
    expect(asked('POST', '/v1/models/').map(({ body }) => JSON.parse(body))).toEqual([
      { pricing: { '2k': '0.1' } },
    ]);
    expect((await offered('flux-2-pro')).pricing).toEqual({ '1k': '0.03', '2k': '0.10' });
    expect(await button(/^Reset/).count()).toBe(1);
    await button('Reset to 0.075: FLUX.2 [pro] at 2k').click();
    await button(/^Reset/).waitFor({ state: 'detached' });
    expect((await offered('flux-2-pro')).pricing).toEqual({ '1k': '0.03', '2k': '0.075' });
  });

  it('show which price is invalid', async () => {
    await price('FLUX.2 [pro]', '1k').fill('0,5');
    await button('Save').click();
    await page.getByText('Write an amount such as 12.50.').waitFor();
    expect(asked('POST', '/v1/models/')).toEqual([]);
    await button('Discard').click();
    expect(await price('FLUX.2 [pro]', '1k').inputValue()).toBe('0.03');
  });

  it('are offered and withdrawn with a switch, also as services', async () => {
    const offer = page.getByRole('switch', { name: 'Available to agents: FLUX.2 [max]' });
    await offer.click({ force: true });
    await until('it to be withdrawn', async () => (await offered('flux-2-max')) === undefined);
    await page.getByRole('switch', { name: 'Available to agents: FLUX.2 [max]', checked: false }).waitFor();
    await page.getByRole('tab', { name: 'Services' }).click();
    await card('FLUX.2 [pro]').waitFor();
    await card('FLUX.2 [max]').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Models' }).click();
    await offer.click({ force: true });
    await until('it to be offered', async () => (await offered('flux-2-max')) !== undefined);
  });

  it('name the provider’s key that they need when they cannot be used without it', async () => {
    // The sandbox draws in place of every provider: the answer of a real network is put in here.
    await page.route('**/v1/models/settings?**', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { models: { id: string }[] };
      const models = body.models.map((model) => ({ ...model, usable: model.id !== 'grok-imagine-image' }));
      await route.fulfill({ response, json: { models } });
    });
    await page.reload();
    await button('Needs your xAI key').click();
    await dialog().getByLabel('API key').waitFor();
  });
});

const secret = 'sk-test-of-the-owner-4711';
const key = (): Locator => dialog().getByLabel('API key', { exact: true });
const save = (): Promise<void> => button('Save', dialog()).click();
const row = (): Locator =>
  page.getByRole('list', { name: 'Providers' }).getByRole('listitem', { name: 'Google' });

describe('a provider’s key', () => {
  it('is entered, never shown again, not sent to another address, and can be removed', async () => {
    await goTo(page, '/catalog/models');
    await button('Enter a key of Google').click();
    expect(await key().getAttribute('type')).toBe('password');
    await key().fill(secret);
    await dialog().getByLabel('Pictures at once').fill('3');
    await save();
    await row().getByText('Key kept').waitFor();
    await row().getByText('3 pictures at once').waitFor();
    expect(asked('POST', '/v1/image-providers/google').map(({ body }) => JSON.parse(body))).toEqual([
      { apiKey: secret, atOnce: 3 },
    ]);

    await button('Change Google').click();
    expect(await key().inputValue()).toBe('');
    await dialog().getByLabel('Base URL').fill('https://proxy.example.com/v1');
    await save();
    await dialog()
      .locator('.mantine-PasswordInput-error', { hasText: 'Enter it again with another baseUrl.' })
      .waitFor();
    await dialog().getByLabel('Pictures at once').fill('many');
    await key().fill(secret);
    await save();
    await dialog().getByText('It must be a number.').waitFor();
    await dialog().getByLabel('Pictures at once').fill('1');
    await save();
    await row().getByText('https://proxy.example.com/v1').waitFor();

    await page.reload();
    await row().getByText('Key kept').waitFor();
    await button('Change Google').click();
    expect(await key().inputValue()).toBe('');
    expect(await page.content()).not.toContain(secret);
    await button('Cancel', dialog()).click();
    await button('Forget key of Google').click();
    await button('Forget it', dialog()).click();
    await row().getByText('No key').waitFor();
    const { body } = await treasury.client.get('/v1/image-providers');
    expect(body['providers']).toContainEqual(
      expect.objectContaining({ providerId: 'google', hasKey: false, atOnce: 1 }),
    );
    expect(seen.complaints.join()).not.toContain(secret);
    refusals = 2;
  });
});
