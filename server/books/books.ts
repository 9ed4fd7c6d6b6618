// The books as a part of the host: the owner's operations on them, and the look at closed months.
import { bookRoutes } from '../contract/books/books.ts';
import type { RouteName } from '../contract/routes.ts';
import type { Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import type { BookSale, SomeOperations } from '../engine/ports.ts';
import { anchorOperations } from './anchor-operations.ts';
import { createAnchors } from './anchors.ts';
import { zoneOf, type BooksContext } from './context.ts';
import { findDirectDeposits } from './direct-deposits.ts';
import { modelOperations } from './model-tokens.ts';
import { finalUntil } from './final.ts';
import { followClosedMonths } from './changed-months.ts';
import { closeMonth } from './close.ts';
import { monthIn } from '../lib/local-days.ts';
import { createExports, type Exports } from './exports.ts';
import { monthNamed, monthsOf, monthView, shifted } from './months.ts';
import { ruleNamed, ruleOperations } from './rule-operations.ts';
import { followSol } from './sol-deposits.ts';
import { addTo, nothing, view, type Sums } from './sums.ts';
import { createBalances, totalsIn } from './totals.ts';

export interface Books {
  operations: ReturnType<typeof operationsOf> & ReturnType<typeof anchorOperations>;
  /** The months that can be closed now, and the closed ones that changed or differ; oldest first. */
  due(): { open: string[]; amiss: string[] };
  /** Files under way. */
  exports: Exports;
  /** @throws AppError `not_found` when a path names something that does not exist */
  checkPath(params: Readonly<Record<string, unknown>>, route: RouteName): void;
  close(): Promise<void>;
}

/** Follows the closed months and the SOL that comes in, and makes the anchors, from now on. */
export const createBooks = (context: EngineContext): Books => {
  const exports = createExports();
  const closedMonths = followClosedMonths(context);
  closedMonths.start();
  const anchors = createAnchors(context);
  anchors.start();
  const sol = followSol(context);
  sol.start();
  return {
    operations: { ...operationsOf(context, exports), ...anchorOperations(context, anchors) },
    due() {
      const views = monthsOf(context).map((month) => monthView(context, month));
      const named = (isMeant: (view: (typeof views)[number]) => boolean): string[] =>
        views.filter(isMeant).map(({ month }) => month);
      return {
        open: named(({ state, waiting }) => state === 'open' && waiting.length === 0),
        amiss: named(({ state }) => state === 'changed' || state === 'differs'),
      };
    },
    exports,
    checkPath({ ruleId, month }, route) {
      if (!(route in bookRoutes)) return;
      if (typeof ruleId === 'string') ruleNamed(context, ruleId);
      if (typeof month === 'string') monthNamed(context, month);
    },
    async close() {
      await Promise.all([closedMonths.stop(), anchors.stop(), sol.stop()]);
    },
  };
};

const operationsOf = (context: BooksContext, exports: Exports) => {
  const balancesOf = createBalances(context);
  return {
    ...ruleOperations(context),
    ...modelOperations(context),
    addBookSales: ({ body: { sales } }) => context.store.atomically(() => done(addSales(context, sales))),
    bookProgress: ({ params }) => done(exports.of(params.exportId)),
    bookMonths() {
      const months = monthsOf(context).toReversed();
      return done({ zone: zoneOf(context), months: months.map((month) => monthView(context, month)) });
    },
    async bookTotals({ params }) {
      const months = monthsOf(context);
      const span = monthNamed(context, params.month);
      await findDirectDeposits(context, Math.min(span.to, finalUntil(context, span.zone)));
      const before =
        months.find(({ month }) => month === shifted(span.month, -1)) ??
        monthIn(span.zone, shifted(span.month, -1));
      return done({
        month: span.month,
        zone: span.zone,
        ...(await balancesOf(span)),
        now: await totalsIn(context, span),
        before: await totalsIn(context, before),
      });
    },
    async closeMonth({ params }) {
      await closeMonth(context, monthNamed(context, params.month));
      return done(monthView(context, monthNamed(context, params.month)));
    },
  } satisfies SomeOperations;
};

/** Records of a seller that is paid into wallets of ours: they give deposits an account, and change no amount. */
const addSales = ({ store, time }: BooksContext, sales: readonly BookSale[]): Reply<'addBookSales'> => {
  const ours = sales.filter(({ recipient }) => store.wallets.get(recipient) !== undefined);
  const added = ours.filter((sale) => store.books.addSale(sale, time.now()));
  const shown: Sums = new Map();
  const deposits = ours.map(({ txSignature, recipient }) => store.books.depositOf(txSignature, recipient));
  // A file may name one of them twice, and with another amount.
  for (const deposit of new Map(deposits.map((one) => [one?.id, one])).values())
    if (deposit !== undefined && store.books.saleOf(deposit.id) !== null) addTo(shown, '', deposit.amount);
  return {
    added: added.length,
    known: ours.length - added.length,
    foreign: sales.length - ours.length,
    deposits: view(shown.get('') ?? nothing),
  };
};
