// Which account and cost center an entry gets: those of the owner's first rule that matches it, or the usual ones.
import type { BookRule, RuleMatch, Store } from '../engine/ports.ts';
import { usualAccount } from './accounts.ts';
import { counterpartyOf, type Entry } from './entry.ts';

export interface Classified {
  account: string;
  costCentre: string | null;
}

/** Rules are for money that leaves or comes in. What goes between wallets of the owner is nobody's expense. */
export const isClassifiable = ({ kind }: Pick<Entry, 'kind'>): boolean =>
  kind === 'spending' || kind === 'deposit' || kind === 'withdrawal';

const fields: { readonly [F in keyof RuleMatch]: (entry: Entry) => string | null } = {
  payee: counterpartyOf,
  serviceId: ({ serviceId }) => serviceId,
  origin: ({ origin }) => origin,
  agentId: ({ agentId }) => agentId,
  groupId: ({ groupId }) => groupId,
};
export const matchFields = Object.keys(fields) as (keyof RuleMatch)[];

/** Every condition that the rule sets holds. */
export const matches = (rule: RuleMatch, entry: Entry): boolean =>
  isClassifiable(entry) &&
  matchFields.every((field) => rule[field] === null || rule[field] === fields[field](entry));

type Classify = (entry: Entry) => Classified;

/** Names the sale that an entry belongs to, as its payment or its refund; null: to none. */
export const soldBy =
  ({ books }: Pick<Store, 'books'>) =>
  ({ kind, id }: Entry): string | null => {
    if (kind === 'deposit') return books.saleOf(id);
    return kind === 'withdrawal' ? books.refundedSaleOf(id) : null;
  };

/** @param cold as for `usualAccount` */
export const classifyBy =
  (
    rules: readonly BookRule[],
    cold: ReadonlySet<string>,
    sold: (entry: Entry) => string | null = () => null,
  ): Classify =>
  (entry) => {
    const rule = rules.find((one) => matches(one, entry));
    return {
      account: rule?.account ?? usualAccount(entry, cold, sold(entry)),
      costCentre: rule?.costCentre ?? null,
    };
  };

/** By the rules, the sales and the cold treasury as they are now. */
export const classifierOf = (store: Pick<Store, 'books' | 'cold'>): Classify =>
  classifyBy(
    store.books.rules(),
    new Set(store.cold.accounts().map(({ address }) => address)),
    soldBy(store),
  );
