// The owner's view of the whole, and the switches that stop it.
import type { Reply } from '../../contract/schemas.ts';
import { AppError } from '../../errors.ts';
import { atLeastZero, formatSol, formatUsdc, lamports, USDC_DECIMALS, usdc } from '../../money.ts';
import { done, type EngineContext } from '../calls/call.ts';
import { spareLamports } from '../payment/decision/balance.ts';
import { frozenBy } from '../payment/context.ts';
import { ceilingView } from './limits/limits.ts';
import { foreignDebits, type ForeignDebit } from '../domain/foreign-debits.ts';
import { outageOf } from '../records/outage.ts';
import { freeze, mayStillLand, unfreeze } from '../payment/owner/stop.ts';
import type { Agent, Approval, ListedService, SomeOperations, Transfer } from '../ports.ts';
import { exposureOf, totalOf } from './exposure.ts';
import { pendingLinks } from './links.ts';
import { amountOf } from '../domain/transfer.ts';
import { agentBudget, inForceTold } from '../calls/day-budget.ts';
import { budgetEndOf } from '../calls/forecast.ts';
import { endedView } from '../calls/ended.ts';
import { agentView, marksView, depositView, iso, isoOrNull, serviceView } from '../calls/views.ts';
import { statusOf } from '../domain/states.ts';

/** Without the fields that only the host knows, and adds. */
type EngineSnapshot = Omit<
  Reply<'dashboard'>,
  'needsPassphrase' | 'pendingLogins' | 'rpcFaults' | 'phraseKept' | 'conditions'
>;

const activityEntries = 50;
/** No block takes longer than this. It bounds only the time that the owner is shown, and releases no money. */
const slowestBlockMs = 600;
const lifetimeBlocks = 150;

export const treasuryOperations = (context: EngineContext) => {
  const { store, settings, time, funds, keys, halted, lastSeen } = context;

  const freezeView = (): Reply<'unfreeze'> => {
    const frozen = frozenBy(context);
    const rows = frozen === null ? [] : mayStillLand(context);
    const until =
      rows.length === 0
        ? null
        : Math.max(...rows.map(({ signed }) => signed?.at ?? 0)) + lifetimeBlocks * slowestBlockMs;
    return {
      frozen: frozen !== null,
      since: isoOrNull(frozen?.since ?? null),
      reason: frozen?.reason ?? null,
      mayStillLand: {
        payments: rows.length,
        amount: formatUsdc(usdc(rows.reduce((sum, { amount }) => sum + amount, 0n))),
        until: isoOrNull(until),
      },
    };
  };

  /** The reply after a stop: a failed read must not make it look as if there were no stop. */
  const stopped = (): Reply<'unfreeze'> => {
    try {
      return freezeView();
    } catch (error) {
      throw new AppError('halted', stoppedUnread, { recorded: true }, { cause: error });
    }
  };

  const agentEntry = (agent: Agent, now: number, waiting: readonly Approval[]) => {
    const { agentId } = agent;
    const { spent, payments, requests } = store.spend.lifetime(agentId);
    const budget = agentBudget(context, agentId);
    const { mode, asking } = store.watch.get(agentId);
    return {
      ...agentView(agent),
      ...marksView(agent),
      lifetimeSpent: formatUsdc(spent),
      lifetimePayments: payments,
      lifetimeRequests: requests,
      balance: formatUsdc(store.wallets.get(agent.wallet)?.balance ?? usdc(0n)),
      spentToday: formatUsdc(budget.spent),
      budgetEndsAt: budgetEndOf(context, agent, { limit: budget.limit, used: budget.spent, now }),
      watch: mode,
      asking: asking === null ? null : (store.watch.trip(asking.tripId)?.sentence ?? null),
      policy: { dailyBudget: formatUsdc(store.policies.get(agentId).dailyBudget) },
      inForce: inForceTold(budget),
      statusReason: agent.statusReason,
      lastPaymentAt: isoOrNull(store.spend.lastReservedAt(agent.agentId)),
      lastSeenAt: isoOrNull(lastSeen.of(agent.agentId)),
      pendingApprovals: waiting.filter((one) => one.agentId === agentId).length,
    };
  };

  return {
    async dashboard() {
      const [{ balance }, held] = await Promise.all([funds.balance(settings.owner), funds.lamportsNow()]);
      const now = time.now();
      const waiting = store.approvals.pending().filter(({ denyAt }) => denyAt === null);
      const activity = store.transfers.list({ kinds: ['payment', 'charge'], limit: activityEntries });
      return done({
        treasury: {
          walletAddress: settings.owner,
          amount: balance.toString(),
          currency: 'USDC',
          decimals: USDC_DECIMALS,
          ...solView(context, held),
        },
        agents: store.agents
          .list()
          .filter(({ archivedAt }) => archivedAt === null)
          .map((agent) => agentEntry(agent, now, waiting)),
        recentActivity: activity.map(activityEntry),
        network: settings.network,
        frozen: frozenBy(context) !== null,
        freeze: freezeView(),
        halted: halted.reason,
        locked: keys.locked(),
        clockDoubt: time.doubt(),
        outage: outageOf(context),
        foreignDebits: foreignDebits(store).map(foreignDebitView),
        total: totalOf(context, balance),
        exposure: exposureOf(context),
        ceiling: ceilingView(context),
        pendingApprovals: waiting.length,
        pendingLinks: pendingLinks(context).length,
      });
    },

    listLabels: () => done({ labels: store.payees.labels() }),

    setLabel({ body: { address, label } }) {
      store.atomically(() => store.payees.setLabel(address, label));
      context.publish({ type: 'labels' });
      return done({ labels: store.payees.labels() });
    },

    deposits: ({ query }) =>
      done({
        deposits: store.deposits.list(query.before ?? null, query.limit, query.least).map((deposit) => {
          const { asset, wallet, status, from, txSignature } = deposit;
          const isOurs = asset === 'USDC' && wallet === settings.owner;
          const sentBackBy = isOurs ? store.books.sentBackBy(txSignature) : null;
          const mayBeSentBack =
            isOurs &&
            status === 'final' &&
            sentBackBy === null &&
            context.chain.isWallet(from) &&
            store.wallets.get(from) === undefined;
          return { ...depositView(deposit), mayBeSentBack, sentBackBy };
        }),
      }),

    freeze({ body }) {
      const ended = freeze(
        context,
        body.reason === undefined || body.reason === '' ? 'the owner pressed stop' : body.reason,
      );
      return done({ ...stopped(), ended: endedView(ended) });
    },

    unfreeze() {
      unfreeze(context);
      return done(freezeView());
    },

    searchServices({ query }) {
      const { results, total } = store.services.search({
        text: query.q,
        limit: query.limit,
        skip: query.skip,
        order: { by: query.sort, now: time.now() },
        ...(query.source === undefined ? {} : { source: query.source }),
        ...(query.category === undefined ? {} : { category: query.category }),
      });
      return done({ query: query.q, results: results.map((one) => foundView(context, one)), total });
    },
  } satisfies Omit<SomeOperations, 'dashboard'> & {
    dashboard(): Promise<{ kind: 'done'; body: EngineSnapshot }>;
  };
};

