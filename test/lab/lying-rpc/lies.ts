// What an RPC may answer in place of the truth: answers that are spoiled without a plan, and lies with one.
import bs58 from 'bs58';
import type { RawAnswer, RpcRequest } from '../../harness/chain/rpc-proxy.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** What a lie may use besides the true result. */
export interface Told {
  request: RpcRequest;
  /** The true result of the same method at the question before. */
  before: Json;
  /** Sends what was kept back; called when the lies end. */
  keep(send: () => Promise<unknown>): void;
  forward(): Promise<unknown>;
}

/** A false result; `error` for an error of the node; a raw answer; null for none. `same` is the truth. */
type Spoilt = { result: Json } | { error: { code: number; message: string } } | RawAnswer | null;
export interface Lie {
  name: string;
  methods: readonly string[];
  tell(truth: Json, told: Told): Spoilt;
}

const reads = [
  'getLatestBlockhash',
  'getEpochInfo',
  'getBlockHeight',
  'getSignatureStatuses',
  'getBlockTime',
  'getFirstAvailableBlock',
  'getSignaturesForAddress',
  'getTransaction',
  'getMultipleAccounts',
  'getTokenAccountsByOwner',
  'getBalance',
] as const;
const lists = [
  'getSignatureStatuses',
  'getSignaturesForAddress',
  'getMultipleAccounts',
  'getTokenAccountsByOwner',
] as const;

const result = (value: Json): Spoilt => ({ result: value });
/** Changes the list of an answer, which may have a context. */
const inList = (truth: Json, change: (list: Json[]) => Json[]): Spoilt =>
  Array.isArray(truth)
    ? result(change(truth))
    : Array.isArray(truth?.value)
      ? result({ ...truth, value: change(truth.value) })
      : result(truth);
/** Changes each number of these names, wherever it is. */
const inNumbers = (value: Json, names: RegExp, change: (number: number) => Json): Json => {
  if (Array.isArray(value)) return value.map((one) => inNumbers(one, names, change));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      typeof one === 'number' && names.test(name) ? change(one) : inNumbers(one, names, change),
    ]),
  );
};
const moved = (truth: Json, slots: number): Spoilt =>
  result(
    typeof truth === 'number'
      ? Math.max(0, truth + slots)
      : inNumbers(truth, /^(slot|absoluteSlot|blockHeight|lastValidBlockHeight)$/, (number) =>
          Math.max(0, number + slots),
        ),
  );
const otherTypes = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(otherTypes);
  if (typeof value === 'number') return `${value}`;
  if (typeof value === 'string') return value.length;
  if (value === null) return {};
  if (typeof value !== 'object') return null;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, otherTypes(one)]));
};
const huge: RawAnswer = (response) => {
  response.write('{"jsonrpc":"2.0","id":1,"result":[');
  response.write('{},'.repeat(9 * 2 ** 18));
  response.end('{}]}');
};
const dripped: RawAnswer = (response) => {
  response.write('{');
  const drops = setInterval(() => response.write(' '), 200);
  response.on('close', () => clearInterval(drops));
};

/** Without a plan: each is one kind of damage to the answer of one method. */
export const damages: readonly Lie[] = [
  ...lists.flatMap((method): Lie[] => [
    { name: 'without its first', methods: [method], tell: (truth) => inList(truth, (list) => list.slice(1)) },
    {
      name: 'without its last',
      methods: [method],
      tell: (truth) => inList(truth, (list) => list.slice(0, -1)),
    },
    { name: 'empty', methods: [method], tell: (truth) => inList(truth, () => []) },
    { name: 'swapped', methods: [method], tell: (truth) => inList(truth, (list) => list.toReversed()) },
    { name: 'of nulls', methods: [method], tell: (truth) => inList(truth, (list) => list.map(() => null)) },
    {
      name: 'one twice',
      methods: [method],
      tell: (truth) => inList(truth, (list) => [...list.slice(0, 1), ...list]),
    },
  ]),
  ...reads.flatMap((method): Lie[] => [
    { name: 'null', methods: [method], tell: () => result(null) },
    { name: 'ahead', methods: [method], tell: (truth) => moved(truth, 1_000) },
    { name: 'far ahead', methods: [method], tell: (truth) => moved(truth, 2 ** 52) },
    { name: 'behind', methods: [method], tell: (truth) => moved(truth, -1_000) },
    { name: 'of other types', methods: [method], tell: (truth) => result(otherTypes(truth)) },
    {
      name: 'of the question before',
      methods: [method],
      tell: (truth, { before }) => result(before ?? truth),
    },
    { name: 'huge', methods: [method], tell: () => huge },
    { name: 'dripped', methods: [method], tell: () => dripped },
    {
      name: 'refused',
      methods: [method],
      tell: () => ({ error: { code: -32_601, message: 'Method not found' } }),
    },
    { name: 'cut', methods: [method], tell: () => null },
  ]),
].map((lie) => ({ ...lie, name: `${lie.methods[0]} ${lie.name}` }));

