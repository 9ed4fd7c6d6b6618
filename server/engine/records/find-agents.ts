// Finds the wallets of agents again by what the chain shows of them.
import { usualPolicy } from '../../contract/limits/policy-fields.ts';
import { usdc } from '../../money.ts';
import type { Context } from '../payment/context.ts';
import type { Store, Wallet } from '../ports.ts';

type Finding = Pick<Context, 'settings' | 'store' | 'chain' | 'keys' | 'time' | 'log'>;

/** Unused indexes in a row after which the search ends. */
const gap = 20;
/** How far beyond the last index found an address is recognized as a wallet of ours. */
const reach = 1_000;
const reason = 'it was restored from the chain: give it a policy and a key, then resume it';

/**
 * Finds the wallets of agents and returns the highest index that was searched. Indexes follow one another; after `gap` in
 * a row that the chain never saw, only what the treasury's own history names leads further.
 * @throws AppError `chain_unreachable`, or `locked`
 */
export const findAgents = async (context: Finding): Promise<number> => {
  const { store, keys } = context;
  const known = store.agents.list().map(({ walletIndex }) => walletIndex);
  let last = await searchFrom(context, 1, Math.max(0, ...known));
  const named = await Promise.all(
    [...(await namesIn(context))].map((one) => keys.indexOf(one, last + reach)),
  );
  const agents = named.filter((index) => index !== null && index > 0) as number[];
  for (const index of agents.toSorted((a, b) => a - b)) {
    addAgent(context, index);
    if (index > last) last = await searchFrom(context, index + 1, index);
  }
  return last + gap;
};

/** Returns the last index that is used, at least `last`. */
const searchFrom = async (context: Finding, first: number, last: number): Promise<number> => {
  const { chain, keys } = context;
  for (let index = first; index - last <= gap;) {
    const indexes = Array.from({ length: Math.min(gap, gap + last + 1 - index) }, (_, n) => index + n);
    const used = await chain.used(indexes.map(keys.address));
    const found = indexes.filter((_, n) => used[n] === true);
    for (const one of found) addAgent(context, one);
    last = Math.max(last, ...found);
    index += indexes.length;
  }
  return last;
};

/** The addresses that the treasury's history names beyond what is entered: those that it paid and that paid it. */
const namesIn = async ({ store, chain, settings }: Finding): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  const { slot } = await chain.balances([settings.owner]);
  const after = store.wallets.get(settings.owner)?.scannedTo ?? null;
  const moves = chain.history(settings.owner, { slot, after, wanted: ({ failed }) => !failed });
  for await (const some of moves)
    for (const { counterparty } of some)
      if (counterparty !== null && store.wallets.get(counterparty) === undefined) names.add(counterparty);
  return names;
};

const addAgent = ({ store, keys, time, log }: Finding, walletIndex: number): void => {
  if (store.agents.list().some((agent) => agent.walletIndex === walletIndex)) return;
  const now = time.now();
  const agent = {
    agentId: freeName(store, `restored-${walletIndex}`),
    walletIndex,
    displayName: `Restored agent ${walletIndex}`,
    status: 'suspended',
    statusReason: reason,
    createdAt: now,
    archivedAt: null,
  } as const;
  store.atomically(() => {
    store.agents.insert(agent, keys.address);
    store.policies.set(agent.agentId, nothingAllowed, now);
  });
  log.info({ agentId: agent.agentId }, 'an agent was found on the chain');
};

const freeName = (store: Store, name: string): string =>
  store.agents.get(name) === undefined ? name : freeName(store, `${name}-again`);

const nothingAllowed = { ...usualPolicy, dailyBudget: usdc(0n), maxPerPayment: usdc(0n) };

/**
 * Why the wallet of the newest agent would not be found from the recovery phrase alone, if somebody else paid into it: the
 * `gap` wallets before it were never used. Null: it would be found.
 */
export const gapWarning = (store: Store): string | null => {
  const before = store.wallets.list().slice(-gap - 1, -1);
  const isUnused = ({ address, agentId, balance, scannedTo }: Wallet): boolean =>
    agentId !== null && balance === 0n && scannedTo === null && !store.transfers.rentPaid(address);
  if (before.length < gap || !before.every(isUnused)) return null;
  return `The last ${gap} agents never had money. A treasury that is restored from its recovery phrase alone looks no further than ${gap} such wallets, unless it paid an agent behind them. Allocate USDC to this agent from the treasury before anybody else pays into its wallet, or keep a backup.`;
};
