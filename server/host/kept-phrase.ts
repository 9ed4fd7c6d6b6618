// Whether the owner has the 24 words on paper. It is asked on networks where money is real.
import type { Network, Store } from '../engine/ports.ts';

const name = 'phrase-kept';

export const isPhraseKept = ({ meta }: Pick<Store, 'meta'>, network: Network): boolean =>
  network === 'sandbox' || meta.get(name) === 'yes';

/** On disk when it returns. */
export const notePhraseKept = ({ meta, atomically }: Pick<Store, 'meta' | 'atomically'>): void =>
  atomically(() => meta.set(name, 'yes'));
