// The real signer over keys that are made once per process, and the database that every run begins with.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { settingsIn } from '../../server/engine/domain/language-model.ts';
import { setRecordsWhole } from '../../server/engine/domain/reconciliation-mark.ts';
import { noLimits, scopeOfGroup, scopeOfKey } from '../../server/engine/domain/limits.ts';
import { usualPolicy } from '../../server/contract/limits/policy-fields.ts';
import type { PhoneWallet, Service, Store } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { tokenAccountAddress } from '../../server/solana/message.ts';
import { addressOf, deriveKey, privateKeyOfSeed } from '../../server/vault/keys.ts';
import { openStore } from '../harness/engine/store.ts';

const seed = createHash('sha512').update('the model').digest();
const openKeys = [0, 1, 2].map((index) => deriveKey(seed, index));
export const addresses = openKeys.map(addressOf);
export const treasury = addresses[0] ?? '';
export const mint = usdcMints.sandbox;
export const opening = usdc(1_000_000_000n);

/** The part of a vault that the host's keys and receipts need. */
export const vault = {
  state: () => 'unlocked' as const,
  signingKey: (index: number) => openKeys[index] ?? openKeys[0],
  address: (index: number) => addresses[index] ?? '',
};

export const agentIds = ['ann', 'bob'] as const;
export const serviceIds = ['maps', 'news'] as const;
const payees = serviceIds.map((id) => addressOf(privateKeyOfSeed(createHash('sha256').update(id).digest())));
export const payeeOf = (serviceId: string): string => payees[serviceIds.indexOf(serviceId as 'maps')] ?? '';

const serviceOf = (id: string): Service => ({
  id,
  name: id,
  description: '',
  category: 'data',
  source: 'svc-native',
  endpoint: 'GET /api',
  origin: `https://${id}.example`,
  payees: [payeeOf(id)],
  pricing: {},
  price: null,
  vouched: true,
});

export const tokenAccounts = new Map(
  [...addresses, ...payees].map((address) => [tokenAccountAddress(address, mint), address]),
);

/** What the owner's phone may approve: of two payments that wait for it, mostly one. */
export const phoneLimits = { perApproval: usdc(700_000n), perDay: usdc(700_000n) };
export const teamId = 'grp_team';

/** Keys that ann has delegated before a life begins, by id: each under the one before. */
export const firstKeys = [
  { id: 'key_sub', parent: null, level: 1, ms: 2 * 86_400_000, limits: { dailyBudget: usdc(1_000_000n) } },
  { id: 'key_leaf', parent: 'key_sub', level: 2, ms: 86_400_000, limits: { maxPerPayment: usdc(450_000n) } },
] as const;

/** Micro-USDC for a million tokens: the owner's. Odd, so that a rounding shows. */
export const modelPrices = {
  'gpt-4-open': { input: 6_000_007n, cachedInput: 600_001n, output: 15_000_003n },
  deep: { input: 4_000_009n, cachedInput: 400_003n, output: 25_000_007n },
} as const;
export const modelService = 'llm:local';

export const walletOf = (agentId: string): string => addresses[agentIds.indexOf(agentId as 'ann') + 1] ?? '';
export const keyOf = (agentId: string): string => `key_${agentId}`;

const firstPolicy = {
  ...usualPolicy,
  dailyBudget: usdc(1_500_000n),
  weeklyBudget: usdc(3_000_000n),
  maxPerPayment: usdc(1_000_000n),
  allowedModels: ['*'],
};
/** Both agents together soon spend more. */
export const teamLimits = { ...noLimits, dailyBudget: usdc(2_000_000n), weeklyBudget: usdc(4_000_000n) };

/** Bob's payments need approval more often, and the waiting ones soon exceed his budget together. */
export const firstPolicyOf = (agentId: string) =>
  agentId === 'bob'
    ? { ...firstPolicy, dailyBudget: usdc(1_200_000n), approveAbove: usdc(300_000n) }
    : firstPolicy;

/** A store with two funded agents, closed, as bytes. */
export const makeTemplate = (folder: string, now: number, phoneOf: (now: number) => PhoneWallet): Buffer => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'template.db');
  const store = openStore(file, () => now);
  store.atomically(() => {
    setRecordsWhole(store);
    store.phones.put(phoneOf(now));
    store.wallets.add({ address: treasury, index: 0, agentId: null });
    store.ledger.open(treasury, opening);
    for (const id of serviceIds) store.services.upsert(serviceOf(id));
    addModels(store, now);
    store.groups.insert({ id: teamId, name: 'team', createdAt: now, stoppedAt: null, archivedAt: null });
    store.limits.set(scopeOfGroup(teamId), teamLimits, now);
    for (const agentId of agentIds) {
      const agent = store.agents.insert(
        {
          agentId,
          displayName: agentId,
          status: 'active',
          statusReason: null,
          createdAt: now,
          archivedAt: null,
        },
        vault.address,
      );
      store.policies.set(agentId, firstPolicyOf(agentId), now);
      store.agents.update(agentId, { groupId: teamId, mayDelegate: true });
      store.ledger.open(agent.wallet, opening);
      store.keys.insert({
        id: keyOf(agentId),
        agentId,
        hash: createHash('sha256').update(agentId).digest('hex'),
        label: '',
        createdAt: now,
        expiresAt: null,
        revokedAt: null,
        delegated: null,
      });
    }
    for (const { id, parent, level, ms, limits } of firstKeys) {
      store.keys.insert({
        id,
        agentId: 'ann',
        hash: createHash('sha256').update(id).digest('hex'),
        label: id,
        createdAt: now,
        expiresAt: now + ms,
        revokedAt: null,
        delegated: { parentId: parent ?? 'ann', level },
      });
      store.limits.set(scopeOfKey(level, id), { ...noLimits, ...limits }, now);
    }
  });
  store.close();
  makeSmall(file);
  return readFileSync(file);
};

/** One supplier, whose models the owner has priced. */
const addModels = ({ modelSuppliers, languageModels, services }: Store, now: number): void => {
  const kind = 'openai-compatible';
  const at = { baseUrl: 'http://localhost/v1', hasKey: false, allowPrivate: true, factor: 1_000_000n };
  const since = { enabled: true, extraFields: [], createdAt: now, removedAt: null };
  modelSuppliers.set({ id: 'local', kind, name: 'Local', ...at, ...since });
  services.upsert({
    ...serviceOf('maps'),
    id: modelService,
    origin: '',
    payees: [],
    source: 'model-registry',
  });
  for (const [modelId, { input, cachedInput, output }] of Object.entries(modelPrices)) {
    const prices = { input: usdc(input), cachedInput: usdc(cachedInput), output: usdc(output) };
    languageModels.set({ ...settingsIn([], 'local', modelId), ...prices, pricedAt: now });
  }
};

/** With small pages, since a life begins with a copy of the file, and each death and each commit copies its pages. */
const makeSmall = (file: string): void => {
  const db = new Database(file);
  db.pragma('journal_mode = DELETE');
  db.pragma('page_size = 1024');
  db.exec('VACUUM');
  db.pragma('journal_mode = WAL');
  db.close();
};
