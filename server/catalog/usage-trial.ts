// Tries once, when it is added, whether a server that speaks OpenAI's API reports the usage of a stream. Without usage, each
// answer counts with the most that its input can be and the bytes of its output.
import { modelServiceId } from '../contract/models/suppliers.ts';
import type { EngineContext } from '../engine/calls/call.ts';
import { objectIn } from '../engine/models/wire/json.ts';
import { createStreamReader } from '../engine/models/wire/stream-reader.ts';
import type { AskSupplier, LanguageModels, ModelSupplier } from '../engine/ports.ts';

interface Trying {
  context: Pick<EngineContext, 'store' | 'publish'>;
  languageModels: Pick<LanguageModels, 'keyOf' | 'suppliers'>;
  askSupplier: AskSupplier;
}

const name = 'models-report-usage';
/** A server may have to load its model first. */
const withinMs = 120_000;
const mostPieces = 1_000;

const known = ({ meta }: Pick<EngineContext['store'], 'meta'>): Record<string, boolean> =>
  JSON.parse(meta.get(name) ?? '{}') as Record<string, boolean>;

/** Null: it was not tried, or gave no answer. */
export const reportsUsage = (
  store: Pick<EngineContext['store'], 'meta'>,
  { id }: ModelSupplier,
): boolean | null => known(store)[id] ?? null;

/** Asks its first model for one token, unless everything is stopped or the supplier is off. What goes wrong says nothing of it. */
export const tryUsage = async (trying: Trying, supplier: ModelSupplier): Promise<void> => {
  const { context, languageModels, askSupplier } = trying;
  const { store, publish } = context;
  const isOn = (): boolean =>
    store.freeze.get() === null &&
    languageModels.suppliers().some(({ id, enabled }) => id === supplier.id && enabled);
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
    if (!whole) return;
    store.atomically(() =>
      store.meta.set(name, JSON.stringify({ ...known(store), [supplier.id]: usage !== null })),
    );
    publish({ type: 'service', serviceId: modelServiceId(supplier.id) });
  } catch {
    // Its first request says more.
  }
};
