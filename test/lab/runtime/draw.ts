// Draws transactions: valid ones, and those that are a little or altogether wrong.
import { hash } from 'node:crypto';
import { programs } from '../../../server/sandbox/chain/account.ts';
import { keypairFromSeed, type Keypair } from '../../../server/sandbox/chain/keypair.ts';
import type { Runtime } from '../../../server/sandbox/chain/runtime.ts';
import { keyText } from '../../../server/lib/solana/wire.ts';
import type { Plan, PlannedAccount, PlannedInstruction } from './plan.ts';
import { associated, clockSysvar, incinerator, nativeMint, rent, rentSysvar, type Pool } from './pool.ts';

type Some<T> = readonly [T, ...T[]];
const some = <T>(list: readonly T[]): Some<T> => list as Some<T>;

const u64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return bytes;
};
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const r = (key: Uint8Array): PlannedAccount => ({ key, signer: false, writable: false });
const w = (key: Uint8Array): PlannedAccount => ({ key, signer: false, writable: true });
const s = (key: Uint8Array): PlannedAccount => ({ key, signer: true, writable: false });
const sw = (key: Uint8Array): PlannedAccount => ({ key, signer: true, writable: true });

interface Stage {
  pool: Pool;
  runtime: Runtime;
}

const holding = ({ runtime }: Stage, key: Uint8Array) => {
  const data = runtime.read(key)?.data;
  if (!data || data.length !== 165) return null;
  const bytes = Buffer.from(data);
  return {
    mint: bytes.subarray(0, 32),
    owner: bytes.subarray(32, 64),
    amount: bytes.readBigUInt64LE(64),
    delegate: bytes[72] === 1 ? bytes.subarray(76, 108) : null,
    delegated: bytes.readBigUInt64LE(121),
    closer: bytes[129] === 1 ? bytes.subarray(133, 165) : null,
  };
};

const issuers = ({ runtime }: Stage, key: Uint8Array) => {
  const data = runtime.read(key)?.data;
  if (!data || data.length !== 82) return null;
  const bytes = Buffer.from(data);
  return { minter: bytes.subarray(4, 36), freezer: bytes.subarray(50, 82), decimals: bytes[44] ?? 0 };
};

/** An account that signs, where its key is at hand. */
const authority = ({ pool }: Stage, key: Uint8Array): PlannedAccount =>
  pool.keypairs.has(keyText(key)) ? s(key) : r(key);

const anyKey = ({ pool }: Stage): Uint8Array => {
  const { dice } = pool;
  const group = dice.pick([
    pool.wallets,
    pool.wallets,
    pool.fresh,
    pool.tokenAccounts,
    pool.tokenAccounts,
    pool.mints,
    pool.odd,
    fixed,
  ]);
  const one = dice.pick(some<Keypair | Uint8Array>(group));
  return one instanceof Uint8Array ? one : one.address;
};

const fixed = [
  programs.token,
  programs.system,
  programs.memo,
  nativeMint,
  incinerator,
  rentSysvar,
  clockSysvar,
  programs.associatedToken,
];

const amountNear = ({ pool: { dice } }: Stage, exact: bigint): bigint =>
  dice.pick([exact, exact, exact + 1n, exact / 2n, exact / 2n, 0n, 1n, 1n, 2n ** 63n, 2n ** 64n - 1n]);

type Draw = (stage: Stage) => Omit<PlannedInstruction, 'name'>;

const token = (accounts: PlannedAccount[], ...data: (Uint8Array | number)[]) => ({
  program: programs.token,
  accounts,
  data: Buffer.concat(data.map((part) => (typeof part === 'number' ? Uint8Array.of(part) : part))),
});

const anyHolder = (stage: Stage): Uint8Array => stage.pool.dice.pick(some(stage.pool.tokenAccounts));
const anyMint = (stage: Stage): Uint8Array => stage.pool.dice.pick(some(stage.pool.mints));

/** Another account of the same mint, mostly. */
const peerOf = (stage: Stage, key: Uint8Array): Uint8Array => {
  const mint = holding(stage, key)?.mint;
  const peers = stage.pool.tokenAccounts.filter((other) => mint && holding(stage, other)?.mint.equals(mint));
  return stage.pool.dice.isLucky(0.9) && peers.length > 0
    ? stage.pool.dice.pick(some(peers))
    : anyHolder(stage);
};