const foreignDebitView = ({
  wallet,
  agentId,
  signature,
  amount,
  at,
}: ForeignDebit): Reply<'dashboard'>['foreignDebits'][number] => ({
  wallet,
  agentId,
  signature,
  amount: formatUsdc(amount),
  timestamp: iso(at),
});

const solView = (
  context: EngineContext,
  held: bigint,
): Pick<Reply<'dashboard'>['treasury'], 'sol' | 'spendableSol' | 'withdrawableSol' | 'transfersLeft'> => {
  const { chain, settings } = context;
  const payee = settings.owner;
  const spare = atLeastZero(spareLamports(context, held));
  const ofPayment = chain.feeLamports({ kind: 'payment', wallet: 'an agent’s', payee });
  const ofWithdrawal = chain.feeLamports({ kind: 'withdrawal', wallet: settings.owner, payee });
  return {
    sol: formatSol(lamports(held)),
    spendableSol: formatSol(lamports(spare)),
    withdrawableSol: formatSol(lamports(atLeastZero(spare - ofWithdrawal))),
    transfersLeft: Number(spare / ofPayment),
  };
};

const foundView = (
  { store }: EngineContext,
  service: ListedService,
): Reply<'searchServices'>['results'][number] => {
  const { id, payees } = service;
  const blockedBy = store.serviceRules.blocking({ serviceId: id, payee: payees[0] ?? '', url: null });
  return { ...serviceView(service), ...(blockedBy === null ? {} : { blocked: true }) };
};

const stoppedUnread =
  'Everything is stopped, and stays so after a restart until you lift the freeze. The records cannot be read now: what was signed before may still land.';

/** Pending and confirmed payments show as `approved`, all others with their own status. */
const activityEntry = (transfer: Transfer): Reply<'dashboard'>['recentActivity'][number] => {
  const status = statusOf(transfer);
  const timestamp = iso(transfer.createdAt);
  return {
    id: transfer.id,
    agent: transfer.agentId ?? '',
    venue: transfer.serviceName,
    amount: amountOf(transfer),
    rail: 'sol',
    time: timestamp.slice(11, 16),
    timestamp,
    status: status === 'pending' || status === 'confirmed' ? 'approved' : status,
  };
};
