// Catalog operations that need the host: asking a paid API for its price, and keeping the owner's keys at providers.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Body, Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import { listModelsAsServices, modelNamed } from '../engine/api/models.ts';
import type { ListedService, Offer, Operation, SellerAnswer, Sellers, Service } from '../engine/ports.ts';
import { serviceView } from '../engine/calls/views.ts';
import { AppError, invariant } from '../errors.ts';
import { formatUsdc } from '../money.ts';
import type { ImageSettings } from './image-keys.ts';
import type { AllImageProviders } from '../providers/image-providers.ts';

type Names = 'previewService' | 'addService' | 'removeService' | 'listImageProviders' | 'setImageProvider';

export interface CatalogOperations {
  operations: { [N in Names]: Operation<N> };
  /** @throws AppError `not_found` when a path names something that does not exist */
  checkPath(params: Readonly<Record<string, unknown>>): void;
}

interface CatalogDeps {
  context: EngineContext;
  sellers: Sellers;
  providers: AllImageProviders;
  settings: ImageSettings;
}

export const catalogOperations = ({
  context,
  sellers,
  providers,
  settings,
}: CatalogDeps): CatalogOperations => {
  const { store } = context;

  const serviceNamed = (serviceId: string): ListedService => {
    const known = store.services.listed(serviceId);
    if (known === undefined) throw new AppError('not_found', `There is no service ${serviceId}.`);
    return known;
  };
  const providerNamed = (providerId: string) => {
    const provider = providers.providers().find((one) => one.providerId === providerId);
    if (provider === undefined) throw new AppError('not_found', `There is no provider ${providerId}.`);
    return provider;
  };

  const offersIn = (answer: SellerAnswer): readonly Offer[] => {
    try {
      return sellers.offers(answer);
    } catch (error) {
      throw error instanceof AppError
        ? new AppError(error.code, `url: ${error.message}`, error.details)
        : error;
    }
  };

  const preview = async ({ url, name }: Body<'previewService'>): Promise<Reply<'previewService'>> => {
    const answer = await sellers.ask({ url, method: 'GET', headers: {}, body: null });
    if (answer.status !== 402)
      throw new AppError('not_available', `url: it answered ${answer.status}, and not 402 with a price.`);
    const offers = offersIn(answer);
    const [offer] = offers.toSorted((a, b) => Number(a.amount - b.amount));
    invariant(offer !== undefined, 'there is an offer, or a reason why there is none');
    const { origin, pathname, host } = new URL(url);
    const named = offer.terms['service'];
    const serviceId =
      offer.dialect === 'receipt' && typeof named === 'string' ? named : slugOf(`${host}${pathname}`);
    const known = store.services.listed(serviceId);
    if (known !== undefined && (!known.addedByOwner || known.origin !== origin))
      throw new AppError(
        'conflict',
        `url: it calls itself ${serviceId}, and that is the id of ${known.name} (${known.origin}).`,
      );
    const kept = {
      serviceId,
      name: name ?? `${host}${pathname}`,
      description: `${pathname} at ${host}.`,
      endpoint: `GET ${pathname}`,
      origin,
      payees: [...new Set(offers.map(({ payee }) => payee))],
      price: formatUsdc(offer.amount),
      dialect: offer.dialect,
    };
    return {
      ...kept,
      hash: hash('sha256', canonicalize(kept) ?? ''),
      replaces: known !== undefined,
      warnings: offers.some(({ payee }) => context.store.wallets.get(payee) !== undefined)
        ? ['The payee is a wallet of this treasury.']
        : [],
    };
  };

  const operations: CatalogOperations['operations'] = {
    previewService: async ({ body }) => done(await preview(body)),
    async addService({ body: { hash: shown, ...body } }) {
      const now = await preview(body);
      if (now.hash !== shown)
        throw new AppError('conflict', 'url: its offer has changed since the preview. Look again.');
      const [warning] = now.warnings;
      if (warning !== undefined) throw new AppError('bad_request', `url: ${warning}`);
      const { serviceId: id, name, description, endpoint, origin, payees, price } = now;
      const entry: Service = {
        id,
        name,
        description,
        category: 'api',
        source: 'x402-marketplace',
        endpoint,
        origin,
        payees,
        pricing: {},
        price,
        vouched: true,
      };
      store.atomically(() => store.services.upsert(entry, { addedByOwner: true }));
      const added = store.services.listed(id);
      invariant(added !== undefined, 'what was added is listed');
      return done(serviceView(added));
    },
    removeService({ params: { serviceId } }) {
      const known = serviceNamed(serviceId);
      if (!known.addedByOwner)
        throw new AppError('conflict', `${known.name} belongs to the treasury and cannot be removed.`);
      store.atomically(() => store.services.remove(serviceId));
      return done({ serviceId, removed: true });
    },

    listImageProviders: () =>
      done({ providers: providers.providers().map((one) => ({ ...one, ...settings.view(one.providerId) })) }),
    setImageProvider({ params: { providerId }, body }) {
      const provider = providerNamed(providerId);
      settings.change(providerId, body);
      listModelsAsServices(context, providers);
      return done({ ...provider, ...settings.view(providerId) });
    },
  };
  return {
    operations,
    checkPath({ serviceId, providerId, modelId }) {
      if (typeof serviceId === 'string') serviceNamed(serviceId);
      if (typeof providerId === 'string') providerNamed(providerId);
      if (typeof modelId === 'string') modelNamed(providers, modelId);
    },
  };
};

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 200);
