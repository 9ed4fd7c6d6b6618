// What happened in the worlds of one process, in order, as a digest: equal seeds give equal digests.
import { createHash } from 'node:crypto';

export interface Trace {
  note(...what: readonly unknown[]): void;
  digest(): string;
}

export const createTrace = (): Trace => {
  const hash = createHash('sha256');
  return {
    note(...what) {
      hash.update(
        `${JSON.stringify(what, (_, one: unknown) => (typeof one === 'bigint' ? `${one}n` : one))}\n`,
      );
    },
    digest: () => hash.copy().digest('hex'),
  };
};
