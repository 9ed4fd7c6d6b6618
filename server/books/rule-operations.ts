// The owner's rules: which account and cost center an entry gets.
import { needsCondition } from '../contract/books/books.schemas.ts';
import type { Body, Reply } from '../contract/schemas.ts';
import { done } from '../engine/calls/call.ts';
import { iso } from '../engine/calls/views.ts';
import type { BookRule, RuleMatch, SomeOperations } from '../engine/ports.ts';
import { AppError, fieldError } from '../errors.ts';
import type { BooksContext } from './context.ts';
import { counterpartyOf, type Entry } from './entry.ts';
import { amountOf } from './line.ts';
import { monthNamed, monthsOf } from './months.ts';
import { forEachEntry } from './pass.ts';
import { matches, matchFields } from './rules.ts';
import { addTo, nothing, view, type Sums } from './sums.ts';

const mostRules = 200;
const mostExamples = 10;

export const ruleOperations = (context: BooksContext) => {
  const { store, newId } = context;
  return {
    bookRules: () => done({ rules: store.books.rules().map(ruleView) }),
    addBookRule({ body: { rank, ...fields } }) {
      const rule = { id: newId('rule'), ...fields };
      store.atomically(() => {
        const rules = store.books.rules();
        if (rules.length >= mostRules)
          throw new AppError('conflict', `There are ${mostRules} rules already. Remove one first.`);
        refuseUnknown(context, rule);
        place(context, rules, rule, rank ?? rules.length);
      });
      return done(ruleView(rule));
    },
    changeBookRule: ({ params, body }) => done(ruleView(change(context, params.ruleId, body))),
    endBookRule({ params: { ruleId } }) {
      store.atomically(() => {
        ruleNamed(context, ruleId);
        store.books.endRule(ruleId, context.time.now());
      });
      return done({ ruleId, ended: true });
    },
    previewBookRule: async ({ body }) => done(await preview(context, body)),
  } satisfies SomeOperations;
};

const ruleView = ({ id, ...rule }: BookRule) => ({ ruleId: id, ...rule });

/** @throws AppError `not_found` */
export const ruleNamed = ({ store }: BooksContext, ruleId: string): BookRule => {
  const rule = store.books.rules().find(({ id }) => id === ruleId);
  if (rule === undefined) throw new AppError('not_found', `There is no rule ${ruleId}.`);
  return rule;
};

/** A misspelled agent or group would match nothing, and nobody would notice. */
const refuseUnknown = ({ store }: BooksContext, { agentId, groupId }: RuleMatch): void => {
  if (agentId !== null && store.agents.get(agentId) === undefined)
    throw fieldError('agentId', `there is no agent ${agentId}`);
  if (groupId !== null && store.groups.get(groupId) === undefined)
    throw fieldError('groupId', `there is no group ${groupId}`);
};

const change = (
  context: BooksContext,
  ruleId: string,
  { rank, ...fields }: Body<'changeBookRule'>,
): BookRule =>
  context.store.atomically(() => {
    const rules = context.store.books.rules();
    const before = ruleNamed(context, ruleId);
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const rule: BookRule = { ...before, ...sent };
    if (matchFields.every((field) => rule[field] === null)) throw fieldError('payee', needsCondition);
    refuseUnknown(context, rule);
    place(context, rules, rule, rank ?? rules.findIndex(({ id }) => id === ruleId));
    return rule;
  });

/** Writes the rule at its place, and those that move for it. */
const place = (
  { store, time }: BooksContext,
  rules: readonly BookRule[],
  rule: BookRule,
  rank: number,
): void => {
  const others = rules.filter(({ id }) => id !== rule.id);
  const next = others.toSpliced(rank, 0, rule);
  for (const [index, one] of next.entries())
    if (one.id === rule.id || rules[index]?.id !== one.id) store.books.setRule(one, index, time.now());
};

const preview = async (
  context: BooksContext,
  { month, rank, ...rule }: Body<'previewBookRule'>,
): Promise<Reply<'previewBookRule'>> => {
  const { store } = context;
  const span = month === undefined ? monthsOf(context).at(-1) : monthNamed(context, month);
  const earlier = store.books.rules().slice(0, rank ?? Infinity);
  const caught: Sums = new Map();
  const taken: Sums = new Map();
  const examples: { entry: Entry; takenBy: string | null }[] = [];
  await forEachEntry(store, span ?? { from: 0, to: 0 }, (entry) => {
    if (!matches(rule, entry)) return;
    const takenBy = earlier.find((one) => matches(one, entry))?.id ?? null;
    addTo(takenBy === null ? caught : taken, takenBy ?? '', entry.asset === 'USDC' ? entry.amount : 0n);
    examples.push({ entry, takenBy });
    if (examples.length > mostExamples) examples.shift();
  });
  return {
    ...view(caught.get('') ?? nothing),
    taken: [...taken].map(([ruleId, sum]) => ({ ruleId, ...view(sum) })),
    examples: examples.toReversed().map(exampleView),
  };
};

const exampleView = ({ entry, takenBy }: { entry: Entry; takenBy: string | null }) => ({
  id: entry.id,
  timestamp: iso(entry.at),
  service: entry.serviceName,
  agentId: entry.agentId,
  counterparty: counterpartyOf(entry),
  amount: amountOf(entry),
  currency: entry.asset,
  takenBy,
});
