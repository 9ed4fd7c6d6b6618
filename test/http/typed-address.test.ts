// The treasury's addresses as a person types them into a browser.
import { get } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openServed } from '../harness/browser.ts';
import type { Treasury } from '../harness/treasury.ts';

let treasury: Treasury;
beforeAll(async () => {
  treasury = await openServed();
});
afterAll(() => treasury.close());

/** The status, and where the browser is sent. */
const typed = (path: string, mode = 'navigate'): Promise<[number | undefined, string | undefined]> =>
  new Promise((resolve, reject) => {
    get(`${treasury.host.url}${path}`, { headers: { 'sec-fetch-mode': mode } }, (response) => {
      response.resume();
      resolve([response.statusCode, response.headers.location]);
    }).on('error', reject);
  });

describe('an address typed into a browser', () => {
  it.each([
    '/catalog',
    '/agents/scout',
    '/nonsense',
    '/v1/agents',
    '/v1/agents/x/payments/y',
    '//evil.example',
  ])('leads to the dashboard: %s', async (path) => {
    const [status, location = ''] = await typed(path);
    expect(status).toBe(302);
    const { origin, hash } = new URL(location, treasury.host.url);
    expect([origin, hash]).toEqual([treasury.host.url, `#${path}`]);
  });

  it.each(['/', '/link', '/v1/health', '/v1/openapi.json', '/v1/models'])(
    'is answered where there is something to read: %s',
    async (path) => expect(await typed(path)).toEqual([200, undefined]),
  );

  it('is answered as before to a program', async () => {
    expect(await typed('/catalog', 'cors')).toEqual([401, undefined]);
    expect(await typed('/v1/agents', 'cors')).toEqual([401, undefined]);
  });
});
