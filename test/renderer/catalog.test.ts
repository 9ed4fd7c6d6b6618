// The catalog as the owner uses it: services are found, added, allowed and removed, and the settings of models and their
// providers are changed, and those of language models.
import type { Locator } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError, fieldErrors } from '../../server/errors.ts';
import { until } from '../harness/treasury.ts';
import { useFakeOwner, type Answers } from './fake-owner.ts';

const fake = useFakeOwner();

const payee = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const button = (name: string | RegExp, within: Pick<Locator, 'getByRole'> = fake.page): Locator =>
  within.getByRole('button', { name });
const dialog = (): Locator => fake.page.getByRole('dialog');
const sees = (text: string | RegExp) => fake.page.getByText(text).first().waitFor();
const card = (name: string): Locator =>
  fake.page.getByRole('list', { name: 'Services' }).getByRole('listitem', { name, exact: true });
const choose = async (label: string, option: string, within: Pick<Locator, 'getByLabel'> = fake.page) => {
  await within.getByLabel(label).first().click();
  await fake.page.getByRole('option', { name: option, exact: true }).click();
};

const weather = { id: 'weather', name: 'Sandbox Weather', source: 'svc-native', price: '0.01' } as const;
const flux = {
  id: 'flux',
  name: 'FLUX.2 [max]',
  source: 'model-registry',
  pricing: { '1k': '0.07', '4k': '0.16' },
  price: null,
  payees: [payee],
  endpoint: 'POST /v1/agents/{agentId}/generate',
  origin: '',
} as const;
const agents = [
  { agentId: 'free', displayName: 'free' },
  { agentId: 'bound', displayName: 'bound' },
];
const catalog: Answers = {
  dashboard: { agents },
  listAgents: { agents },
  searchServices: ({ query }) => {
    const results =
      query?.source === 'model-registry' ? [flux] : query?.q === '' ? [weather, flux] : [weather];
    return query?.q === 'zzqqxxyy' ? { results: [], total: 0 } : { results, total: results.length };
  },
  getService: ({ params }) => ({ serviceId: params?.serviceId, name: 'Sandbox Weather', service: weather }),
};

describe('the services', () => {
  beforeEach(() => fake.show('/catalog', catalog));

  it('are requested when the typing stops, not for each letter', async () => {
    await card('FLUX.2 [max]').waitFor();
    await fake.page.getByLabel('Search services').pressSequentially('wether sandbux');
    await card('FLUX.2 [max]').waitFor({ state: 'detached' });
    await card('Sandbox Weather').waitFor();
    const asks = await until('the last search', () => {
      const made = fake.askedOf('searchServices') as { q?: string }[];
      return made.at(-1)?.q === 'wether sandbux' && made;
    });
    // On a busy machine the typing has pauses: still not one request for each letter.
    expect(asks.length).toBeLessThan('wether sandbux'.length);
    await fake.page.getByLabel('Search services').fill('zzqqxxyy');
    await sees('No results');
  });

  it('are narrowed by source, each with its price; its page tells endpoint and payee', async () => {
    await choose('Source', 'Model');
    await card('Sandbox Weather').waitFor({ state: 'detached' });
    for (const text of ['0.07', '0.16']) await card('FLUX.2 [max]').getByText(text).first().waitFor();
    await fake.answer({ getService: { serviceId: 'flux', name: 'FLUX.2 [max]', service: flux } });
    await card('FLUX.2 [max]').getByRole('link', { name: 'FLUX.2 [max]' }).click();
    await sees('POST /v1/agents/{agentId}/generate');
    await button('Copy payee of FLUX.2 [max]').click();
    await until('the copy', () => fake.commands.length > 0);
    expect(fake.commands).toEqual([['copy', expect.objectContaining({ text: payee })]]);
  });

  it('are only as many rows as are near, and read on while scrolling', async () => {
    const many = Array.from({ length: 220 }, (_, n) => ({ id: `many-${n}`, name: `Many ${n}` }));
    await fake.show('/catalog', {
      searchServices: ({ query: { limit = 20, skip = 0 } = {} }) => ({
        results: many.slice(Number(skip), Number(skip) + Number(limit)),
        total: many.length,
      }),
    });
    await card('Many 0').waitFor();
    expect(await card('Many 219').count()).toBe(0);
    await fake.page.mouse.move(600, 600);
    await until('the last', async () => {
      await fake.page.mouse.wheel(0, 4_000);
      return (await card('Many 219').count()) > 0;
    });
    expect(await fake.page.getByRole('list', { name: 'Services' }).getByRole('listitem').count()).toBe(220);
  });
});