const signatureIn = (request: RpcRequest): string =>
  bs58.encode(Buffer.from(String(request.params[0]), 'base64').subarray(1, 65));
const statuses = (change: (status: Json) => Json) => (truth: Json) =>
  inList(truth, (list) => list.map(change));
const wrongError = { InstructionError: [1, { Custom: 1 }] };
const years = (count: number) => (truth: Json) =>
  result(typeof truth === 'number' ? truth + count * 31_557_600 : truth);
const finalized = { err: null, confirmations: null, confirmationStatus: 'finalized' };
/** Adds 5 USDC to a token account's data. */
const richer = (account: Json): Json => {
  if (account === null) return null;
  const data = Buffer.from(account.data[0], 'base64');
  data.writeBigUInt64LE(data.readBigUInt64LE(64) + 5_000_000n, 64);
  return { ...account, data: [data.toString('base64'), 'base64'] };
};
const poorer = (account: Json): Json => {
  if (account === null) return null;
  const data = Buffer.from(account.data[0], 'base64');
  data.writeBigUInt64LE(0n, 64);
  return { ...account, data: [data.toString('base64'), 'base64'] };
};

/** With a plan: each is consistent, over all the methods that it needs. */
export const plans = {
  'the payment failed': [
    {
      methods: ['getSignatureStatuses'],
      tell: statuses((one) => one && { ...one, ...finalized, err: wrongError }),
    },
  ],
  'the payment failed, by its transaction too': [
    {
      methods: ['getSignatureStatuses'],
      tell: statuses((one) => one && { ...one, ...finalized, err: wrongError }),
    },
    {
      methods: ['getTransaction'],
      tell: (truth: Json) => result(truth && { ...truth, meta: { ...truth.meta, err: wrongError } }),
    },
    {
      methods: ['getSignaturesForAddress'],
      tell: (truth: Json) => inList(truth, (list) => list.map((one) => ({ ...one, err: wrongError }))),
    },
  ],
  'the payment is final, and was never sent': [
    { methods: ['sendTransaction'], tell: (_: Json, { request }: Told) => result(signatureIn(request)) },
    {
      methods: ['getSignatureStatuses'],
      tell: (truth: Json) =>
        result({ ...truth, value: truth.value.map(() => ({ slot: truth.context.slot, ...finalized })) }),
    },
  ],
  'the payment is hidden': [
    { methods: ['getSignatureStatuses'], tell: statuses(() => null) },
    { methods: ['getTransaction'], tell: () => result(null) },
  ],
  'the history is empty': [{ methods: ['getSignaturesForAddress'], tell: () => result([]) }],
  'the newest is hidden': [
    { methods: ['getSignaturesForAddress'], tell: (truth: Json) => inList(truth, (list) => list.slice(1)) },
  ],
  'a dead payment that landed': [
    { methods: ['getSignatureStatuses'], tell: statuses(() => null) },
    { methods: ['getSignaturesForAddress'], tell: () => result([]) },
    { methods: ['getEpochInfo', 'getBlockHeight'], tell: (truth: Json) => moved(truth, 1_000) },
    {
      methods: ['isBlockhashValid'],
      tell: (truth: Json) => result({ context: { slot: truth.context.slot + 1_000 }, value: false }),
    },
  ],
  'the blockhash ends early': [
    { methods: ['getLatestBlockhash', 'getEpochInfo'], tell: (truth: Json) => moved(truth, -140) },
  ],
  'the blockhash ends late': [
    {
      methods: ['getLatestBlockhash'],
      tell: (truth: Json) => result(inNumbers(truth, /^lastValidBlockHeight$/, (height) => height + 40)),
    },
  ],
  'sent later': [
    {
      methods: ['sendTransaction'],
      tell: (_: Json, { request, keep, forward }: Told) => {
        keep(forward);
        return result(signatureIn(request));
      },
    },
  ],
  'never sent': [
    { methods: ['sendTransaction'], tell: (_: Json, { request }: Told) => result(signatureIn(request)) },
  ],
  'sent, with an error': [
    {
      methods: ['sendTransaction'],
      tell: () => ({ error: { code: -32_002, message: 'simulation failed' } }),
    },
  ],
  'sent, and no answer': [{ methods: ['sendTransaction'], tell: () => null }],
  'statuses of the neighbour': [
    {
      methods: ['getSignatureStatuses'],
      tell: (truth: Json) => inList(truth, (list) => [...list.slice(1), ...list.slice(0, 1)]),
    },
  ],
  'known statuses alone': [
    {
      methods: ['getSignatureStatuses'],
      tell: (truth: Json) => inList(truth, (list) => list.filter((one) => one !== null)),
    },
  ],
  'slots beyond all': [
    {
      methods: ['getMultipleAccounts'],
      tell: (truth: Json) => result({ ...truth, context: { slot: Number.MAX_SAFE_INTEGER } }),
    },
  ],
  'blocks of the next decade': [{ methods: ['getBlockTime'], tell: years(10) }],
  'blocks of the last decade': [{ methods: ['getBlockTime'], tell: years(-10) }],
  'no status, and slots later': [
    {
      methods: ['getSignatureStatuses'],
      tell: (truth: Json) =>
        result({ context: { slot: truth.context.slot + 200 }, value: truth.value.map(() => null) }),
    },
  ],
  'five more in each account': [
    { methods: ['getMultipleAccounts'], tell: (truth: Json) => inList(truth, (list) => list.map(richer)) },
  ],
  'nothing in any account': [
    { methods: ['getMultipleAccounts'], tell: (truth: Json) => inList(truth, (list) => list.map(poorer)) },
  ],
  'no account exists': [
    {
      methods: ['getMultipleAccounts'],
      tell: (truth: Json) => inList(truth, (list) => list.map(() => null)),
    },
  ],
  'each change is five more': [
    {
      methods: ['getTransaction'],
      tell: (truth: Json) =>
        result(
          truth && {
            ...truth,
            meta: {
              ...truth.meta,
              postTokenBalances: (truth.meta.postTokenBalances ?? []).map((one: Json) => ({
                ...one,
                uiTokenAmount: { amount: `${BigInt(one.uiTokenAmount.amount) + 5_000_000n}` },
              })),
            },
          },
        ),
    },
  ],
  'no lamports': [{ methods: ['getBalance'], tell: (truth: Json) => result({ ...truth, value: 0 }) }],
  'blocks forgotten': [{ methods: ['getFirstAvailableBlock'], tell: () => result(10_000_000) }],
  'blockhashes end at once': [
    { methods: ['isBlockhashValid'], tell: (truth: Json) => result({ ...truth, value: false }) },
  ],
  'blockhashes never end': [
    { methods: ['isBlockhashValid'], tell: (truth: Json) => result({ ...truth, value: true }) },
  ],
  'too many requests': [
    {
      methods: ['getSignatureStatuses', 'getLatestBlockhash', 'sendTransaction', 'getMultipleAccounts'],
      tell: () => (response: Parameters<RawAnswer>[0]) => void response.writeHead(429).end(),
    },
  ],
} as const satisfies Readonly<Record<string, readonly Omit<Lie, 'name'>[]>>;
export type Plan = keyof typeof plans;

