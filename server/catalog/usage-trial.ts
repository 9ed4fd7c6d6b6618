// Tries whether a server that speaks OpenAI's API reports the usage of a stream: when it is added, and after a change while that
// is not known. Without usage, each answer counts with the most that its input can be and the bytes of its output.
import { modelServiceId } from '../contract/models/suppliers.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { objectIn } from '../engine/models/wire/json.ts';
import { createStreamReader } from '../engine/models/wire/stream-reader.ts';
import type { AskSupplier, LanguageModels, ModelSupplier } from '../engine/ports.ts';
import { bySupplier } from './by-supplier.ts';

interface Trying {
  context: Pick<EngineContext, 'store' | 'publish'>;
  languageModels: Pick<LanguageModels, 'keyOf' | 'suppliers'>;
  askSupplier: AskSupplier;
}

const reports = bySupplier<boolean>('models-report-usage');
/** A server may have to load its model first. */
const withinMs = 120_000;
const mostPieces = 1_000;

/** Null: it was not tried, or gave no answer. */
export const reportsUsage = (
  store: Pick<EngineContext['store'], 'meta'>,
  { id }: ModelSupplier,
): boolean | null => reports.get(store, id);

/**
 * Asks its first model for one token, unless everything is stopped, or the supplier is off or no longer at this address. What
 * goes wrong says nothing of it.
 */
export const tryUsage = async (trying: Trying, supplier: ModelSupplier): Promise<void> => {
  const { context, languageModels, askSupplier } = trying;
  const { store, publish } = context;
  const isOn = (): boolean =>
    store.freeze.get() === null &&
    languageModels
      .suppliers()
      .some(({ id, baseUrl, enabled }) => id === supplier.id && baseUrl === supplier.baseUrl && enabled);
  if (supplier.kind !== 'openai-compatible' || !isOn()) return;
  const reader = createStreamReader('openai-chat', false);
  try {
    const signal = AbortSignal.timeout(withinMs);
    const ask = (path: string, sent: { body?: string } = {}) =>
      askSupplier({ supplier, key: languageModels.keyOf(supplier.id), headers: {}, signal, path, ...sent });
    const listed: Uint8Array[] = [];
    for await (const piece of (await ask('/models')).body) if (listed.push(piece) > mostPieces) return;
    const { data } = objectIn(Buffer.concat(listed).toString()) ?? {};
    const [first] = Array.isArray(data) ? data : [];
    const model = (first as { id?: unknown } | undefined)?.id;
    if (typeof model !== 'string') return;
    const body = JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 1,
      stream: true,
      stream_options: { include_usage: true },
    });
    if (!isOn()) return;
    const answer = await ask('/chat/completions', { body });
    for await (const piece of answer.body) reader.read(piece);
    reader.end();
    const { whole, usage } = reader.facts();
    if (!whole || !isOn()) return;
    store.atomically(() => reports.set(store, supplier.id, usage !== null));
    publish({ type: 'service', serviceId: modelServiceId(supplier.id) });
  } catch {
    // Its first request says more.
  }
};

/** After a change: what was seen at another address is forgotten, and what is not known is tried. */
export const tryAgain = (trying: Trying, before: ModelSupplier, supplier: ModelSupplier): ModelSupplier => {
  const { store } = trying.context;
  if (supplier.baseUrl !== before.baseUrl) store.atomically(() => reports.set(store, supplier.id, null));
  if (reportsUsage(store, supplier) === null) void tryUsage(trying, supplier);
  return supplier;
};
