// Operations of the host itself: its snapshot, the vault's lock and, on the sandbox, the faucet.
import { generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import bs58 from 'bs58';
import { done } from '../engine/calls/call.ts';
import type { Engine } from '../engine/engine.ts';
import type { Backups } from '../backup/backup.ts';
import type { Books } from '../books/books.ts';
import { conditionsOf } from '../contract/conditions/conditions.ts';
import type { FurtherFacts } from '../contract/conditions/facts.ts';
import { kindOf, priceList } from '../contract/models/suppliers.ts';
import { enterSolDeposits } from '../books/sol-deposits.ts';
import type { Deposit, SomeOperations, Service, Store } from '../engine/ports.ts';
import { depositView, iso, isoOrNull } from '../engine/calls/views.ts';
import { leastFreeBytes } from '../lib/files/free-space.ts';
import { AppError, fieldError } from '../errors.ts';
import { formatUsdc, usdc } from '../money.ts';
import { weatherPrice, weatherServiceId } from '../sandbox/weather.ts';
import type { SolanaChain } from '../solana/chain.ts';
import type { Faucet } from '../solana/faucet.ts';
import type { OwnerTokens } from '../http/owner-token.ts';
import { needsPassphrase, type Vault } from '../vault/vault.ts';
import { isPhraseKept, notePhraseKept } from './kept-phrase.ts';
import type { Probes } from './probes.ts';

interface Parts {
  engine: Engine;
  vault: Vault;
  faucet: Faucet;
  chain: SolanaChain;
}

type HostParts = Parts & {
  tokens: OwnerTokens;
  pendingLogins: () => number;
  probes: Pick<Probes, 'faults'>;
} & Kept;

interface Kept {
  backups: Pick<Backups, 'newest'>;
  books: Pick<Books, 'due'>;
}

/** What the register of conditions needs beside the snapshot. */
const furtherFacts = ({ store, time, disk }: Engine['context'], { backups, books }: Kept): FurtherFacts => {
  const { channels } = store.notices;
  const cold = store.cold.get();
  const newest = ifRead(backups.newest, null);
  const now = time.now();
  return {
    disk: { free: ifRead(disk.freeBytes, leastFreeBytes), least: leastFreeBytes },
    backup: { newest: isoOrNull(newest), since: iso(store.books.firstAt() ?? now) },
    hasChannel: channels.list().length > 0,
    failingChannels: channels
      .list()
      .flatMap(({ id, name }) => (channels.trouble(id).answer === null ? [] : [name])),
    months: ifRead(books.due, { open: [], amiss: [] }),
    cold: cold === null ? null : { fault: cold.fault, stoppedAt: isoOrNull(cold.stoppedAt) },
    alerts: alertsSince(store, now - dayMs, now),
    undelivered: undeliveredSince(store, now - dayMs),
    pricesFrom: store.modelSuppliers
      .list()
      .some(({ enabled, kind }) => enabled && kindOf(kind).baseUrl !== null)
      ? priceList.date
      : null,
    now: iso(now),
  };
};

/** A disk or a folder that cannot be read takes no page away: the freeze and the withdrawal stand on it. */
const ifRead = <T>(read: () => T, otherwise: T): T => {
  try {
    return read();
  } catch {
    return otherwise;
  }
};

const dayMs = 86_400_000;
/** So many alerts of an agent, and so many rows of the activity, are looked at: the snapshot is read often. */
const [newestTrips, newestRows] = [10, 1_000];

/** Alerts that the watch only reported; where it did more, the agent waits or is paused. */
const alertsSince = ({ agents, watch }: Store, since: number, now: number): FurtherFacts['alerts'] =>
  agents.list().flatMap(({ agentId, archivedAt, status }) => {
    if (archivedAt !== null || status !== 'active') return [];
    const reported = watch
      .trips({ agentId, limit: newestTrips })
      .filter(({ at, did }) => at >= since && did === 'told');
    if (reported.length === 0) return [];
    const mutes = watch.mutes(agentId, now);
    const newest = reported.find(
      ({ rule, about }) => !mutes.some((mute) => mute.rule === rule && mute.about === about),
    );
    return newest === undefined
      ? []
      : [{ agentId, tripId: newest.id, sentence: newest.sentence, at: iso(newest.at) }];
  });

const undeliveredSince = ({ transfers }: Store, since: number): FurtherFacts['undelivered'] => {
  const { after, before } = transfers.between({ from: since });
  const bounds = { after: Math.max(after, transfers.lastSeq() - newestRows), before };
  const sums = transfers.totals({ kinds: ['payment'], undelivered: true, ...bounds }, false);
  return {
    payments: sums.reduce((all, { count }) => all + count, 0),
    amount: formatUsdc(usdc(sums.reduce((all, { amount }) => all + amount, 0n))),
  };
};

const firstFunds = 1_000_000_000n;
const airdropLamports = 10_000_000_000n;
const depositVisibleWithinMs = 60_000;

export const hostOperations = ({
  engine,
  vault,
  faucet,
  chain,
  tokens,
  pendingLogins,
  probes,
  backups,
  books,
}: HostParts) =>
  ({
    async dashboard() {
      const { body } = await engine.operations.dashboard();
      const snapshot = {
        ...body,
        needsPassphrase: needsPassphrase(await vault.protection()),
        pendingLogins: pendingLogins(),
        rpcFaults: probes.faults(),
        phraseKept: isPhraseKept(engine.context.store, engine.context.settings.network),
      };
      const further = furtherFacts(engine.context, { backups, books });
      return done({ ...snapshot, conditions: conditionsOf({ ...snapshot, ...further }) });
    },
    lock() {
      vault.lock();
      tokens.revokeIssued('locked');
      engine.context.publish({ type: 'lock', locked: true });
      return done({ locked: true });
    },
    async unlock({ body }) {
      await vault.unlock(body.passphrase);
      try {
        engine.audit.verifyTail();
      } catch (error) {
        // Nothing is paid by records that cannot be verified.
        vault.lock();
        throw error;
      }
      engine.context.publish({ type: 'lock', locked: false });
      return done({ locked: false });
    },
    async changePassphrase({ body }) {
      await vault.changePassphrase(body.current, body.next);
      tokens.revokeIssued('passphrase');
      return done({ changed: true });
    },
    keepPhrase({ body }) {
      const { store, settings } = engine.context;
      if (!settings.owner.endsWith(body.address))
        throw fieldError(
          'address',
          'is not that of this treasury: these words are of another network or another treasury. Print them again with the line shown',
        );
      notePhraseKept(store);
      return done({ phraseKept: true });
    },
    async faucet({ body }) {
      if (engine.context.settings.network !== 'sandbox') {
        throw new AppError(
          'not_available',
          'Only the sandbox has a faucet. Send USDC to the treasury’s address.',
        );
      }
      return done(depositView(await deposit({ engine, faucet, chain }, body.amount)));
    },
  }) satisfies SomeOperations;

/** Has the faucet pay in, with SOL for fees when little is left, and waits until the deposit is recorded. */
const deposit = async ({ engine, faucet }: Omit<Parts, 'vault'>, units: bigint): Promise<Deposit> => {
  const { funds, store, settings } = engine.context;
  await funds.refreshLamports();
  if (funds.lamports() < airdropLamports / 10n) {
    await faucet.airdrop(settings.owner, airdropLamports);
  }
  const signature = await faucet.fund(settings.owner, units);
  const deadline = performance.now() + depositVisibleWithinMs;
  while (performance.now() < deadline) {
    await funds.scanDeposits();
    const seen = store.deposits
      .list(null, 100)
      .find(({ txSignature, asset }) => txSignature === signature && asset === 'USDC');
    if (seen !== undefined) {
      await funds.refresh([settings.owner]);
      await funds.refreshLamports();
      await enterSolDeposits(engine.context);
      // A balance read in a slot in which the treasury paid is discarded: wait for one from a later slot.
      if ((store.wallets.get(settings.owner)?.slot ?? 0) >= seen.slot) return seen;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new AppError(
    'chain_unreachable',
    'The deposit was sent and is not confirmed yet. Check the deposits in a moment.',
  );
};

/** Funds the in-process sandbox at its first start: 1,000 USDC and some SOL, as an ordinary deposit. */
export const fundOnce = async (parts: Omit<Parts, 'vault'>): Promise<void> => {
  const { store } = parts.engine.context;
  if (store.meta.get('funded') !== undefined) return;
  await deposit(parts, firstFunds);
  store.atomically(() => store.meta.set('funded', 'yes'));
};

/** The demo seller's wallet, made at the first start. Its private key is discarded, since it never spends. */
export const openTestAccount = async (store: Store, faucet: Faucet): Promise<string> => {
  const known = store.meta.get('weather-recipient');
  if (known !== undefined) return known;
  const { publicKey } = generateKeyPairSync('ed25519');
  const address = bs58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  await faucet.fund(address, 0n).catch((error: unknown) => {
    // Without a faucet the first payment opens the token account, at the treasury's expense.
    if (!(error instanceof AppError && error.code === 'not_available')) throw error;
  });
  store.atomically(() => store.meta.set('weather-recipient', address));
  return address;
};

/** The demo seller's catalog entry; rewritten, since this host's origin may have changed. */
export const addWeather = (store: Store, recipient: string, url: string): void => {
  const entry: Service = {
    id: weatherServiceId,
    name: 'Sandbox Weather',
    description: 'The weather of a city, now. A demo API of the sandbox that is paid for each call.',
    category: 'weather',
    source: 'svc-native',
    endpoint: 'GET /sandbox/weather?city={city}',
    origin: url,
    payees: [recipient],
    pricing: {},
    price: weatherPrice,
    vouched: true,
  };
  if (isDeepStrictEqual(store.services.get(entry.id), entry)) return;
  store.atomically(() => store.services.upsert(entry));
};
