// Single questions of one turn of the event loop, asked of the RPC in one call.

const signaturesAtOnce = 256;

/** Gathers the keys of one turn of the event loop into one call. */
export const inBatches = <T>(
  ask: (keys: readonly string[]) => Promise<readonly T[]>,
): ((key: string) => Promise<T | null>) => {
  let waiting: { key: string; resolve: (value: T | null) => void; reject: (error: unknown) => void }[] = [];
  const flush = (): void => {
    const batch = waiting.slice(0, signaturesAtOnce);
    waiting = waiting.slice(signaturesAtOnce);
    if (waiting.length > 0) setImmediate(flush);
    ask(batch.map(({ key }) => key)).then(
      (found) => batch.forEach(({ resolve }, index) => resolve(found[index] ?? null)),
      (error: unknown) => batch.forEach(({ reject }) => reject(error)),
    );
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (waiting.length === 1) setImmediate(flush);
    });
};
