// A long file on its way: how far it is, and what is left of it when its reader goes.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTreasury, removeFolder, temporaryFolder, until, type Treasury } from '../harness/treasury.ts';
import { buildBase, databaseOf } from '../lab/size/build-store.ts';
import { writePast } from '../lab/size/past.ts';

const folder = temporaryFolder();
let treasury: Treasury;
beforeAll(async () => {
  await buildBase(folder, 3);
  // More text than the sockets between the two hold.
  writePast(databaseOf(folder), { now: Date.now(), payments: 20_000 });
  treasury = await openTreasury({ dataDir: folder });
});
afterAll(async () => {
  await treasury.close();
  removeFolder(folder);
});

/** Begins a file and reads nothing of it yet. */
const begin = async () => {
  const exportId = randomUUID();
  const { url, owner, cookieFile } = treasury.host;
  const headers = { authorization: `Bearer ${readFileSync(cookieFile ?? '', 'utf8')}` };
  const path = `/v1/books?format=beancount&exportId=${exportId}&owner=${owner}`;
  const [response] = (await once(get(`${url}${path}`, { headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  expect(response.statusCode).toBe(200);
  return {
    response,
    progress: async () => (await treasury.client.get(`/v1/books/exports/${exportId}`)).body,
  };
};

it('tells how far it is while its reader takes its time, and that it has ended', async () => {
  const { response, progress } = await begin();
  const started = await until('the first rows', async () => {
    const found = await progress();
    return found['read'] > 0 && found;
  });
  expect(started).toMatchObject({ isUnderWay: true });
  expect(started['rows']).toBeGreaterThan(19_000);
  const lines = (await response.toArray()).reduce(
    (sum, chunk: Buffer) => sum + chunk.toString().split('\n').length - 1,
    0,
  );
  expect(lines).toBeGreaterThan(8 * 19_000);
  expect(await until('its end', async () => !(await progress())['isUnderWay'])).toBe(true);
});

it('is given up when its reader goes', async () => {
  const { response, progress } = await begin();
  expect((await progress())['isUnderWay']).toBe(true);
  response.destroy();
  expect(await until('its end', async () => !(await progress())['isUnderWay'])).toBe(true);
});