/** Plans that are used together. */
export const schemes: readonly (readonly [Plan, ...Plan[]])[] = [
  // Each of the 28 alone, and then together.
  ...(Object.keys(plans) as Plan[]).map((plan) => [plan] as const),
  ['the payment failed', 'sent, and no answer'],
  ['the payment failed, by its transaction too', 'blockhashes end at once'],
  ['the blockhash ends early', 'sent later'],
  ['the blockhash ends early', 'sent later', 'blockhashes end at once'],
  ['the payment is hidden', 'the history is empty', 'sent, with an error'],
  ['a dead payment that landed', 'sent, with an error'],
  ['a dead payment that landed', 'sent later'],
  ['known statuses alone', 'never sent'],
  ['statuses of the neighbour', 'never sent'],
  ['slots beyond all', 'five more in each account'],
  ['slots beyond all', 'nothing in any account'],
  ['blocks of the last decade', 'the payment is hidden'],
  ['blocks of the next decade', 'sent, and no answer'],
  ['no status, and slots later', 'the newest is hidden'],
  ['five more in each account', 'each change is five more'],
  ['the payment is final, and was never sent', 'five more in each account'],
];

export const lieOf = (scheme: readonly Plan[]): readonly Lie[] =>
  scheme.flatMap((name) => (plans[name] as readonly Omit<Lie, 'name'>[]).map((part) => ({ ...part, name })));
