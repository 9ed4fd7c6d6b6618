// The outcome of each answer of an endpoint.
import { expect, it } from 'vitest';
import { outcomeOf } from '../../server/notices/outcome.ts';

it.each([
  ['delivered', [200, 201, 202, 204, 299]],
  ['refused', [400, 401, 403, 404, 405, 410, 413, 422, 451, 499]],
  ['failed', [100, 301, 302, 307, 308, 408, 429, 500, 502, 503, 504, 599]],
] as const)('is %s for %j', (kind, statuses) => {
  for (const status of statuses)
    expect(outcomeOf({ status, bytes: Buffer.from('') })).toEqual({ kind, answer: `HTTP ${status}` });
});

it('hides the secret that the endpoint was sent, and cuts its words', () => {
  const bytes = Buffer.from(`who is tk_hidden?\n${'so long '.repeat(100)}`);
  const outcome = outcomeOf({ status: 401, bytes }, 'tk_hidden');
  expect(outcome).toMatchObject({
    kind: 'refused',
    answer: expect.stringMatching(/^HTTP 401: who is hidden \?/),
  });
  expect('answer' in outcome && outcome.answer.length).toBeLessThan(160);
});
