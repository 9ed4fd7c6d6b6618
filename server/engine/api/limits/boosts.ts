// Boosts: the owner raises the day, the week and the month of a node together, until a time. A budget that is not set stays
// unset; the maximum per payment, the total, services and rates are never raised this way.
import type { Reply } from '../../../contract/schemas.ts';
import { AppError, fieldError } from '../../../errors.ts';
import { formatUsdc, usdc, type Usdc } from '../../../money.ts';
import { agentNamed, done, type EngineContext } from '../../calls/call.ts';
import { iso } from '../../calls/views.ts';
import { scopeOfAll, scopeOfGroup, scopesOf } from '../../domain/limits.ts';
import type { NodeFacts } from '../../limits/node-facts.ts';
import { nodeNow, nodeOf } from '../../limits/path.ts';
import { boostedWindows, budgetFields } from '../../limits/windows.ts';
import { pathAtGrant } from '../../payment/decision/charge-path.ts';
import { isCounting } from '../../payment/decision/folding.ts';
import { refuseRevoked } from '../../payment/context.ts';
import { judge } from '../../payment/decision/judge.ts';
import { changeRules } from '../../payment/owner/rejudge.ts';
import { boostNamed, transferNamed } from '../path.ts';
import type { Scope, SomeOperations, Transfer, UsdcTransfer } from '../../ports.ts';

const longestMs = 7 * 86_400_000;

const boostView = (context: EngineContext, scope: Scope): Reply<'boostAgent'> => {
  const { store, time } = context;
  const boost = store.boosts.of(scope, time.now());
  return {
    node: { ...nodeOf(store, scope) },
    boost:
      boost === null
        ? null
        : {
            boostId: boost.id,
            amount: formatUsdc(boost.amount),
            until: iso(boost.until),
            createdAt: iso(boost.createdAt),
          },
  };
};

/** @throws AppError `bad_request` for a time that lies in the past or more than 7 days ahead */
const endOf = ({ time, calendar }: EngineContext, until: number | undefined): number => {
  const now = time.now();
  if (until === undefined) return calendar.midnightAfter(now);
  if (until > now && until <= now + longestMs) return until;
  throw fieldError('until', `must lie in the future, at ${iso(now + longestMs)} at the latest`);
};

interface Wanted {
  scope: Scope;
  amount: Usdc;
  until: number;
}

/** Call it inside a transaction. An amount of 0 ends the boost. */
const put = ({ store, time, newId }: EngineContext, { scope, amount, until }: Wanted): void => {
  const now = time.now();
  if (amount === 0n) store.boosts.end(scope, now);
  else store.boosts.set({ id: newId('bst'), scope, amount, until, createdAt: now });
};

/** The boost that a node needs, so that this amount fits under its budgets of day, week and month. */
const boostNeeded = ({ limits, boost, spent }: NodeFacts, amount: Usdc): Usdc | null => {
  const over = boostedWindows.flatMap((window) => {
    const limit = limits[budgetFields[window]];
    return limit === null ? [] : [spent(window) + amount - limit];
  });
  const most = over.reduce((least, one) => (one > least ? one : least), 0n);
  return most === 0n ? null : usdc((boost?.amount ?? 0n) + most);
};

const refusedPayment = (context: EngineContext, transferId: string): UsdcTransfer & { agentId: string } => {
  const transfer = transferNamed(context, transferId);
  const { agentId, kind, state, asset } = transfer;
  const isRefused =
    (kind === 'payment' || kind === 'charge') && (state === 'denied' || state === 'cancelled');
  if (!isRefused || agentId === null || asset !== 'USDC')
    throw new AppError('conflict', 'Only a payment that was refused can be allowed by a boost.');
  if (isCounting(transfer))
    throw new AppError(
      'conflict',
      'This entry stands for many refusals, some of them of other amounts. Raise the budget itself, or have the agent ask again.',
    );
  return { ...transfer, agentId };
};

/** The boosts with which the payment fits under every budget of its path. */
const boostsFor = (
  context: EngineContext,
  payment: UsdcTransfer & { agentId: string },
  until: number,
): Wanted[] => {
  const { store, time } = context;
  const path = pathAtGrant(context, payment);
  return scopesOf({ ...path, agentId: payment.agentId }).flatMap((scope) => {
    const amount = boostNeeded(nodeNow(context, scope, time.now()), payment.amount);
    const before = store.boosts.of(scope, time.now());
    return amount === null ? [] : [{ scope, amount, until: Math.max(until, before?.until ?? 0) }];
  });
};

/** Why the payment would be refused even with these boosts; null when it would not be. Writes nothing. */
const otherwise = (context: EngineContext, payment: Transfer, boosts: readonly Wanted[]): string | null => {
  const { store, time, chain } = context;
  const costs = { fee: chain.feeLamports(payment), rent: 0n, treasuryLamports: 0n };
  return store.undone(() => {
    for (const one of boosts) put(context, one);
    try {
      refuseRevoked(context, payment.keyId);
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
    const asked = { now: time.now(), consent: 'approval', path: pathAtGrant(context, payment) } as const;
    const { decision } = judge(context, payment, costs, asked);
    return decision.kind === 'deny' ? decision.refusal.message : null;
  });
};

export const boostOperations = (context: EngineContext) => {
  const { store, time, publish } = context;

  const change = (wanted: readonly Wanted[]): void => {
    changeRules(context, () => wanted.forEach((one) => put(context, one)));
    publish({ type: 'ceiling' });
  };
  const set = (scope: Scope, { amount, until }: { amount: Usdc; until?: number | undefined }) => {
    change([{ scope, amount, until: endOf(context, until) }]);
    return done(boostView(context, scope));
  };
  const needed = (transferId: string, until: number | undefined) => {
    const payment = refusedPayment(context, transferId);
    const end = endOf(context, until);
    const boosts = boostsFor(context, payment, end);
    const told: Reply<'foreseeBoost'> = {
      payment: { agentId: payment.agentId, amount: formatUsdc(payment.amount) },
      boosts: boosts.map(({ scope, amount }) => ({
        node: { ...nodeOf(store, scope) },
        amount: formatUsdc(amount),
      })),
      until: iso(end),
      otherwise: otherwise(context, payment, boosts),
    };
    return { boosts, told };
  };

  return {
    listBoosts: () =>
      done({ boosts: store.boosts.list(time.now()).map(({ scope }) => boostView(context, scope)) }),

    endBoost({ params }) {
      const boost = boostNamed(context, params.boostId);
      change([{ ...boost, amount: usdc(0n) }]);
      return done(boostView(context, boost.scope));
    },

    boostAgent: ({ params, body }) => set(agentNamed(store, params.agentId).agentId, body),
    boostGroup: ({ params, body }) => set(scopeOfGroup(params.groupId), body),
    boostTreasury: ({ body }) => set(scopeOfAll, body),

    foreseeBoost: ({ params }) => done(needed(params.transferId, undefined).told),

    boostFor({ params, body: { until } }) {
      const { boosts, told } = needed(params.transferId, until);
      if (told.otherwise !== null)
        throw new AppError('conflict', `A boost would not allow this payment. ${told.otherwise}`);
      change(boosts);
      return done(told);
    },
  } satisfies SomeOperations;
};
