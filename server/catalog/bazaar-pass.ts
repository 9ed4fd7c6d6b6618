// One pass over a source's list: page by page into the catalog, a few milliseconds at a time, so that payments never
// wait for it. The offset is stored with what was read: an interrupted pass continues there.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineContext } from '../engine/calls/call.ts';
import type { CatalogSource, ImportCounts, Sellers } from '../engine/ports.ts';
import { AppError, invariant } from '../errors.ts';
import { readItem, type ItemRules } from './bazaar-item.ts';
import { readList, type BazaarPage } from './bazaar-list.ts';
import { readOpenApi } from './openapi-list.ts';
import type { Outbound } from '../x402/outbound.ts';

export interface PassDeps {
  context: Pick<EngineContext, 'store' | 'time' | 'log'>;
  outbound: Outbound;
  /** Asked for what their documents do not say. */
  sellers: Pick<Sellers, 'ask' | 'offers'>;
  rules: Omit<ItemRules, 'now'>;
}

interface Pass {
  sourceId: string;
  signal: AbortSignal;
  /** Called after each page. */
  onProgress: () => void;
}

const everyMs = 6 * 3_600_000;
const firstRetryMs = 5 * 60_000;
/** The longest that one transaction may hold the event loop. */
const sliceMs = 4;
const forgottenAtOnce = 50;
/** Entries that vanished and were never paid are kept while there are no more. */
const vanishedKept = 5_000;

export const noCounts: ImportCounts = {
  startedAt: 0,
  done: 0,
  total: null,
  added: 0,
  changed: 0,
  vanished: 0,
  skipped: 0,
  notPayable: 0,
  failures: 0,
};

/** Runs or continues a pass, and notes when the next one is due. Rejects when it was aborted or the disk failed. */
export const runPass = async (deps: PassDeps, pass: Pass): Promise<void> => {
  const { store, time, log } = deps.context;
  const { sourceId, signal } = pass;
  try {
    const why = await readAll(deps, pass);
    const now = time.now();
    // Jitter: not all hosts at the same moment, and no two of them in step for ever.
    const nextRunAt = now + Math.round(everyMs * (0.9 + 0.2 * Math.random()));
    const counts = { ...sourceOf(deps, sourceId).counts, failures: 0 };
    store.atomically(() =>
      store.sources.update(sourceId, { offset: null, lastRunAt: now, nextRunAt, error: why, counts }),
    );
  } catch (error) {
    if (signal.aborted || (error instanceof AppError && error.code === 'halted')) throw error;
    if (!(error instanceof AppError)) log.error({ err: error, sourceId }, 'an import failed');
    const { counts } = sourceOf(deps, sourceId);
    const failures = counts.failures + 1;
    const waitMs = Math.min(firstRetryMs * 2 ** (failures - 1), everyMs);
    store.atomically(() =>
      store.sources.update(sourceId, {
        error: error instanceof AppError ? error.message : 'Internal error',
        nextRunAt: time.now() + waitMs,
        counts: { ...counts, failures },
      }),
    );
  }
};

const sourceOf = ({ context }: PassDeps, sourceId: string): CatalogSource => {
  const source = context.store.sources.get(sourceId);
  invariant(source !== undefined, 'the source of a pass is there');
  return source;
};

/** Null when the list was seen whole, otherwise why not. */
const readAll = async (deps: PassDeps, { sourceId, signal, onProgress }: Pass): Promise<string | null> => {
  begin(deps, sourceId);
  onProgress();
  const { url, offset } = sourceOf(deps, sourceId);
  const list = readSource(deps, { url, offset: offset ?? 0, signal });
  let isFull = false;
  for await (const page of list) {
    isFull = (await enterPage(deps, sourceId, page, signal)) || isFull;
    onProgress();
    if (page.end?.isWhole === false) return page.end.why;
  }
  await forgetListed(deps, { sourceId, all: false, signal });
  await forgetVanished(deps, signal);
  return isFull ? full : null;
};

interface Reading {
  url: string;
  offset: number;
  signal: AbortSignal;
}

