// The catalog's sources: which facilitators' lists are imported, and how far.
import type { Body, Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import type { CatalogSource, ListedService, Operation } from '../engine/ports.ts';
import { iso, isoOrNull, serviceView } from '../engine/calls/views.ts';
import { AppError, fieldError, invariant } from '../errors.ts';
import { forgetListed, noCounts, type PassDeps } from './bazaar-pass.ts';
import { createBazaarSchedule } from './bazaar-schedule.ts';
import { isOwnOrigin } from '../lib/net/public-url.ts';

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
/** Offered on a real network, and never contacted before the owner adds it. */
const suggested = {
  url: 'https://api.cdp.coinbase.com/platform/v2/x402',
  name: 'Coinbase Developer Platform',
};

export const createBazaar = (deps: BazaarDeps): Bazaar => {
  const { context } = deps;
  const tell = (sourceId: string): void => {
    const source = context.store.sources.get(sourceId);
    if (source !== undefined) context.publish({ type: 'catalog', source: view(source) });
  };
  const schedule = createBazaarSchedule(deps, tell);
  const view = (source: CatalogSource): Reply<'addSource'> =>
    sourceView(source, schedule.isRunning(source.id));
  const viewOf = (sourceId: string): Reply<'addSource'> => view(sourceNamed(context, sourceId));

  return {
    operations: {
      listSources: () => done(listSources(context, view)),
      addSource({ body }) {
        const sourceId = addSource(deps, body);
        schedule.wake();
        return done(viewOf(sourceId));
      },
      refreshSource({ params: { sourceId } }) {
        makeDue(context, sourceId);
        schedule.wake();
        return done(viewOf(sourceId));
      },
      async removeSource({ params: { sourceId } }) {
        sourceNamed(context, sourceId);
        await schedule.without(sourceId, () => removeSource(deps, sourceId));
        return done({ sourceId, removed: true });
      },
      acceptPayees: ({ params: { serviceId }, body: { payees } }) =>
        done(serviceView(acceptPayees(context, serviceId, payees))),
    },
    checkPath({ sourceId }) {
      if (typeof sourceId === 'string') sourceNamed(context, sourceId);
    },
    start: schedule.start,
    close: schedule.close,
  };
};

const sourceNamed = ({ store }: EngineContext, sourceId: string): CatalogSource => {
  const source = store.sources.get(sourceId);
  if (source === undefined) throw new AppError('not_found', `There is no source ${sourceId}.`);
  return source;
};

const listSources = (
  { store, settings }: EngineContext,
  view: (source: CatalogSource) => Reply<'addSource'>,
): Reply<'listSources'> => {
  const sources = store.sources.list();
  const offered = settings.network === 'mainnet' && sources.every(({ url }) => url !== suggested.url);
  return { sources: sources.map(view), suggestions: offered ? [suggested] : [] };
};

/** Returns its id. */
const addSource = ({ context, rules }: BazaarDeps, body: Body<'addSource'>): string => {
  const { store, time, newId } = context;
  const url = facilitatorOf(body.url, rules);
  const sources = store.sources.list();
  if (sources.some((one) => one.url === url))
    throw fieldError('url', `${url} is a source already`, 'conflict');
  if (sources.length >= mostSources)
    throw new AppError('conflict', `There are ${mostSources} sources. Remove one before you add another.`);
  const source = { id: newId('src'), url, name: body.name ?? new URL(url).host, addedAt: time.now() };
  store.atomically(() => store.sources.add({ ...source, counts: noCounts }));
  return source.id;
};

const makeDue = (context: EngineContext, sourceId: string): void => {
  const { store, time } = context;
  const now = time.now();
  if (sourceNamed(context, sourceId).nextRunAt > now)
    store.atomically(() => store.sources.update(sourceId, { nextRunAt: now }));
};

const removeSource = async (deps: BazaarDeps, sourceId: string): Promise<void> => {
  const { store } = deps.context;
  await forgetListed(deps, { sourceId, all: true, signal: null });
  store.atomically(() => store.sources.remove(sourceId));
};

/** Pins what the sources name now, if that is what the owner was shown. */
const acceptPayees = (
  { store, publish }: EngineContext,
  serviceId: string,
  payees: readonly string[],
): ListedService => {
  const shown = store.services.listed(serviceId)?.newPayees;
  if (shown === undefined || !isSameSet(shown, payees))
    throw fieldError(
      'payees',
      'these are not the ones that the sources name now. Read the entry again',
      'conflict',
    );
  store.atomically(() => store.services.pin(serviceId, shown));
  const pinned = store.services.listed(serviceId);
  invariant(pinned !== undefined, 'an entry is listed after its payees were accepted');
  publish({ type: 'service', serviceId });
  return pinned;
};

/** @throws AppError `bad_request` unless it can be a facilitator's address */
const facilitatorOf = (text: string, { allowOrigins, ownOrigins }: PassDeps['rules']): string => {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw fieldError('url', 'must have no user name, password, query or fragment');
  if (isOwnOrigin(ownOrigins, url)) throw fieldError('url', 'this is the treasury itself');
  if (url.protocol !== 'https:' && !allowOrigins.includes(url.origin))
    throw fieldError('url', 'must be https (on the sandbox, see --allow-origin)');
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
