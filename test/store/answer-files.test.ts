// A draft of an answer that breaks off while a piece of it is being written leaves nothing behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAnswerFiles } from '../../server/store/answers/answer-files.ts';
import { removeFolder, temporaryFolder } from '../harness/treasury.ts';

let folder: string;
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => removeFolder(folder));

const files = () =>
  createAnswerFiles({ folder: join(folder, 'answers'), syncFolder: async () => {}, turn: async () => {} });
const left = (): string[] => readdirSync(join(folder, 'answers'));
const piece = Buffer.alloc(100_000, 7);

it('is gone once it is discarded, whatever was being written', async () => {
  const many = Array.from({ length: 20 }, (_, n) => files().draft(`pay_${n}`));
  for (const draft of many) {
    const writing = draft.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
    const discarding = draft.discard();
    await Promise.all([writing, discarding, draft.write(piece)]);
  }
  expect(left()).toEqual([]);
});

it('keeps pieces that were written at once in their order', async () => {
  const draft = files().draft('pay_1');
  await Promise.all([1, 2, 3].map((byte) => draft.write(Buffer.alloc(70_000, byte))));
  await draft.keep();
  const pieces: Buffer[] = [];
  for await (const one of draft.body().read()) pieces.push(one);
  expect(Buffer.concat(pieces)).toEqual(Buffer.concat([1, 2, 3].map((byte) => Buffer.alloc(70_000, byte))));
});
