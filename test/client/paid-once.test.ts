// One fetch pays once, and a repetition of it does not pay again: redirects, answers that nobody reads, unknown outcomes.
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { paymentOf } from '../../server/client/package/payment-of.ts';
import { seller } from '../harness/seller-treasury.ts';
import { buy, data, folder, keys, make, pretendTreasury, rows, useBuyer } from './buyer.ts';

useBuyer();

/** The outcome of a fetch that is read to its end. */
const read = (fetching: Promise<Response>): Promise<string> =>
  fetching.then((answer) => answer.text()).catch(String);

const redirect = async (settle: () => Promise<unknown>, response: (typeof seller.shown)[0]['response']) => {
  await settle();
  response.writeHead(302, { location: '/data/there' }).end('moved');
};

describe('a redirect', () => {
  it('that was paid for is the answer, and nothing more is paid', async () => {
    seller.behave = ({ settle, response }) => redirect(settle, response);
    const answer = await make({ maxAmount: '0.01' })(data());
    const [followed, told] = ['location', 'x-treasury-location'].map((name) => answer.headers.get(name));
    expect([answer.status, followed, told]).toEqual([302, null, `${seller.url}/data/there`]);
    expect(paymentOf(answer)?.paymentId).toBe(rows()[0]?.id);
    expect([await answer.text(), rows().length]).toEqual(['moved', 1]);
  });

  it('that was paid for and must not be is thrown, and a repetition does not pay again', async () => {
    seller.behave = ({ settle, response }) => redirect(settle, response);
    for (let times = 0; times < 3; times += 1)
      await expect(buy(data(), { redirect: 'error' })).rejects.toThrow(TypeError);
    expect([rows().length, keys().length]).toEqual([1, 1]);
  });

  it('that is free leads to no payment', async () => {
    let at = 0;
    seller.free = (_request, response) => {
      at += 1;
      response.writeHead(302, { location: `/data?at=${at}` }).end();
    };
    for (let times = 0; times < 3; times += 1) await read(buy(`${seller.url}/free`));
    expect([rows().length, keys()]).toEqual([0, []]);
  });
});

describe('an answer that delivers nothing', () => {
  it.each([302, 304, 404, 409])(
    'is that of equal requests for ten minutes, though it was read: %s',
    async (status) => {
      seller.behave = async ({ settle, response }) => {
        await settle();
        response.writeHead(status, { location: '/data/there' }).end();
      };
      for (let times = 0; times < 3; times += 1) {
        const answer = await buy(data());
        expect([answer.status, answer.ok, await answer.text()]).toEqual([status, false, '']);
      }
      expect([rows().length, keys().length]).toEqual([1, 1]);
      const file = join(folder, keys()[0] ?? '');
      const leftMs = 2 * 86_400_000 - (Date.now() - statSync(file).mtimeMs);
      expect(leftMs).toBeLessThanOrEqual(600_000);
      // The ten minutes are those from the first such answer.
      const soon = Math.floor(Date.now() / 1_000) - 2 * 86_400 + 60;
      utimesSync(file, soon, soon);
      await read(buy(data()));
      expect([rows().length, statSync(file).mtimeMs]).toEqual([1, soon * 1_000]);
      const over = Date.now() / 1_000 - 2 * 86_400 - 1;
      utimesSync(file, over, over);
      await read(buy(data()));
      expect(rows()).toHaveLength(2);
    },
  );
});

