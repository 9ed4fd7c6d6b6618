// Many streams at once, of which every second client hangs up: each is settled once, and none is left held. In full, 1,000.
import { expect, it } from 'vitest';
import { until } from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { asOwner, treasury } from '../http/api-treasury.ts';
import { agent, ask, hello, requests, spent, supplier, useGateway } from './rig.ts';
import { delta, done, stream, usageChunk, usageOf } from './supplier.ts';

const count = tries(50, 1_000);
useGateway();

const open = async (_: unknown, at: number) => {
  const gone = new AbortController();
  const messages = [{ role: 'user', content: `${at}` }];
  const answer = await ask({ ...hello, messages, stream: true }, { signal: gone.signal });
  return { answer, gone };
};

it(`the usage of each of ${count} streams is recorded, while half of the clients hang up`, async () => {
  await asOwner(`agents/${agent.agentId}/policy`, { dailyBudget: '1000' });
  const go = Promise.withResolvers<void>();
  supplier.answer = async ({ body }, response) => {
    stream(response).write(delta('x'.repeat(100)));
    await go.promise;
    response.end(delta('lo') + usageChunk(usageOf(100 + Number(body.messages[0].content), 10)) + done);
  };
  const streams = await Promise.all(Array.from({ length: count }, open));
  const { modelRequests } = treasury.host.engine.context.store;
  expect(modelRequests.held()).toHaveLength(count);
  for (const { gone } of streams.filter((_, at) => at % 2 === 1)) gone.abort();
  await until('those to be settled', () => modelRequests.held().length === count / 2);
  go.resolve();
  const read = streams.filter((_, at) => at % 2 === 0).map(({ answer }) => answer.text());
  expect(new Set(await Promise.all(read))).toEqual(new Set([delta('x'.repeat(100)) + delta('lo') + done]));
  await until('all to be settled', () => modelRequests.held().length === 0);
  const rows = requests();
  const exact = rows.filter(({ mark }) => mark === 'exact').map(({ amount }) => amount);
  expect(rows).toHaveLength(count);
  expect(
    rows.filter(({ mark, amount, bound }) => mark === 'estimated' && (amount ?? bound + 1n) <= bound),
  ).toHaveLength(count / 2);
  // 100 and N tokens in at 1, and 10 out at 10 millionths.
  expect(exact.toSorted((a, b) => Number((a ?? 0n) - (b ?? 0n)))).toEqual(
    Array.from({ length: count / 2 }, (_, at) => BigInt(200 + 2 * at)),
  );
  expect(spent()).toBe(rows.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n));
  expect(supplier.asked).toHaveLength(count);
});