const preview = {
  hash: 'a'.repeat(64),
  serviceId: 'stock-quotes',
  name: 'Stock quotes',
  price: '0.05',
  payees: [payee],
  endpoint: 'GET /v1/quote',
  origin: 'https://quotes.example',
};
const url = 'https://quotes.example/v1/quote?symbol=A';
const look = async (place = url, name = 'Stock quotes'): Promise<void> => {
  await button('Add a service').click();
  await dialog().getByLabel('URL').fill(place);
  if (name !== '') await dialog().getByLabel('Name').fill(name);
  await button('Check its price', dialog()).click();
};

describe('a service that the owner adds', () => {
  it('is shown with its price and payee, and added exactly as shown', async () => {
    await fake.show('/catalog', { ...catalog, previewService: preview });
    await look();
    const said = dialog().getByRole('status', { name: 'What the service says about itself' });
    for (const text of ['0.05', payee, 'GET /v1/quote']) await said.getByText(text).first().waitFor();
    const body = { url, name: 'Stock quotes' };
    expect(fake.asked()).toEqual([['previewService', body]]);
    const added = { id: 'stock-quotes', name: 'Stock quotes', addedByOwner: true };
    await fake.answer({ searchServices: { results: [added], total: 1 } });
    await button('Add to the catalog', dialog()).click();
    await card('Stock quotes').getByText('Added by you').waitFor();
    expect(fake.asked().at(-1)).toEqual(['addService', { ...body, hash: preview.hash }]);

    await fake.answer({ previewService: { ...preview, replaces: true } });
    await look();
    await sees('This replaces an entry');
    await button('Cancel', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(fake.askedOf('addService')).toHaveLength(1);
  });

  it('is removed after a confirmation', async () => {
    const service = { id: 'stock-quotes', name: 'Stock quotes', addedByOwner: true };
    await fake.show('/catalog/service/stock-quotes', {
      getService: { serviceId: 'stock-quotes', name: 'Stock quotes', service },
    });
    await button('Remove Stock quotes').click();
    await button('Cancel', dialog()).click();
    expect(fake.asked()).toEqual([]);
    await button('Remove Stock quotes').click();
    await fake.answer({ getService: { serviceId: 'stock-quotes', name: 'stock-quotes', service: null } });
    await button('Remove', dialog()).click();
    await sees('Stock quotes is no longer in the catalog');
    expect(fake.asked()).toEqual([['removeService', { serviceId: 'stock-quotes' }]]);
  });

  it('is previewed again when its form or its terms change', async () => {
    const changed = fieldErrors({ url: 'is that of an API. Its offer has changed since the preview' });
    await fake.show('/catalog', { previewService: preview, addService: changed });
    await look();
    await button('Add to the catalog', dialog()).waitFor();
    await dialog().getByLabel('Name').fill('Another name');
    await button('Check its price', dialog()).click();
    await button('Add to the catalog', dialog()).click();
    await dialog().getByText('Its offer has changed since the preview').waitFor();
    expect(await dialog().getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
    await button('Check its price', dialog()).waitFor();
    expect(fake.askedOf('previewService').at(-1)).toEqual({ url, name: 'Another name' });
  });

  it.each([
    ['ftp://example.com/', undefined, 'It must be an https URL.'],
    [url, 'It answered 200, and not 402', 'It answered 200'],
  ])('from %s is refused at its field', async (place, refusal, said) => {
    const previewService = refusal === undefined ? {} : fieldErrors({ url: refusal });
    await fake.show('/catalog', { previewService });
    await look(place, '');
    await dialog().getByText(said).waitFor();
    expect(await dialog().getByLabel('URL').getAttribute('aria-invalid')).toBe('true');
  });
});

const blockedAt = '2026-01-02T03:04:05.000Z';
const changed = { type: 'service', data: { serviceId: 'weather' } } as const;

const paid = (cursor: number, amount: string) =>
  ({
    id: `pay_${cursor}`,
    kind: 'payment',
    status: 'confirmed',
    state: 'final',
    amount,
    cursor,
  }) as const;

describe('the page of a service', () => {
  it('blocks it for all agents after a word on what that means, and unblocks it', async () => {
    await fake.show('/catalog/service/weather', catalog);
    await button('Block for all agents').click();
    await dialog().getByText('requests that wait for it are declined').waitFor();
    expect(fake.asked()).toEqual([]);
    const ruled = { serviceId: 'weather', name: 'Sandbox Weather', service: weather };
    await button('Block it', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    await fake.answer({ getService: { ...ruled, blockedAt } }, changed);
    await sees(/You blocked it on/);
    await button('Unblock').click();
    await until('the request', () => fake.asked().length === 2);
    await fake.answer({ getService: ruled }, changed);
    await button('Block for all agents').waitFor();
    expect(fake.asked()).toEqual([
      ['setServiceRule', { serviceId: 'weather', blocked: true }],
      ['setServiceRule', { serviceId: 'weather', blocked: false }],
    ]);
  });

  it('says at once what was decided elsewhere, such as in another tab', async () => {
    await fake.show('/catalog/service/weather', catalog);
    await fake.answer({ getService: { name: 'Sandbox Weather', service: weather, blockedAt } }, changed);
    await sees(/You blocked it on/);
    await fake.show('/catalog', { searchServices: { results: [{ ...weather, blocked: true }], total: 1 } });
    await card('Sandbox Weather').getByText('Blocked').waitFor();
    await fake.answer({ searchServices: { results: [weather], total: 1 } }, changed);
    await card('Sandbox Weather').getByText('Blocked').waitFor({ state: 'detached' });
  });

  it('shows who used it and what it cost over time, also where the catalog does not list it', async () => {
    const totals = [{ serviceId: 'weather', agentId: 'bound', amount: '0.07', payments: 3 }];
    const show = (newest: string): Promise<void> =>
      fake.show('/catalog/service/weather', {
        ...catalog,
        getService: { serviceId: 'weather', name: 'Sandbox Weather', service: { ...weather, price: '0.01' } },
        activity: { entries: [paid(3, newest), paid(2, '0.02'), paid(1, '0.02')] },
        totals: { payments: 39, agents: totals } as never,
      });
    await show('0.06');
    const prices = fake.page.getByRole('region', { name: 'Price history' });
    for (const text of ['Median 0.02 USDC', 'Listed price 0.01 USDC', '3 payments, from 0.02', '0.06 USDC'])
      await prices.getByText(text).first().waitFor();
    await sees('39 payments in 90 days · no delivery reported yet');
    expect(await prices.locator('circle').count()).toBe(3);
    // Amounts may follow from the use: only one far above the median is worth a warning.
    expect(await prices.getByText('unusually high').count()).toBe(0);
    await show('0.07');
    await prices.getByText('unusually high').waitFor();
    const unlisted = 'https://unlisted.example/a b';
    await fake.show(`/catalog/service/${encodeURIComponent(unlisted)}`, {
      getService: ({ params }) => ({ serviceId: params?.serviceId, name: params?.serviceId, service: null }),
    });
    await fake.page.getByRole('heading', { name: unlisted }).waitFor();
    await sees('No agent has paid it.');
    await sees('The catalog does not list it.');
  });

  it('that provides language models leads to their prices, and names no payee, payment or price of a call', async () => {
    const service = {
      id: 'llm:ollama',
      name: 'Ollama',
      description: 'Language models, by your own account.',
      pricing: {},
      price: null,
      payees: [],
    };
    await fake.show('/catalog/service/llm%3Aollama', {
      getService: { serviceId: 'llm:ollama', name: 'Ollama', service, mayTrust: false },
      totals: { payments: 0, agents: [] } as never,
    });
    await sees('Priced by the tokens of each request.');
    expect(await fake.page.getByText(/Payee|Used by|Price history|So far|Trust this seller/).count()).toBe(0);
    await fake.page.getByRole('link', { name: 'Models, prices and use' }).click();
    await fake.page.waitForURL(/\/catalog\/models$/);
  });
});

const listed = (...allowedServices: string[]): Answers => ({
  ...catalog,
  getPolicy: { policy: { allowedServices } },
});
const allowFor = async (agentId: string): Promise<void> => {
  await button('Allow for an agent: Sandbox Weather').click();
  await choose('Agent', agentId, dialog());
};

describe('allowing a service for an agent', () => {
  it('adds it to the agent’s list, and says how many are on it', async () => {
    await fake.show('/catalog', listed('web-search'));
    await allowFor('bound');
    await dialog().getByText('bound can pay 1 service now').waitFor();
    await button('Allow', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    const allowedServices = ['web-search', 'weather'];
    expect(fake.asked()).toEqual([['setPolicy', { agentId: 'bound', allowedServices }]]);
  });

  it.each([
    ['free', [], 'Already allowed: free can pay every service'],
    ['bound', ['weather'], 'Already allowed: Sandbox Weather is on the list'],
  ])('never restricts %s, which may pay it', async (agentId, list, said) => {
    await fake.show('/catalog', listed(...list));
    await allowFor(agentId);
    await dialog().getByText(said).waitFor();
    expect(await button(/Allow|Restrict/, dialog()).count()).toBe(0);
    await dialog().getByText('Close', { exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(fake.asked()).toEqual([]);
  });

  it('shows the present list when it changes meanwhile, also where the page did not hear of it', async () => {
    await fake.show('/catalog', listed('a', 'b'));
    await allowFor('bound');
    await dialog().getByText('bound can pay 2 services now').waitFor();
    await fake.answer(listed());
    await button('Allow', dialog()).click();
    await dialog().getByText('bound can pay every service').waitFor();
    expect(fake.asked()).toEqual([]);
    await fake.answer(listed('c'), { type: 'agent', data: { agentId: 'bound' } });
    await dialog().getByText('bound can pay 1 service now').waitFor();
  });
});

const model = {
  id: 'flux-2-pro',
  providerId: 'xai',
  displayName: 'FLUX.2 [pro]',
  provider: 'xAI',
  enabled: true,
  usable: true,
  pricing: { '1k': '0.03', '2k': '0.075' },
  shippedPricing: { '1k': '0.03', '2k': '0.075' },
} as const;
const models = (change: object = {}): Answers => ({
  listModelSettings: { models: [{ ...model, ...change }] },
  listImageProviders: { providers: [{ providerId: 'xai', name: 'xAI' }] },
});
const price = (resolution: string): Locator => fake.page.getByLabel(`Price of FLUX.2 [pro] at ${resolution}`);

const showPrices = async (): Promise<void> => {
  await fake.show('/catalog/images', models());
  await button('Edit FLUX.2 [pro]').click();
};

describe('the image models', () => {
  it('cost what the owner sets for each resolution, and can return to the original price', async () => {
    await showPrices();
    await price('2k').fill('0.1');
    const pricing = { '1k': '0.03', '2k': '0.10' };
    await fake.answer({ ...models({ pricing }), setModel: { ...model, pricing } });
    await button('Save', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    await sees('0.10');
    await button('Edit FLUX.2 [pro]').click();
    expect(await button(/^Back to/).count()).toBe(1);
    await fake.answer({ ...models(), setModel: model });
    await button('Back to 0.075').click();
    await button('Save', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(fake.asked()).toEqual([
      ['setModel', { modelId: 'flux-2-pro', pricing: { '2k': '0.1' } }],
      ['setModel', { modelId: 'flux-2-pro', pricing: { '2k': '0.075' } }],
    ]);
  });

  it('show which price is invalid', async () => {
    await showPrices();
    expect(await button('Save', dialog()).isDisabled()).toBe(true);
    await price('1k').fill('0,5');
    await button('Save', dialog()).click();
    await sees('Enter an amount such as 12.50.');
    expect(fake.asked()).toEqual([]);
    await button('Cancel', dialog()).click();
  });

  it('say the price of each resolution in one line, or the one of all', async () => {
    const row = rowIn('Image models', 'FLUX.2 [pro]');
    const words = async (): Promise<string> => (await row.innerText()).replaceAll(/\s+/g, ' ');
    await fake.show('/catalog/images', models());
    await row.waitFor();
    expect(await words()).toContain('1k 0.03 · 2k 0.075 USDC');
    await fake.show('/catalog/images', models({ pricing: { '1k': '0.02', '2k': '0.020' } }));
    await row.waitFor();
    expect(await words()).toContain('0.02 USDC');
    expect(await words()).not.toContain('2k');
  });

  it('are offered and withdrawn with a switch', async () => {
    await fake.show('/catalog/images', models());
    const offer = (checked: boolean) => fake.page.getByRole('switch', { name: 'On: FLUX.2 [pro]', checked });
    for (const enabled of [false, true]) {
      await fake.answer({ ...models({ enabled }), setModel: { ...model, enabled } });
      await offer(!enabled).click({ force: true });
      await offer(enabled).waitFor();
    }
    expect(fake.asked()).toEqual([
      ['setModel', { modelId: 'flux-2-pro', enabled: false }],
      ['setModel', { modelId: 'flux-2-pro', enabled: true }],
    ]);
  });

  it('do not look ready while their provider has no key', async () => {
    const row = rowIn('Image models', 'FLUX.2 [pro]');
    await fake.show('/catalog/images', models());
    await row.getByText('On, test pictures').waitFor();
    const listImageProviders = { providers: [{ providerId: 'xai', name: 'xAI', hasKey: true }] };
    await fake.show('/catalog/images', { ...models(), listImageProviders });
    await row.getByText('On', { exact: true }).waitFor();
  });

  it('name the provider’s key that they need when they cannot be used without it', async () => {
    await fake.show('/catalog/images', models({ usable: false }));
    await rowIn('Image models', 'FLUX.2 [pro]').getByText('On, needs a key').waitFor();
    await button('Needs your xAI key').click();
    await dialog().getByLabel('API key').waitFor();
  });
});

const secret = 'sk-test-of-the-owner-4711';
const provider = (change: object = {}): Answers => ({
  listImageProviders: { providers: [{ providerId: 'google', name: 'Google', atOnce: 2, ...change }] },
});

describe('a provider’s key', () => {
  it('is entered, never shown again, not sent to another address, and can be removed', async () => {
    const key = (): Locator => dialog().getByLabel('API key', { exact: true });
    const save = (): Promise<void> => button('Save', dialog()).click();
    const row = fake.page
      .getByRole('list', { name: 'Image model providers' })
      .getByRole('listitem', { name: 'Google' });
    await fake.show('/catalog/images', provider());
    await button('Enter a key: Google').click();
    expect(await key().getAttribute('type')).toBe('password');
    await key().fill(secret);
    await dialog().getByLabel('Pictures at once').fill('3');
    await fake.answer(provider({ hasKey: true, atOnce: 3 }));
    await save();
    await row.getByText('Key saved').waitFor();
    await row.getByText('Up to 3 pictures at a time').waitFor();

    await button('Edit Google').click();
    expect(await key().inputValue()).toBe('');
    expect(await fake.page.content()).not.toContain(secret);
    await fake.answer({ setImageProvider: fieldErrors({ apiKey: 'Enter it again with another baseUrl.' }) });
    await dialog().getByLabel('Base URL').fill('https://proxy.example.com/v1');
    await save();
    await dialog().locator('.mantine-PasswordInput-error', { hasText: 'Enter it again' }).waitFor();
    await fake.answer({ setImageProvider: new AppError('locked', 'The treasury is locked.') });
    await save();
    await dialog().getByText('The treasury is locked.').waitFor();
    await button('Cancel', dialog()).click();
    await button('Forget key of Google').click();
    await fake.answer({ ...provider(), setImageProvider: {} });
    await button('Forget it', dialog()).click();
    await button('Enter a key: Google').waitFor();
    expect(await row.getByText('Key saved').count()).toBe(0);
    const baseUrl = 'https://proxy.example.com/v1';
    expect(fake.asked()).toEqual([
      ['setImageProvider', { providerId: 'google', apiKey: secret, atOnce: 3 }],
      ['setImageProvider', { providerId: 'google', baseUrl }],
      ['setImageProvider', { providerId: 'google', baseUrl }],
      ['setImageProvider', { providerId: 'google', apiKey: null }],
    ]);
  });
});

const rowIn = (list: string, name: string) =>
  fake.page.getByRole('list', { name: list, exact: true }).getByRole('listitem', { name, exact: true });

const ollama: Reply<'setModelSupplier'> = {
  supplierId: 'ollama',
  serviceId: 'llm:ollama',
  kind: 'openai-compatible',
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  hasKey: false,
  allowPrivate: true,
  enabled: true,
  factor: '1.00',
  extraFields: [],
  addedAt: '2030-01-31T12:00:00.000Z',
  reportsUsage: null,
  lacksUseOf: [],
  lacksUseSince: null,
};
const claude = { ...ollama, supplierId: 'claude', kind: 'anthropic', name: 'Claude', hasKey: true } as const;
const languageModel = (modelId: string, change: Partial<Reply<'setLanguageModel'>> = {}) => ({
  supplierId: 'claude',
  modelId,
  inputPerMillion: '3.00',
  outputPerMillion: '15.00',
  priceSource: 'list' as const,
  maxOutput: null,
  enabled: true,
  ...change,
});
const supplied = (change: object = {}): Answers => ({
  listModelSuppliers: { suppliers: [claude, ollama] },
  listLanguageModels: {
    models: [
      ...Array.from({ length: 30 }, (_, n) => languageModel(`claude-${n}`)),
      languageModel('llama', {
        supplierId: 'ollama',
        inputPerMillion: null,
        outputPerMillion: null,
        priceSource: null,
        ...change,
      }),
    ],
  },
});

describe('providers of language models', () => {
  it('are added by kind, with a key that is never shown again', async () => {
    await fake.show('/catalog/models', { listModelSuppliers: { suppliers: [] } });
    await button('Add another provider').click();
    await dialog().getByLabel('Base URL').waitFor();
    await button('Cancel', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(
      await rowIn('Language model providers', 'Anthropic').getByText('Get a key').getAttribute('href'),
    ).toBe('https://platform.claude.com/settings/keys');
    await button('Enter a key: OpenAI').click();
    const key = dialog().getByLabel('API key', { exact: true });
    expect(await key.getAttribute('type')).toBe('password');
    await fake.answer({ addModelSupplier: fieldErrors({ apiKey: 'must be a key of 12 to 256 characters' }) });
    await key.fill('sk-of-the-owner-4711');
    await button('Add', dialog()).click();
    await dialog().getByText('It must be a key').waitFor();
    await fake.answer({ ...supplied(), addModelSupplier: { supplierId: 'claude', enabled: true } });
    await button('Add', dialog()).click();
    await rowIn('Language model providers', 'Claude').getByText('Key saved').waitFor();
    expect(await button('Enter a key: Anthropic').count()).toBe(0);
    expect(await fake.page.content()).not.toContain('sk-of-the-owner');
    const body = { kind: 'openai', name: 'OpenAI', apiKey: 'sk-of-the-owner-4711' };
    expect(fake.asked()).toEqual([
      ['addModelSupplier', body],
      ['addModelSupplier', body],
    ]);
  });

  it('may be used at once by the agents that the owner names, and whose lists stay', async () => {
    await fake.show('/catalog/models', {
      dashboard: { agents },
      ...supplied(),
      getPolicy: ({ params }) => ({
        policy: { allowedModels: params?.agentId === 'free' ? [] : ['gpt-*'] },
      }),
      addModelSupplier: { supplierId: 'openai', enabled: true },
    });
    await button('Enter a key: OpenAI').click();
    for (const { displayName } of agents) await dialog().getByLabel(displayName).check();
    await button('Add', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    expect(fake.asked()).toEqual([
      ['addModelSupplier', { kind: 'openai', name: 'OpenAI' }],
      ['setPolicy', { agentId: 'free', allowedModels: ['*'] }],
    ]);
  });

  it('stay off after an older copy until what each agent used since is entered', async () => {
    const lacking = {
      ...ollama,
      enabled: false,
      lacksUseOf: ['scout', 'painter'],
      lacksUseSince: ollama.addedAt,
    };
    await fake.show('/catalog/models', { ...supplied(), listModelSuppliers: { suppliers: [lacking] } });
    const row = rowIn('Language model providers', 'Ollama');
    const field = row.getByLabel('What scout used of Ollama');
    await row.getByLabel('What painter used of Ollama').fill('0');
    await field.fill('1.20');
    await fake.answer({ ...supplied(), setModelSupplier: { ...lacking, lacksUseOf: [] } });
    await button('Enter', row).click();
    await field.waitFor({ state: 'detached' });
    expect(fake.asked()).toEqual([
      ['setModelSupplier', { supplierId: 'ollama', usedSince: { painter: '0', scout: '1.20' } }],
    ]);
  });

  it('are changed, turned off, and removed after a confirmation', async () => {
    await fake.show('/catalog/models', supplied());
    await button(/^Edit Ollama$/).click();
    await dialog().getByLabel('Base URL').fill('http://10.0.0.2:11434/v1');
    await button('Save', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    await rowIn('Language model providers', 'Ollama').getByRole('switch').press('Space');
    await button('Remove Ollama').click();
    await dialog().getByText('From then on no agent can use its models').waitFor();
    await button('Remove', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    const supplierId = 'ollama';
    const saved = {
      name: 'Ollama',
      baseUrl: 'http://10.0.0.2:11434/v1',
      factor: '1.00',
      allowPrivate: true,
    };
    await expect.poll(fake.asked).toEqual([
      ['setModelSupplier', { supplierId, ...saved }],
      ['setModelSupplier', { supplierId, enabled: false }],
      ['removeModelSupplier', { supplierId }],
    ]);
  });
});

const made = (seq: number, more: object) => ({ requestId: `mod_${seq}`, cursor: seq, ...more });

describe('language models', () => {
  it('are listed with their prices, those without one first, and the rest by search', async () => {
    await fake.show('/catalog/models', supplied());
    const list = fake.page.getByRole('list', { name: 'Language models' }).getByRole('listitem');
    await rowIn('Language models', 'ollama/llama').getByText('Refused until you enter its price').waitFor();
    expect([await list.count(), await list.first().getAttribute('aria-label')]).toEqual([20, 'ollama/llama']);
    await fake.page.getByLabel('Search language models').fill('claude-29');
    await rowIn('Language models', 'claude/claude-29')
      .getByText('3.00 for input, 15.00 for output')
      .waitFor();
    expect(await list.count()).toBe(1);
  });

  it('cost what the owner enters', async () => {
    await fake.show('/catalog/models', supplied());
    await button('Edit ollama/llama').click();
    await dialog().getByLabel('Input, for a million tokens', { exact: true }).fill('0');
    await dialog().getByLabel('Output, for a million tokens').fill('0');
    await dialog().getByLabel('Maximum output tokens').fill('4096');
    await fake.answer(supplied({ inputPerMillion: '0.00', outputPerMillion: '0.00', priceSource: 'owner' }));
    await button('Save', dialog()).click();
    await rowIn('Language models', 'ollama/llama').getByText('Your price').waitFor();
    expect(fake.asked()).toEqual([
      [
        'setLanguageModel',
        {
          supplierId: 'ollama',
          modelId: 'llama',
          inputPerMillion: '0',
          outputPerMillion: '0',
          cachedInputPerMillion: null,
          cacheWritePerMillion: null,
          maxOutput: 4096,
          isDefault: false,
        },
      ],
    ]);
  });

  it('show each request with what it came to, page by page', async () => {
    const newest = Array.from({ length: 10 }, (_, n) => made(20 - n, { amount: '0.04', mark: 'estimated' }));
    const oldest = [made(2, { status: 'held', bound: '0.10' }), made(1, { status: 'denied', amount: null })];
    await fake.show('/catalog/models', {
      ...supplied(),
      allModelUsage: ({ query }) => ({ requests: query?.before === '11' ? oldest : newest }),
    });
    const rows = fake.page.getByRole('table', { name: 'Requests to language models' }).getByRole('row');
    await rows.getByText('0.04 USDC estimated').first().waitFor();
    await button('Show more').last().click();
    await rows.getByText('Under way, at most 0.10').waitFor();
    await rows.getByText('Refused').waitFor();
    expect(await rows.count()).toBe(13);
  });
});