describe('an answer that nobody read', () => {
  it.each([200, 404])('is what an equal later request gets: %s', async (status) => {
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(status).end('{"error":"try again"}');
    };
    const paid = [await buy(data()), await buy(data()), await buy(data())].map(
      (answer) => paymentOf(answer)?.paymentId,
    );
    expect([new Set(paid).size, rows().length, keys().length]).toEqual([1, 1, 1]);
    expect(await read(buy(data()))).toContain('try again');
    expect(keys()).toHaveLength(status === 200 ? 0 : 1);
  });

  it('keeps its key while an equal request goes on with it, and another has read it', async () => {
    const first = await buy(data());
    const second = await buy(data());
    await first.text();
    expect(keys()).toHaveLength(1);
    const third = await buy(data());
    expect([first, second, third].map((answer) => paymentOf(answer)?.paymentId)).toEqual(
      Array<unknown>(3).fill(rows()[0]?.id),
    );
    await third.text();
    expect([rows().length, keys()]).toEqual([1, []]);
  });
});

it('buys twice for two equal requests at once, also by two of its kind on one folder', async () => {
  const [one, two] = await Promise.all([make()(data()), make()(data())]);
  expect(paymentOf(one)?.paymentId).not.toBe(paymentOf(two)?.paymentId);
  await one.text();
  expect(keys()).toHaveLength(1);
  const again = await make()(data());
  expect(paymentOf(again)?.paymentId).toBe(paymentOf(two)?.paymentId);
  await again.text();
  expect([rows().length, keys()]).toEqual([2, []]);
});

describe('a refusal that does not tell whether something was paid', () => {
  const internal = '{"error":"Internal error","code":"internal"}';
  it.each([
    ['internal', internal.length, internal],
    ['cut off', 200, '{"error":"The owner has to allow this first","code":"awaiting_appro'],
  ])('keeps the key: %s', async (_, length, said) => {
    const host = await pretendTreasury((_request, response) => {
      response.writeHead(500, { 'content-length': length }).write(said);
      setImmediate(() => (length > said.length ? response.destroy() : response.end()));
    });
    const buys = make({ url: host.url });
    for (let times = 0; times < 2; times += 1) {
      await expect(buys(data())).rejects.toMatchObject({ code: 'internal' });
      expect(keys()).toHaveLength(1);
    }
    const used = host.asked.map(({ headers }) => headers['x-treasury-idempotency-key']);
    expect(new Set(used).size).toBe(1);
    await host.close();
  });
});

const unread = async (maxAmount: string | undefined) => {
  const answer = await make(maxAmount === undefined ? {} : { maxAmount })(data());
  await answer.body?.cancel();
  return paymentOf(answer)?.paymentId;
};

describe('the maximum', () => {
  it('may be raised, and it is the same purchase', async () => {
    const paid = [await unread('0.05'), await unread('0.10'), await unread(undefined)];
    expect([new Set(paid).size, rows().length]).toEqual([1, 1]);
  });

  it('may not be lowered for a purchase that has begun, which is not paid again', async () => {
    const paid = await unread('0.10');
    await expect(unread('0.01')).rejects.toMatchObject({ code: 'idempotency_conflict' });
    expect([await unread('0.1'), rows().length, keys().length]).toEqual([paid, 1, 1]);
  });
});

it('needs a key for multipart/form-data, however it is given', async () => {
  const body = new FormData();
  body.set('a', '1');
  const asked = seller.asked();
  await expect(buy(new Request(data(), { method: 'POST', body }))).rejects.toThrow('Idempotency-Key');
  expect([seller.asked(), rows().length]).toEqual([asked, 0]);
});

const free: Parameters<typeof pretendTreasury>[0] = (_request, response) =>
  void response.setHeader('x-treasury-from', 'seller').setHeader('connection', 'close').end('free');

it('gives its API key to no program that took the port a moment ago', async () => {
  const host = await pretendTreasury(free);
  const buys = make({ url: host.url });
  expect(await read(buys(data()))).toBe('free');
  await host.close();
  const other = { port: Number(new URL(host.url).port), apiKey: `atk_${'x'.repeat(43)}` };
  const squatter = await pretendTreasury(free, other);
  // Its connections to the first are seen to be closed.
  await wait(100);
  await expect(buys(data())).rejects.toMatchObject({ code: 'unauthorized' });
  expect(squatter.asked).toEqual([]);
  await squatter.close();
});
