// The models that a caller may use, and how many tokens a request to one has: neither costs anything.
import { isModelIn } from '../../contract/limits/policy-field.ts';
import { modelServiceId } from '../../contract/models/suppliers.ts';
import { AppError, fieldError } from '../../errors.ts';
import type { EngineContext } from '../calls/call.ts';
import { pathOf } from '../limits/path.ts';
import { pathNow } from '../payment/decision/charge-path.ts';
import type { LanguageModels, ModelAsked, ModelSupplier } from '../ports.ts';
import { readJson } from './wire/json.ts';
import { isAnthropic } from './wire/wires.ts';

type Listing = Pick<EngineContext, 'store' | 'calendar' | 'time'>;
type Caller = Pick<ModelAsked['caller'], 'agentId' | 'keyId'>;

/** Whether each node of the caller's path allows this model of this supplier. */
const mayUse = (
  context: Listing,
  { agentId, keyId }: Caller,
): ((supplier: Pick<ModelSupplier, 'id' | 'kind'>, model: string) => boolean) => {
  const { store, time } = context;
  const charged = {
    agentId,
    ...pathNow(store, agentId, keyId),
    isClaimed: false,
    now: time.now(),
    own: null,
  };
  const nodes = pathOf(context, charged).map(({ limits }) => limits);
  return ({ id, kind }, model) => {
    const serviceId = modelServiceId(id);
    if (store.serviceRules.blocking({ serviceId, payee: '', url: null }) !== null) return false;
    return nodes.every(
      ({ allowedModels, allowedServices: services }) =>
        (allowedModels === null || isModelIn(allowedModels, model)) &&
        // A seller is paid as the service that its offer names.
        (kind === 'seller' || services === null || services.length === 0 || services.includes(serviceId)),
    );
  };
};

/** In the shape of the API: with a price, enabled, and allowed to the caller. */
export const modelList = (
  context: Listing,
  languageModels: LanguageModels,
  caller: Caller,
  wire: ModelAsked['wire'],
): object => {
  const isAllowed = mayUse(context, caller);
  const sellers = languageModels.suppliers().filter(({ kind, enabled }) => enabled && kind === 'seller');
  const own = languageModels.ofApi(isAnthropic(wire) ? 'anthropic' : 'openai');
  const all = [...own, ...sellers].flatMap((supplier) =>
    languageModels
      .models(supplier)
      .filter(({ id, enabled, priceSource }) => enabled && priceSource !== null && isAllowed(supplier, id))
      .map(({ id, isDefault }) => ({ supplier, id, isDefault })),
  );
  // A seller's model goes by the id alone only where the owner says so.
  const times = (id: string): number =>
    all.filter((one) => one.id === id).length +
    (all.find((one) => one.id === id)?.supplier.kind === 'seller' ? 1 : 0);
  const names = all.map(({ supplier, id, isDefault }) => ({
    name: times(id) === 1 || isDefault ? id : `${supplier.id}/${id}`,
    supplier,
  }));
  if (!isAnthropic(wire))
    return {
      object: 'list',
      data: names.map(({ name, supplier }) => ({
        id: name,
        object: 'model',
        created: 0,
        owned_by: supplier.id,
      })),
    };
  const data = names.map(({ name }) => ({
    type: 'model',
    id: name,
    display_name: name,
    created_at: '1970-01-01T00:00:00Z',
  }));
  return { data, has_more: false, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
};

/**
 * A request that counts tokens, as it leaves. `refuseNow` looks again at whether the caller may use the model.
 * @throws AppError `bad_request`, `not_found`, `model_ambiguous`, `model_unpriced`, `model_not_allowed`
 */
export const countRequest = (
  context: Listing,
  languageModels: LanguageModels,
  { caller, body }: ModelAsked,
): { supplier: ModelSupplier; text: string; refuseNow: () => void } => {
  const given = readJson(body);
  const { model: name } = given;
  if (typeof name !== 'string' || name === '') throw fieldError('model', 'must name a model');
  const { supplier, model } = languageModels.find('anthropic', name);
  const refuseNow = (): void => refuseModel(context, caller, supplier, model.id);
  refuseNow();
  return { supplier, text: JSON.stringify({ ...given, model: model.id }), refuseNow };
};

/** @throws AppError `model_not_allowed` */
export const refuseModel = (
  context: Listing,
  caller: Caller,
  supplier: Pick<ModelSupplier, 'id' | 'kind'>,
  model: string,
): void => {
  if (mayUse(context, caller)(supplier, model)) return;
  const message = `The policy does not allow the language model ${model}.`;
  throw new AppError('model_not_allowed', message, { rule: 'allowedModels', model });
};
