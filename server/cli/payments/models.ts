// `treasury models`: the image models, and the owner's suppliers of language models with their prices.
import {
  kindOf,
  priceFields,
  priceFieldNames,
  supplierKindNames,
  type PriceField,
} from '../../contract/models/suppliers.ts';
import { limit, readSecret, wholeNumber } from '../arguments.ts';
import { anyonesCommand, commandGroup, flagOf, ownerCommand } from '../command-row.ts';
import { inert, listing } from '../table.ts';

const optionOf = (field: PriceField) =>
  [field.replace('PerMillion', ''), ['amount', `${priceFields[field].toLowerCase()}, USDC`, limit]] as const;
const priceOptions = Object.fromEntries(priceFieldNames.map(optionOf)) as Record<
  'input' | 'output' | 'cachedInput' | 'cacheWrite',
  ['amount', string, typeof limit]
>;
const noPrice = Object.fromEntries(priceFieldNames.map((field) => [field, null]));

export const addModels = commandGroup('models', 'image models, and your suppliers of language models', [
  anyonesCommand('images', {
    isDefault: true,
    about: 'the image models that can be used, with their prices in USDC',
    examples: ['treasury models'],
    ask: (client) => client.ask('listModels'),
    show: ({ models }, terminal) =>
      listing(terminal, models, 'No model is offered. Enable one in the dashboard: Catalog, Models.', {
        MODEL: 'id',
        NAME: 'displayName',
        PROVIDER: 'provider',
        '1K': ({ pricing }) => pricing['1k'],
        '2K': ({ pricing }) => pricing['2k'],
        '4K': ({ pricing }) => pricing['4k'],
      }),
  }),
  ownerCommand('suppliers', {
    about: 'your suppliers of language models',
    examples: ['treasury models suppliers'],
    ask: (owner) => owner.ask('listModelSuppliers'),
    show: ({ suppliers }, terminal) =>
      listing(terminal, suppliers, 'No supplier yet. Add one: treasury models add --help', {
        SUPPLIER: 'supplierId',
        NAME: 'name',
        KIND: 'kind',
        ADDRESS: 'baseUrl',
        KEY: ({ hasKey }) => (hasKey ? 'yes' : 'no'),
        STATE: ({ enabled }) => (enabled ? 'on' : 'off'),
        USAGE: ({ reportsUsage }) => (reportsUsage === false ? 'not reported' : ''),
      }),
  }),
  ownerCommand('prices [supplier]', {
    about: 'language models, with their prices in USDC for a million tokens',
    examples: ['treasury models prices', 'treasury models prices openai'],
    ask: async (owner, { supplier }) => {
      const answer = await owner.ask('listLanguageModels');
      const isAsked = (id: string): boolean => supplier === undefined || id === supplier;
      return { ...answer, models: answer.models.filter(({ supplierId }) => isAsked(supplierId)) };
    },
    show: ({ models }, terminal) =>
      listing(terminal, models, 'No model has a price yet: treasury models price --help', {
        SUPPLIER: 'supplierId',
        MODEL: 'modelId',
        INPUT: ({ inputPerMillion }) => inputPerMillion ?? 'none',
        OUTPUT: ({ outputPerMillion }) => outputPerMillion ?? 'none',
        'PRICED BY': ({ priceSource }) =>
          ({ owner: 'you', list: 'price list', seller: 'the seller', none: '' })[priceSource ?? 'none'],
        STATE: ({ enabled }) => (enabled ? 'on' : 'off'),
      }),
  }),
  ownerCommand('usage', {
    about: 'what agents used of language models, by day, and what it came to in USDC',
    examples: ['treasury models usage', 'treasury models usage --days 7'],
    options: { days: ['n', 'so many days, 30 without it', wholeNumber] },
    ask: (owner, { days }) =>
      owner.ask('allModelUsage', { query: days === undefined ? {} : { days: `${days}` } }),
    show: ({ days, total, held }, terminal) => [
      ...listing(terminal, days, 'No agent used a language model.', {
        DAY: 'day',
        AGENT: 'agentId',
        MODEL: ({ supplierId, modelId }) => `${supplierId}/${modelId}`,
        REQUESTS: ({ requests }) => `${requests}`,
        INPUT: ({ inputTokens }) => `${inputTokens}`,
        OUTPUT: ({ outputTokens }) => `${outputTokens}`,
        AMOUNT: 'amount',
        KNOWN: ({ mark }) => ({ exact: 'exactly', estimated: 'by estimate', unknown: 'as its most' })[mark],
      }),
      inert(`${total} USDC in all; ${held} USDC is held for requests under way.`),
    ],
  }),
  ownerCommand('add <kind> <name>', {
    about: 'add a supplier of language models, with your key there',
    examples: [
      'treasury models add openai OpenAI --key-stdin < key.txt',
      'treasury models add seller BlockRun --base-url https://sol.blockrun.ai/api/v1',
      'treasury models add openai-compatible Ollama --base-url http://127.0.0.1:11434/v1 --allow-private',
    ],
    arguments: { kind: ['what it is', supplierKindNames], name: ['what you call it'] },
    options: {
      baseUrl: ['url', 'its address, where it is not the usual one'],
      keyStdin: 'read its key from standard input',
      allowPrivate: 'it is on this machine or network; only for openai-compatible',
    },
    ask: (owner, { kind, name, baseUrl, keyStdin, allowPrivate }) => {
      const apiKey = keyStdin ? readSecret(0, '--key-stdin') : undefined;
      const body = {
        kind,
        name,
        ...(baseUrl !== undefined && { baseUrl }),
        ...(apiKey !== undefined && { apiKey }),
        ...(allowPrivate && { allowPrivate }),
      };
      return owner.ask('addModelSupplier', { body });
    },
    show: ({ supplierId, enabled }, _terminal, { kind }) => [
      inert(`Added as ${supplierId} (${kindOf(kind).label}).`),
      ...(enabled
        ? []
        : [
            `It is off until you enter what each agent used since an older copy of the records, 0 if nothing: treasury models used ${supplierId} AGENT AMOUNT`,
          ]),
      `Its models and prices: treasury models prices ${supplierId}`,
    ],
  }),
  ownerCommand('price <supplier> <model>', {
    about: 'your price of a language model, in USDC for a million tokens, and its other settings',
    examples: [
      'treasury models price openai gpt-5.1 --input 1.25 --output 10',
      'treasury models price ollama llama4 --input 0 --output 0 --max-output 4096',
      'treasury models price openai gpt-5.1 --from-list  # The price list’s again.',
    ],
    options: {
      ...priceOptions,
      fromList: 'forget your price: that of the price list counts again',
      maxOutput: ['n', 'at most this many tokens in an answer', wholeNumber],
      off: 'no agent can use it',
      on: 'agents can use it again',
      default: 'its id alone means this supplier',
    },
    ask: (
      owner,
      { supplier: supplierId, model: modelId, fromList, maxOutput, off, on, default: isDefault, ...own },
    ) => {
      const given = own as Partial<Record<keyof typeof priceOptions, string>>;
      const prices = Object.entries(given).map(([name, price]) => [`${name}PerMillion`, price]);
      const body = {
        supplierId,
        modelId,
        ...(fromList ? noPrice : {}),
        ...(Object.fromEntries(prices) as Partial<Record<PriceField, string>>),
        ...(maxOutput !== undefined && { maxOutput }),
        ...(off || on ? { enabled: on } : {}),
        ...(isDefault && { isDefault }),
      };
      return owner.ask('setLanguageModel', { body });
    },
    show: ({ supplierId, modelId, inputPerMillion, outputPerMillion, enabled, priceSource }) => [
      inert(
        priceSource === 'seller'
          ? `${supplierId}/${modelId}: the seller asks for its price${enabled ? '' : '; off'}.`
          : inputPerMillion === null
            ? `${supplierId}/${modelId} has no price, and is refused. Give it one with ${flagOf('input')} and ${flagOf('output')}.`
            : `${supplierId}/${modelId}: ${inputPerMillion} for input, ${outputPerMillion ?? ''} for output${enabled ? '' : '; off'}.`,
      ),
    ],
  }),
  ownerCommand('turn <supplier> <state>', {
    about: 'turn a supplier of language models on or off',
    examples: ['treasury models turn openai off'],
    arguments: { state: ['what it is then', ['on', 'off']] },
    ask: (owner, { supplier: supplierId, state }) =>
      owner.ask('setModelSupplier', { params: { supplierId }, body: { enabled: state === 'on' } }),
    show: ({ name, enabled }) => [inert(`${name} is ${enabled ? 'on' : 'off'}.`)],
  }),
  ownerCommand('used <supplier> <agent> <amount>', {
    about: 'enter what an agent used of a supplier since an older copy of the records; again: correct it',
    examples: ['treasury models used openai scout 1.20', 'treasury models used openai scout 0'],
    arguments: { amount: ['in USDC', limit] },
    ask: (owner, { supplier: supplierId, agent, amount }) =>
      owner.ask('setModelSupplier', { params: { supplierId }, body: { usedSince: { [agent]: amount } } }),
    show: ({ supplierId, lacksUseOf }) => [
      inert(
        lacksUseOf.length > 0
          ? `Entered. Not entered yet: ${lacksUseOf.join(', ')}.`
          : `Entered. Turn it on: treasury models turn ${supplierId} on`,
      ),
    ],
  }),
  ownerCommand('remove <supplier>', {
    about: 'remove a supplier of language models, and its key here; asks first',
    examples: ['treasury models remove openai'],
    confirm: ({ supplier }) => `Remove ${supplier} and its key, so that no agent can use its models?`,
    ask: (owner, { supplier: supplierId }) => owner.ask('removeModelSupplier', { params: { supplierId } }),
    show: () => ['Removed. The key stays valid at the supplier: revoke it there if you no longer need it.'],
  }),
]);