const spenderOf = (stage: Stage, key: Uint8Array): Uint8Array => {
  const { owner, delegate } = holding(stage, key) ?? { owner: anyKey(stage), delegate: null };
  return delegate && stage.pool.dice.isLucky(0.5) ? delegate : owner;
};

const spendable = (stage: Stage, key: Uint8Array, spender: Uint8Array): bigint => {
  const found = holding(stage, key);
  if (!found) return 5n;
  const isDelegate = found.delegate !== null && Buffer.compare(found.delegate, spender) === 0;
  return isDelegate && found.delegated < found.amount ? found.delegated : found.amount;
};

const decimalsOf = (stage: Stage, mint: Uint8Array): number => {
  const { dice } = stage.pool;
  return dice.isLucky(0.9) ? (issuers(stage, mint)?.decimals ?? 9) : dice.pick([0, 6, 9]);
};

const transfer =
  (checked: boolean): Draw =>
  (stage) => {
    const source = anyHolder(stage);
    const spender = spenderOf(stage, source);
    const amount = u64(amountNear(stage, spendable(stage, source, spender)));
    const mint = holding(stage, source)?.mint ?? anyMint(stage);
    const [from, to] = [w(source), w(peerOf(stage, source))];
    const signer = authority(stage, spender);
    return checked
      ? token([from, r(mint), to, signer], 12, amount, decimalsOf(stage, mint))
      : token([from, to, signer], 3, amount);
  };

const approve =
  (checked: boolean): Draw =>
  (stage) => {
    const source = anyHolder(stage);
    const found = holding(stage, source);
    const mint = found?.mint ?? anyMint(stage);
    const amount = u64(amountNear(stage, found?.amount ?? 7n));
    const delegate = r(anyKey(stage));
    const signer = authority(stage, found?.owner ?? anyKey(stage));
    return checked
      ? token([w(source), r(mint), delegate, signer], 13, amount, decimalsOf(stage, mint))
      : token([w(source), delegate, signer], 4, amount);
  };

const mintTo: Draw = (stage) => {
  const mint = anyMint(stage);
  const minter = issuers(stage, mint)?.minter ?? anyKey(stage);
  const holders = stage.pool.tokenAccounts.filter((one) => holding(stage, one)?.mint.equals(mint));
  const to = holders.length > 0 ? stage.pool.dice.pick(some(holders)) : anyHolder(stage);
  const amount = u64(amountNear(stage, 1_000n));
  return token([w(mint), w(to), authority(stage, minter)], 7, amount);
};

const setAuthority: Draw = (stage) => {
  const { dice } = stage.pool;
  const next = dice.isLucky(0.8) ? Buffer.concat([Uint8Array.of(1), anyKey(stage)]) : Uint8Array.of(0);
  if (dice.isLucky(0.35)) {
    const mint = anyMint(stage);
    const kind = dice.pick([0, 1]);
    const found = issuers(stage, mint);
    const current = (kind === 0 ? found?.minter : found?.freezer) ?? anyKey(stage);
    return token([w(mint), authority(stage, current)], 6, kind, next);
  }
  const account = anyHolder(stage);
  const found = holding(stage, account);
  const kind = dice.pick([2, 3, 3, 0, 4]);
  const current = (kind === 3 ? (found?.closer ?? found?.owner) : found?.owner) ?? anyKey(stage);
  return token([w(account), authority(stage, current)], 6, kind, next);
};

const freeze =
  (code: number): Draw =>
  (stage) => {
    const account = anyHolder(stage);
    const mint = holding(stage, account)?.mint ?? anyMint(stage);
    const freezer = issuers(stage, mint)?.freezer ?? anyKey(stage);
    return token([w(account), r(mint), authority(stage, freezer)], code);
  };

/** Mostly a key that has no account yet. */
const newAccount = (stage: Stage): Uint8Array => {
  const { dice, fresh, odd, keypairs } = stage.pool;
  if (dice.isLucky(0.2)) return dice.isLucky(0.5) ? dice.pick(some(fresh)).address : dice.pick(some(odd));
  const free = fresh.filter(({ address }) => stage.runtime.lamports(address) === 0n);
  if (free.length > 0) return dice.pick(some(free)).address;
  const made = keypairFromSeed(hash('sha256', `${dice.roll()}`, 'buffer'));
  fresh.push(made);
  keypairs.set(keyText(made.address), made);
  return made.address;
};

