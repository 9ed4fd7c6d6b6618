// Catalog operations that need the host: asking a paid API for its price, and keeping the owner's keys at providers.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { mcpNameIn } from '../contract/catalog/mcp-names.schemas.ts';
import { isModelService } from '../contract/models/suppliers.ts';
import type { RouteName } from '../contract/routes.ts';
import type { Body, Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import { listModelsAsServices, modelNamed } from '../engine/api/models/image-models.ts';
import type { ListedService, Offer, SomeOperations, Sellers, Service } from '../engine/ports.ts';
import { serviceView } from '../engine/calls/views.ts';
import { AppError, fieldError, invariant } from '../errors.ts';
import { formatUsdc } from '../money.ts';
import type { ImageSettings } from './image-keys.ts';
import { modelSupplierOperations, type ModelSupplierDeps } from './model-suppliers.ts';
import type { AllImageProviders } from '../providers/image-providers.ts';

interface CatalogDeps extends ModelSupplierDeps {
  sellers: Sellers;
  providers: AllImageProviders;
  imageKeys: ImageSettings;
}

export const catalogOperations = (deps: CatalogDeps) => {
  const { context, providers, imageKeys } = deps;
  const suppliers = modelSupplierOperations(deps);
  return {
    operations: {
      ...suppliers.operations,
      previewService: async ({ body }) => done(await preview(deps, body)),
      addService: async ({ body }) => done(serviceView(await addService(deps, body))),
      removeService({ params: { serviceId } }) {
        removeService(context, serviceId);
        return done({ serviceId, removed: true });
      },
      listImageProviders: () => {
        const all = providers.providers();
        return done({ providers: all.map((one) => ({ ...one, ...imageKeys.view(one.providerId) })) });
      },
      setImageProvider({ params: { providerId }, body }) {
        const provider = providerNamed(providers, providerId);
        imageKeys.change(providerId, body);
        listModelsAsServices(context, providers);
        return done({ ...provider, ...imageKeys.view(providerId) });
      },
    } satisfies SomeOperations,
    /** @throws AppError `not_found` when a path names something that does not exist */
    checkPath(params: Readonly<Record<string, unknown>>, route: RouteName): void {
      const { serviceId, providerId, modelId } = params;
      suppliers.checkPath(params);
      if (typeof serviceId === 'string' && !alsoUnlisted.includes(route)) serviceNamed(context, serviceId);
      if (typeof providerId === 'string') providerNamed(providers, providerId);
      if (typeof modelId === 'string') modelNamed(providers, modelId);
    },
  };
};

/** A service outside the catalog, or removed from it, can be looked at and blocked too. */
const alsoUnlisted: readonly RouteName[] = ['getService', 'setServiceRule'];

const serviceNamed = ({ store }: EngineContext, serviceId: string): ListedService => {
  const known = store.services.listed(serviceId);
  if (known === undefined) throw new AppError('not_found', `There is no service ${serviceId}.`);
  return known;
};

const providerNamed = (providers: AllImageProviders, providerId: string) => {
  const provider = providers.providers().find((one) => one.providerId === providerId);
  if (provider === undefined) throw new AppError('not_found', `There is no provider ${providerId}.`);
  return provider;
};

const preview = async (
  { context, sellers }: CatalogDeps,
  { url, name }: Body<'previewService'>,
): Promise<Reply<'previewService'>> => {
  const offers = await offersAt(sellers, url);
  const [offer] = offers.toSorted((a, b) => Number(a.amount - b.amount));
  invariant(offer !== undefined, 'there is an offer, or a reason why there is none');
  const { origin, pathname, host } = new URL(url);
  const serviceId = namedBy(offer) ?? slugOf(`${host}${pathname}`);
  if (isModelService(serviceId) || mcpNameIn(serviceId) !== null)
    throw fieldError(
      'url',
      `it calls itself ${serviceId}, and only the treasury gives such an id`,
      'conflict',
    );
  const known = context.store.services.listed(serviceId);
  if (known !== undefined && (!known.addedByOwner || known.origin !== origin))
    throw fieldError(
      'url',
      `it calls itself ${serviceId}, and that is the id of ${known.name} (${known.origin})`,
      'conflict',
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

/** @throws AppError that begins with `url:` when it asks for no payment, or for none that we can make */
const offersAt = async (sellers: Sellers, url: string): Promise<readonly Offer[]> => {
  const answer = await sellers.ask({ url, method: 'GET', headers: {}, body: null });
  if (answer.status !== 402)
    throw fieldError('url', `it answered ${answer.status}, and not 402 with a price`, 'not_available');
  try {
    return sellers.offers(answer, url);
  } catch (error) {
    throw error instanceof AppError ? atField('url', error) : error;
  }
};

/** The same refusal, said of a field. */
const atField = (field: string, { code, message, details }: AppError): AppError =>
  new AppError(code, `${field}: ${message}`, { ...details, fields: { [field]: message } });

/** The id that the seller gives its service, in the one dialect that has such ids. */
const namedBy = ({ dialect, terms }: Offer): string | null => {
  const named = terms['service'];
  return dialect === 'receipt' && typeof named === 'string' ? named : null;
};

const addService = async (
  deps: CatalogDeps,
  { hash: shown, ...body }: Body<'addService'>,
): Promise<ListedService> => {
  const now = await preview(deps, body);
  if (now.hash !== shown)
    throw fieldError('url', 'its offer has changed since the preview. Preview it again', 'conflict');
  const [warning] = now.warnings;
  if (warning !== undefined) throw fieldError('url', warning.replace(/\.$/, ''));
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
  const { store, publish } = deps.context;
  store.atomically(() => store.services.upsert(entry, { addedByOwner: true }));
  const added = store.services.listed(id);
  invariant(added !== undefined, 'what was added is listed');
  publish({ type: 'service', serviceId: id });
  return added;
};

const removeService = (context: EngineContext, serviceId: string): void => {
  const known = serviceNamed(context, serviceId);
  if (!known.addedByOwner)
    throw new AppError('conflict', `${known.name} belongs to the treasury and cannot be removed.`);
  const { store, publish } = context;
  store.atomically(() => store.services.remove(serviceId));
  publish({ type: 'service', serviceId });
};

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 200);
