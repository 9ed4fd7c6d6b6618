// A fact of each supplier of language models, by its id, under one name beside the records.
import type { Store } from '../engine/ports.ts';

type Kept = Pick<Store, 'meta'>;

export interface BySupplier<T> {
  /** Null where it is not known. */
  get(store: Kept, supplierId: string): T | null;
  /** Null forgets it. Call it in a transaction. */
  set(store: Kept, supplierId: string, fact: T | null): void;
}

export const bySupplier = <T extends number | boolean>(name: string): BySupplier<T> => {
  const all = ({ meta }: Kept): Map<string, T> =>
    new Map(Object.entries(JSON.parse(meta.get(name) ?? '{}') as Record<string, T>));
  return {
    get: (store, supplierId) => all(store).get(supplierId) ?? null,
    set(store, supplierId, fact) {
      const facts = all(store);
      if (fact === null) facts.delete(supplierId);
      else facts.set(supplierId, fact);
      store.meta.set(name, JSON.stringify(Object.fromEntries(facts)));
    },
  };
};