const associatedParts = (stage: Stage) => {
  const { dice, wallets } = stage.pool;
  const owner = dice.isLucky(0.8)
    ? dice.pick(some([...wallets, ...stage.pool.fresh])).address
    : anyKey(stage);
  const mint = anyMint(stage);
  return { owner, mint, account: associated(owner, mint) };
};

const createAssociated =
  (data: Uint8Array): Draw =>
  (stage) => {
    const { owner, mint, account } = associatedParts(stage);
    if (!stage.pool.tokenAccounts.some((one) => keyText(one) === keyText(account)))
      stage.pool.tokenAccounts.push(account);
    const payer = stage.pool.dice.pick(some(stage.pool.wallets)).address;
    return {
      program: programs.associatedToken,
      accounts: [sw(payer), w(account), r(owner), r(mint), r(programs.system), r(programs.token)],
      data,
    };
  };

const system = (accounts: PlannedAccount[], code: number, ...data: Uint8Array[]) => ({
  program: programs.system,
  accounts,
  data: Buffer.concat([u32(code), ...data]),
});

const seeds = ['', 'savings', 'x'.repeat(32), 'x'.repeat(33), 'é'] as const;

const withSeed = (stage: Stage) => {
  const { dice, wallets } = stage.pool;
  const base = dice.pick(some(wallets)).address;
  const seed = dice.pick(seeds);
  const owner = dice.isLucky(0.1)
    ? Buffer.concat([Buffer.alloc(11), Buffer.from('ProgramDerivedAddress')])
    : dice.pick([programs.system, programs.token]);
  const text = Buffer.concat([u64(BigInt(Buffer.byteLength(seed))), Buffer.from(seed)]);
  const address = hash('sha256', Buffer.concat([base, Buffer.from(seed), owner]), 'buffer');
  return { base, owner, text, address: dice.isLucky(0.9) ? address : anyKey(stage) };
};

const space = ({ pool: { dice } }: Stage): number => dice.pick([0, 82, 165, 165, 355, 10, 170]);

const lamportsNear = (stage: Stage, bytes: number): bigint =>
  stage.pool.dice.pick([
    rent(bytes),
    rent(bytes),
    rent(bytes) + 1n,
    rent(bytes) - 1n,
    0n,
    1n,
    rent(bytes) * 3n,
    2n ** 62n,
  ]);

const createAccount: Draw = (stage) => {
  const { dice, wallets } = stage.pool;
  const bytes = space(stage);
  const owner = dice.pick([programs.token, programs.token, programs.system, programs.memo]);
  const from = sw(dice.pick(some(wallets)).address);
  const to = sw(newAccount(stage));
  const data = [u64(lamportsNear(stage, bytes)), u64(BigInt(bytes)), owner];
  return system([from, to], 0, ...data);
};

const systemDraws: Draw[] = [
  createAccount,
  createAccount,
  (stage) => {
    const from = stage.pool.dice.isLucky(0.9)
      ? stage.pool.dice.pick(some(stage.pool.wallets)).address
      : anyKey(stage);
    const signer = stage.pool.keypairs.has(keyText(from)) ? sw(from) : w(from);
    return system([signer, w(anyKey(stage))], 2, u64(lamportsNear(stage, 0)));
  },
  (stage) => system([sw(newAccount(stage))], 1, stage.pool.dice.pick([programs.token, programs.system])),
  (stage) => system([sw(newAccount(stage))], 8, u64(BigInt(stage.pool.dice.pick([0, 165, 82, 11_000_000])))),
  (stage) => {
    const { base, owner, text, address } = withSeed(stage);
    const bytes = space(stage);
    const from = sw(stage.pool.dice.pick(some(stage.pool.wallets)).address);
    const data = [base, text, u64(lamportsNear(stage, bytes)), u64(BigInt(bytes)), owner];
    return system([from, w(address), s(base)], 3, ...data);
  },
  (stage) =>
    system(
      [sw(newAccount(stage)), r(rentSysvar)],
      stage.pool.dice.pick([4, 9, 13, 14, 15, 99]),
      Buffer.alloc(40),
    ),
];