/** A facilitator's list, or that of a seller, which has none but its OpenAPI document. */
const readSource = async function* (deps: PassDeps, reading: Reading): AsyncGenerator<BazaarPage, void> {
  const { outbound, sellers, rules } = deps;
  try {
    yield* readList({ outbound, ...reading });
  } catch (error) {
    if (!(error instanceof AppError) || error.details?.['status'] !== 404) throw error;
    yield* readOpenApi({ outbound, sellers, network: rules.network, ...reading });
  }
};

/** Begins a new pass, unless the last one can be continued: it must be recent, since lists change meanwhile. */
const begin = (deps: PassDeps, sourceId: string): void => {
  const { store, time } = deps.context;
  const { offset, pass, counts } = sourceOf(deps, sourceId);
  const startedAt = time.now();
  if (offset !== null && startedAt - counts.startedAt < everyMs) return;
  store.atomically(() =>
    store.sources.update(sourceId, {
      pass: pass + 1,
      offset: 0,
      counts: { ...noCounts, startedAt, failures: counts.failures },
    }),
  );
};

const full =
  'The catalog has had too many entries that came and went: new ones are not taken. Those that it knows are kept up to date.';

/** Returns whether new items found no room. */
const enterPage = async (
  deps: PassDeps,
  sourceId: string,
  page: BazaarPage,
  signal: AbortSignal,
): Promise<boolean> => {
  const { store, time } = deps.context;
  const rules = { ...deps.rules, now: time.now() };
  let [skipped, notPayable, isFull] = [page.skipped, 0, false];
  let { counts } = sourceOf(deps, sourceId);
  const enter = (given: unknown): void => {
    const item = readItem(given, rules);
    if (item.kind === 'not-payable') notPayable += 1;
    const entered = item.kind === 'entry' ? store.sources.enter(sourceId, item) : item.kind;
    if (entered === 'taken' || entered === 'unusable' || entered === 'full') skipped += 1;
    isFull ||= entered === 'full';
    if (entered === 'added' || entered === 'changed') counts = { ...counts, [entered]: counts[entered] + 1 };
  };
  const rest = [...page.items].toReversed();
  const enterSome = (): boolean => {
    const until = performance.now() + sliceMs;
    while (rest.length > 0 && performance.now() < until) enter(rest.pop());
    if (rest.length > 0) {
      store.sources.update(sourceId, { counts });
      return false;
    }
    // A page that is read again after a crash must not be counted twice: it is counted once it is through.
    counts = {
      ...counts,
      done: page.next,
      total: page.total ?? counts.total,
      skipped: counts.skipped + skipped,
      notPayable: counts.notPayable + notPayable,
    };
    store.sources.update(sourceId, { offset: page.next, counts });
    return true;
  };
  await inTurns(deps, signal, enterSome);
  return isFull;
};

/** Does some work in each turn of the event loop, in a transaction, until `work` returns true. */
const inTurns = async (
  { context: { store } }: Pick<PassDeps, 'context'>,
  signal: AbortSignal | null,
  work: () => boolean,
): Promise<void> => {
  for (;;) {
    signal?.throwIfAborted();
    if (store.atomically(work)) return;
    await nextTurn();
  }
};

/** A list that names other entries at each reading must not make the catalog grow without end. */
const forgetVanished = async (deps: Pick<PassDeps, 'context'>, signal: AbortSignal): Promise<void> => {
  const { services, sources } = deps.context.store;
  const gone = sources.vanishedLongAgo(vanishedKept);
  await inTurns(deps, signal, () => {
    for (const id of gone.splice(0, forgottenAtOnce)) services.forget(id);
    return gone.length === 0;
  });
};

/** Forgets what the source no longer lists, or with `all` everything that it lists. */
export const forgetListed = async (
  deps: Pick<PassDeps, 'context'>,
  { sourceId, all, signal }: { sourceId: string; all: boolean; signal: AbortSignal | null },
): Promise<void> => {
  const { sources } = deps.context.store;
  await inTurns(deps, signal, () => {
    const now = deps.context.time.now();
    const { forgotten, vanished } = sources.forget(sourceId, { all, now, limit: forgottenAtOnce });
    const counts = sources.get(sourceId)?.counts ?? noCounts;
    if (vanished > 0)
      sources.update(sourceId, { counts: { ...counts, vanished: counts.vanished + vanished } });
    return forgotten < forgottenAtOnce;
  });
};
