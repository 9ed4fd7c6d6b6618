// The suppliers of language models and their prices, as the owner sees and changes them.
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../server/contract/schemas.ts';
import { fieldError } from '../../server/errors.ts';
import { useFakeOwner, type Answers } from './fake-owner.ts';

const fake = useFakeOwner();
const button = (name: string | RegExp, within = fake.page.locator('body')) =>
  within.getByRole('button', { name, exact: true });
const dialog = () => fake.page.getByRole('dialog');
const row = (list: string, name: string) =>
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
};
const claude = { ...ollama, supplierId: 'claude', kind: 'anthropic', name: 'Claude', hasKey: true } as const;
const model = (modelId: string, change: Partial<Reply<'setLanguageModel'>> = {}) => ({
  supplierId: 'claude',
  modelId,
  inputPerMillion: '3.00',
  outputPerMillion: '15.00',
  priceSource: 'list' as const,
  maxOutput: null,
  enabled: true,
  ...change,
});
const shown = (change: object = {}): Answers => ({
  listModelSuppliers: { suppliers: [claude, ollama] },
  listLanguageModels: {
    models: [
      ...Array.from({ length: 30 }, (_, n) => model(`claude-${n}`)),
      model('llama', {
        supplierId: 'ollama',
        inputPerMillion: null,
        outputPerMillion: null,
        priceSource: null,
        ...change,
      }),
    ],
  },
});

describe('suppliers of language models', () => {
  it('are added by kind, with a key that is never shown again', async () => {
    await fake.show('/catalog/models', { listModelSuppliers: { suppliers: [] } });
    await fake.page.getByText('No supplier yet.').waitFor();
    await button('Add a supplier').click();
    const key = dialog().getByLabel('API key', { exact: true });
    expect(await key.getAttribute('type')).toBe('password');
    await fake.answer({ addModelSupplier: fieldError('apiKey', 'must be a key of 12 to 256 characters') });
    await key.fill('sk-of-the-owner-4711');
    await button('Add', dialog()).click();
    await dialog().getByText('It must be a key').waitFor();
    await fake.answer({ ...shown(), addModelSupplier: { supplierId: 'claude' } });
    await button('Add', dialog()).click();
    await row('Suppliers', 'Claude').getByText('Key saved').waitFor();
    expect(await fake.page.content()).not.toContain('sk-of-the-owner');
    const body = { kind: 'openai', name: 'OpenAI', apiKey: 'sk-of-the-owner-4711' };
    expect(fake.asked()).toEqual([
      ['addModelSupplier', body],
      ['addModelSupplier', body],
    ]);
  });

  it('are changed, turned off, and removed after a confirmation', async () => {
    await fake.show('/catalog/models', shown());
    await button('Change Ollama').click();
    await dialog().getByLabel('Base URL').fill('http://10.0.0.2:11434/v1');
    await button('Save', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    await fake.page.getByRole('switch', { name: 'On: Ollama', exact: true }).click({ force: true });
    await button('Remove Ollama').click();
    await dialog().getByText('No agent can use its models any more').waitFor();
    await button('Remove', dialog()).click();
    await dialog().waitFor({ state: 'detached' });
    const supplierId = 'ollama';
    const changed = {
      name: 'Ollama',
      baseUrl: 'http://10.0.0.2:11434/v1',
      factor: '1.00',
      allowPrivate: true,
    };
    await expect.poll(fake.asked).toEqual([
      ['setModelSupplier', { supplierId, ...changed }],
      ['setModelSupplier', { supplierId, enabled: false }],
      ['removeModelSupplier', { supplierId }],
    ]);
  });
});

describe('language models', () => {
  it('are listed with their prices, those without one first, and the rest by search', async () => {
    await fake.show('/catalog/models', shown());
    const list = fake.page.getByRole('list', { name: 'Language models' }).getByRole('listitem');
    await row('Language models', 'ollama/llama').getByText('Refused until you enter its price').waitFor();
    expect([await list.count(), await list.first().getAttribute('aria-label')]).toEqual([20, 'ollama/llama']);
    await fake.page.getByLabel('Search language models').fill('claude-29');
    await row('Language models', 'claude/claude-29').getByText('3.00 for input, 15.00 for output').waitFor();
    expect(await list.count()).toBe(1);
  });

  it('cost what the owner enters', async () => {
    await fake.show('/catalog/models', shown());
    await button('Change ollama/llama').click();
    await dialog().getByLabel('Input, for a million tokens', { exact: true }).fill('0');
    await dialog().getByLabel('Output, for a million tokens').fill('0');
    await dialog().getByLabel('Most tokens of an answer').fill('4096');
    await fake.answer(shown({ inputPerMillion: '0.00', outputPerMillion: '0.00', priceSource: 'owner' }));
    await button('Save', dialog()).click();
    await row('Language models', 'ollama/llama').getByText('Your price').waitFor();
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
});