const mintSettings = (stage: Stage): Uint8Array =>
  Buffer.concat([
    Uint8Array.of(stage.pool.dice.pick([0, 6, 9, 255])),
    stage.pool.dice.pick(some(stage.pool.wallets)).address,
    stage.pool.dice.isLucky(0.5)
      ? Buffer.concat([Uint8Array.of(1), anyKey(stage)])
      : Uint8Array.of(stage.pool.dice.pick([0, 0, 1, 2])),
  ]);

const tokenDraws: Record<string, Draw> = {
  initializeMint2: (stage) => token([w(newAccount(stage))], 20, mintSettings(stage)),
  initializeAccount3: (stage) => token([w(newAccount(stage)), r(anyMint(stage))], 18, anyKey(stage)),
  transfer: transfer(false),
  transferChecked: transfer(true),
  approve: approve(false),
  approveChecked: approve(true),
  revoke: (stage) => {
    const account = anyHolder(stage);
    return token([w(account), authority(stage, spenderOf(stage, account))], 5);
  },
  setAuthority,
  mintTo,
  closeAccount: (stage) => {
    const account = anyHolder(stage);
    const found = holding(stage, account);
    return token(
      [w(account), w(anyKey(stage)), authority(stage, found?.closer ?? found?.owner ?? anyKey(stage))],
      9,
    );
  },
  freezeAccount: freeze(10),
  thawAccount: freeze(11),
  getAccountDataSize: (stage) => token([r(anyMint(stage))], 21, Uint8Array.of(7, 0)),
  initializeImmutableOwner: (stage) => token([w(newAccount(stage))], 22),
  /** Codes that no program has, and some that only the real one has. */
  unknown: (stage) => token([w(anyHolder(stage))], stage.pool.dice.pick([8, 17, 25, 37, 44, 99, 254, 255])),
};

const memo: Draw = (stage) => {
  const { dice, wallets } = stage.pool;
  const text = dice.pick([
    Buffer.from('for tea'),
    Buffer.alloc(0),
    Buffer.from('é🐆"\n'),
    Buffer.from([104, 255, 104]),
    Buffer.from([0xe2, 0x82]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xf0, 0x90, 0x41]),
    Buffer.alloc(150, 'x'),
  ]);
  const accounts = wallets
    .slice(0, dice.pick([0, 0, 1, 2]))
    .map(({ address }) => (dice.isLucky(0.9) ? s(address) : r(address)));
  return { program: dice.isLucky(0.8) ? programs.memo : programs.memoV1, accounts, data: text };
};

/** A small limit is met by the first instruction, whose units are exact: where it would stop compiled code is not. */
const budget =
  (isFirst: boolean): Draw =>
  ({ pool: { dice } }) => ({
    program: programs.computeBudget,
    accounts: [],
    data: dice.pick([
      Buffer.concat([
        Uint8Array.of(2),
        u32(dice.pick(isFirst ? [0, 100, 149, 155, 1_400_000, 1_000_000] : [2_000_000, 1_000_000])),
      ]),
      Buffer.concat([Uint8Array.of(3), u64(dice.pick([0n, 1n, 1_234_567n, 2n ** 63n]))]),
      Buffer.concat([Uint8Array.of(1), u32(dice.pick([32_768, 262_144, 1000, 33_000]))]),
      Buffer.concat([Uint8Array.of(4), u32(dice.pick([0, 100, 500_000, 100_000_000]))]),
      Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0),
      Uint8Array.of(2, 1),
      Uint8Array.of(9),
    ]),
  });

/** By name, as often as it stands in the list. */
const kinds: [name: string, draw: Draw][] = [
  ...Object.entries(tokenDraws),
  ...Object.entries(tokenDraws).filter(([name]) => /transfer|mintTo|approve/i.test(name)),
  ...systemDraws.map((draw, at): [string, Draw] => [`system ${at}`, draw]),
  ['create associated', createAssociated(new Uint8Array())],
  ['create associated', createAssociated(Uint8Array.of(0))],
  ['create associated if missing', createAssociated(Uint8Array.of(1))],
  ['create associated if missing', createAssociated(Uint8Array.of(1))],
  ['memo', memo],
];

