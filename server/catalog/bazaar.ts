// The catalog's sources: which facilitators' lists are imported, when, and how far. Imports run one at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import type { CatalogSource, Operation } from '../engine/ports.ts';
import { iso, isoOrNull, serviceView } from '../engine/calls/views.ts';
import { AppError, invariant } from '../errors.ts';
import { forgetListed, noCounts, runPass, type PassDeps } from './bazaar-pass.ts';

type Names = 'listSources' | 'addSource' | 'refreshSource' | 'removeSource' | 'acceptPayees';

export interface Bazaar {
  operations: { [N in Names]: Operation<N> };
  /** @throws AppError `not_found` when a path names a source that does not exist */
  checkPath(params: Readonly<Record<string, unknown>>): void;
  /** Imports what is due, now and from now on. */
  start(): void;
  /** Stops the pass under way where it is. */
  close(): Promise<void>;
}

interface BazaarDeps extends PassDeps {
  context: EngineContext;
}

const mostSources = 20;
const mostWaitMs = 3_600_000;
const tellEveryMs = 1_000;
/** Offered on a real network, and never contacted before the owner adds it. */
const suggested = {
  url: 'https://api.cdp.coinbase.com/platform/v2/x402',
  name: 'Coinbase Developer Platform',
};

export const createBazaar = (deps: BazaarDeps): Bazaar => {
  const { store, time, settings, newId, publish, log } = deps.context;
  let running: { sourceId: string; abort: AbortController; ended: Promise<void> } | null = null;
  const leaving = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isOpen = false;

  const named = (sourceId: string): CatalogSource => {
    const source = store.sources.get(sourceId);
    if (source === undefined) throw new AppError('not_found', `There is no source ${sourceId}.`);
    return source;
  };
  const view = (source: CatalogSource): Reply<'addSource'> =>
    sourceView(source, running?.sourceId === source.id);
  const tell = (sourceId: string): void => {
    const source = store.sources.get(sourceId);
    if (source !== undefined) publish({ type: 'catalog', source: view(source) });
  };

  const wake = (): void => {
    clearTimeout(timer);
    if (!isOpen || running !== null) return;
    const sources = store.sources.list().filter(({ id }) => !leaving.has(id));
    const [next] = sources.toSorted((a, b) => a.nextRunAt - b.nextRunAt);
    if (next === undefined) return;
    const waitMs = next.nextRunAt - time.now();
    if (waitMs > 0) timer = setTimeout(wake, Math.min(waitMs, mostWaitMs)).unref();
    else run(next.id);
  };

  const run = (sourceId: string): void => {
    const abort = new AbortController();
    let toldAt = Number.NEGATIVE_INFINITY;
    const onProgress = (): void => {
      if (performance.now() - toldAt < tellEveryMs) return;
      toldAt = performance.now();
      tell(sourceId);
    };
    const work = async (): Promise<void> => {
      try {
        await runPass(deps, { sourceId, signal: abort.signal, onProgress });
      } catch (error) {
        // Nothing more can be written: the pass continues where it was after the next start.
        if (!abort.signal.aborted) isOpen = false;
        if (!abort.signal.aborted) log.warn({ err: error, sourceId }, 'imports have stopped');
      }
      running = null;
      tell(sourceId);
      wake();
    };
    // Its first step is taken in a later turn, when `running` is known.
    running = { sourceId, abort, ended: nextTurn().then(work) };
  };

  const operations: Bazaar['operations'] = {
    listSources: () => {
      const sources = store.sources.list();
      const offered = settings.network === 'mainnet' && sources.every(({ url }) => url !== suggested.url);
      return done({ sources: sources.map(view), suggestions: offered ? [suggested] : [] });
    },
    addSource({ body }) {
      const url = facilitatorOf(body.url, deps.rules);
      const sources = store.sources.list();
      if (sources.some((one) => one.url === url))
        throw new AppError('conflict', `url: ${url} is a source already.`);
      if (sources.length >= mostSources)
        throw new AppError(
          'conflict',
          `There are ${mostSources} sources. Remove one before you add another.`,
        );
      const source = { id: newId('src'), url, name: body.name ?? new URL(url).host, addedAt: time.now() };
      store.atomically(() => store.sources.add({ ...source, counts: noCounts }));
      wake();
      return done(view(named(source.id)));
    },
    refreshSource({ params: { sourceId } }) {
      const now = time.now();
      if (named(sourceId).nextRunAt > now)
        store.atomically(() => store.sources.update(sourceId, { nextRunAt: now }));
      wake();
      return done(view(named(sourceId)));
    },
    async removeSource({ params: { sourceId } }) {
      named(sourceId);
      leaving.add(sourceId);
      try {
        if (running?.sourceId === sourceId) {
          running.abort.abort();
          await running.ended;
        }
        await forgetListed(deps, { sourceId, all: true, signal: null });
        store.atomically(() => store.sources.remove(sourceId));
      } finally {
        leaving.delete(sourceId);
        wake();
      }
      return done({ sourceId, removed: true });
    },
    acceptPayees({ params: { serviceId }, body: { payees } }) {
      const shown = store.services.listed(serviceId)?.newPayees;
      if (shown === undefined || !isSameSet(shown, payees))
        throw new AppError(
          'conflict',
          'payees: these are not the ones that the sources name now. Look at the entry again.',
        );
      store.atomically(() => store.services.pin(serviceId, shown));
      const pinned = store.services.listed(serviceId);
      invariant(pinned !== undefined, 'an entry is listed after its payees were accepted');
      return done(serviceView(pinned));
    },
  };

  return {
    operations,
    checkPath({ sourceId }) {
      if (typeof sourceId === 'string') named(sourceId);
    },
    start() {
      isOpen = true;
      wake();
    },
    async close() {
      isOpen = false;
      clearTimeout(timer);
      running?.abort.abort();
      await running?.ended;
    },
  };
};

/** @throws AppError `bad_request` unless it can be a facilitator's address */
const facilitatorOf = (text: string, { allowOrigins, ownOrigin }: PassDeps['rules']): string => {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new AppError('bad_request', 'url: must have no user name, password, query or fragment.');
  if (url.origin === ownOrigin) throw new AppError('bad_request', 'url: this is the treasury itself.');
  if (url.protocol !== 'https:' && !allowOrigins.includes(url.origin))
    throw new AppError('bad_request', 'url: must be https (on the sandbox, see --allow-origin).');
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/discovery(\/resources)?$/, '')}`;
};

const isSameSet = (one: readonly string[], other: readonly string[]): boolean => {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((item) => b.has(item));
};

const sourceView = (source: CatalogSource, isRunning: boolean): Reply<'addSource'> => {
  const { id, url, name, counts, error } = source;
  const { done: read, total, added, changed, vanished, skipped, notPayable } = counts;
  return {
    sourceId: id,
    url,
    name,
    addedAt: iso(source.addedAt),
    state: isRunning ? 'running' : error === null ? 'idle' : 'failed',
    done: read,
    total,
    added,
    changed,
    vanished,
    skipped,
    notPayable,
    lastRunAt: isoOrNull(source.lastRunAt),
    nextRunAt: iso(source.nextRunAt),
    error: isRunning ? null : error,
  };
};
