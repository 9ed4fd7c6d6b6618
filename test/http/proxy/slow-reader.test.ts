// A client that reads slowly slows its seller down: the answer waits there, and not in the treasury's memory.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../../harness/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import { headOf, openThrough } from './through.ts';

const mebibyte = 1024 * 1024;
/** 256 MiB; with long loops 1 GiB, less the headers. */
const bytes = tries(256, 1_023) * mebibyte;
const piece = Buffer.alloc(mebibyte, 'x');

useSeller();
let treasury: Treasury;
let agent: TestAgent;
beforeAll(async () => {
  treasury = await openRich();
  agent = await deploy(treasury.client, 'reader', { allocate: '1.00' });
});
afterAll(() => treasury.close());

it('holds a few megabytes of an answer that nobody reads, and hands all of it on', async () => {
  let written = 0;
  seller.behave = async ({ settle, response }) => {
    await settle();
    while (written < bytes) {
      written += piece.byteLength;
      if (!response.write(piece)) await once(response, 'drain');
    }
    response.end();
  };
  const response = await headOf(openThrough(treasury.host.url, agent, `${seller.url}/data`));
  // Until the seller makes no progress any more.
  for (let last = -1; written !== last;) {
    last = written;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(written).toBeLessThan(32 * mebibyte);
  const before = process.memoryUsage();
  let [read, peak] = [0, 0];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    read += chunk.byteLength;
    peak = Math.max(peak, process.memoryUsage.rss());
  }
  expect(read).toBe(bytes);
  // The seller, the client and the treasury are all in this process, and on a busy machine its memory is freed late: an
  // answer that is held would be all of it.
  expect(peak - before.rss).toBeLessThan(0.75 * bytes);
});
