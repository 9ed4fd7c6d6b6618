// The files with sellers' answers, in memory: they outlive a process that has kept them.
import type { AnswerBody, AnswerFiles } from '../../server/engine/ports.ts';
import type { Process } from './wire.ts';

const bodyOf = (bytes: Buffer): AnswerBody => ({
  bytes: bytes.byteLength,
  encoding: 'utf8',
  async *read() {
    yield bytes;
  },
});

export const createAnswerFiles = (kept: Map<string, Buffer>, mine: Process): AnswerFiles => {
  return {
    draft(name) {
      let held: Buffer[] = [];
      return {
        write: async (chunk) => void held.push(chunk),
        body: () => bodyOf(Buffer.concat(held)),
        async keep() {
          if (mine.alive) kept.set(name, Buffer.concat(held));
        },
        async discard() {
          held = [];
          if (mine.alive) kept.delete(name);
        },
      };
    },
    body: (name) => bodyOf(kept.get(name) ?? Buffer.alloc(0)),
    list: async () => new Map([...kept].map(([name, { byteLength }]) => [name, byteLength])),
    async remove(name) {
      if (mine.alive) kept.delete(name);
    },
  };
};