/** The instructions that have to come first for an account to be initialized. */
const creationFor = (stage: Stage, one: PlannedInstruction): PlannedInstruction[] => {
  const bytes = { 18: 165, 20: 82, 22: 165 }[one.data[0] ?? 99];
  const isOpening = one.program === programs.token && bytes !== undefined;
  if (!isOpening || stage.pool.dice.isLucky(0.15)) return [];
  const to = one.accounts[0]?.key ?? nativeMint;
  const signer = stage.pool.keypairs.has(keyText(to)) ? sw(to) : w(to);
  const from = sw(stage.pool.wallets[0]?.address ?? nativeMint);
  const extra = stage.pool.dice.pick([0n, 0n, 0n, 5_000n]);
  const data = [u64(rent(bytes) + extra), u64(BigInt(bytes)), programs.token];
  return [{ name: 'create', ...system([from, signer], 0, ...data) }];
};

const drawInstruction = (stage: Stage): PlannedInstruction[] => {
  const [name, draw] = stage.pool.dice.pick(some(kinds));
  const one = { name, ...draw(stage) };
  join(stage, name, one);
  const spoilt = stage.pool.dice.isLucky(0.2) ? spoil(stage, one) : one;
  return [...creationFor(stage, one), spoilt];
};

/** A mint or a token account that is opened is drawn from then on. */
const join = (
  { pool }: Stage,
  name: string,
  { accounts: [first] }: Omit<PlannedInstruction, 'name'>,
): void => {
  if (!first) return;
  const group = name.startsWith('initializeMint')
    ? pool.mints
    : name.startsWith('initializeAccount')
      ? pool.tokenAccounts
      : null;
  if (group && group.length < 24 && !group.includes(first.key)) group.push(first.key);
};

const spoil = (stage: Stage, one: PlannedInstruction): PlannedInstruction => {
  const { dice, keypairs } = stage.pool;
  const at = Math.floor(dice.roll() * one.accounts.length);
  const swapped = (change: (account: PlannedAccount) => PlannedAccount): PlannedAccount[] =>
    one.accounts.map((account, place) => (place === at ? change(account) : account));
  const accounts = dice.pick<() => PlannedAccount[]>([
    () => swapped((account) => ({ ...account, key: anyKey(stage), signer: false })),
    () =>
      swapped((account) => ({ ...account, signer: !account.signer && keypairs.has(keyText(account.key)) })),
    () => swapped((account) => ({ ...account, writable: !account.writable })),
    () => swapped(() => one.accounts[Math.floor(dice.roll() * one.accounts.length)] ?? r(anyKey(stage))),
    () => one.accounts.slice(0, at),
    () => [...one.accounts, r(anyKey(stage))],
    () => one.accounts,
  ])();
  const data = dice.isLucky(0.3) ? spoilData(stage, one.data) : one.data;
  return { ...one, name: `spoilt ${one.name}`, accounts, data };
};

const spoilData = ({ pool: { dice } }: Stage, data: Uint8Array): Uint8Array => {
  const copy = Buffer.from(data);
  const at = Math.floor(dice.roll() * copy.length);
  return dice.pick<() => Uint8Array>([
    () => copy.subarray(0, at),
    () => Buffer.concat([copy, Uint8Array.of(0)]),
    () => {
      if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(dice.roll() * 8));
      return copy;
    },
  ])();
};

export const drawPlan = (stage: Stage): Plan => {
  const { dice, wallets, table } = stage.pool;
  const budgets = dice.isLucky(0.08) ? [{ name: 'budget', ...budget(true)(stage) }] : [];
  const more = dice.isLucky(0.03) ? [{ name: 'budget', ...budget(false)(stage) }] : [];
  const count = dice.pick([1, 1, 1, 1, 1, 2, 3]);
  const instructions = Array.from({ length: count }, () => drawInstruction(stage)).flat();
  if (dice.isLucky(0.005))
    instructions.push({ name: 'stranger', program: anyKey(stage), accounts: [], data: new Uint8Array() });
  const [lucky, payer] = [
    dice.roll(),
    dice.pick(some([...wallets, ...wallets, ...stage.pool.fresh, ...stage.pool.keypairs.values()])),
  ];
  return {
    payer: dice.isLucky(0.95) ? (wallets[0] ?? payer) : payer,
    instructions: [...budgets, ...instructions, ...more],
    table: dice.isLucky(0.1) ? table : null,
    fault: lucky < 0.005 ? 'signature' : lucky < 0.01 ? 'twice' : 'none',
  };
};
