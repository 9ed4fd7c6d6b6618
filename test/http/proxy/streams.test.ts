// Answers that are large, slow or cut, through the proxy: what the client gets of them, and what a repetition gets.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../../harness/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { askThrough, headOf, openThrough, wholeOf, type Asked } from './through.ts';

const kept = 65_536;
const most = 1_048_576;

const nothing = (): void => {};

useSeller();
let treasury: Treasury;
let agent: TestAgent;
let n = 0;
beforeAll(async () => {
  const args = ['--answer-bytes', String(kept), '--stream-bytes', String(most), '--answer-seconds', '2'];
  treasury = await openRich({ args });
});
afterAll(() => treasury.close());
beforeEach(async () => {
  seller.offer.maxTimeoutSeconds = 1;
  n += 1;
  agent = await deploy(treasury.client, `reader-${n}`, { allocate: '1.00' });
});

const headers = { 'Idempotency-Key': 'order-1' };
const ask = (path = '/data', asked: Asked = {}) =>
  askThrough(treasury.host.url, agent, `${seller.url}${path}`, asked);
const open = (path = '/data', asked: Asked = {}) =>
  openThrough(treasury.host.url, agent, `${seller.url}${path}`, asked);
const rows = () => [
  ...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] }),
];
const settledRow = () =>
  until('the record', () => rows().find(({ purchase }) => purchase?.delivery !== 'open'));
/** Settles, then leaves the answer to the test. */
const answers = (answer: (response: ServerResponse) => void): void => {
  seller.behave = async ({ settle, response }) => {
    await settle();
    answer(response);
  };
};
const notKept = async (): Promise<void> => {
  const again = await ask('/data', { headers });
  const { code, details } = JSON.parse(again.text) as { code: string; details: { paymentId: string } };
  expect([again.status, code]).toEqual([409, 'answer_not_kept']);
  expect(again.headers['x-should-retry']).toBe('false');
  expect(rows().map(({ id }) => id)).toEqual([details.paymentId]);
  expect(seller.shown).toHaveLength(1);
};

describe('an answer larger than what is kept', () => {
  it('comes whole, and cannot be had again; nothing is paid again', async () => {
    const bytes = Buffer.alloc(kept * 4, 'abcdefg');
    answers((response) => response.end(bytes));
    expect((await ask('/data', { headers })).bytes.equals(bytes)).toBe(true);
    expect((await settledRow()).purchase?.delivery).toBe('delivered');
    await notKept();
  });

  it('is ended at the seller when its client goes away', async () => {
    const closed = Promise.withResolvers<void>();
    answers((response) => {
      response.once('close', closed.resolve);
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384)));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    });
    const first = open('/data', { headers });
    const response = await headOf(first);
    response.on('error', () => {});
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>)
      if ((size += chunk.byteLength) > kept * 2) break;
    first.destroy();
    await closed.promise;
    await settledRow();
    await notKept();
  });

  it('that the seller cuts off is no whole answer', async () => {
    answers((response) => {
      response.write(Buffer.alloc(kept * 2), () => response.socket?.destroy());
    });
    await expect(ask('/data', { headers })).rejects.toThrow('aborted');
    await settledRow();
    await notKept();
  });
});

describe('an answer beyond the owner’s limit', () => {
  it('is cut off there', async () => {
    answers((response) => {
      response.write(Buffer.alloc(most));
      response.end('x');
    });
    await expect((async () => wholeOf(await headOf(open())))()).rejects.toThrow('aborted');
  });

  it('is refused when its length says so, without another payment', async () => {
    answers((response) => response.writeHead(200, { 'content-length': most + 1 }).flushHeaders());
    const got = await ask();
    expect([got.status, got.headers['x-should-retry']]).toEqual([502, 'false']);
    expect(got.text).toContain('answer_too_large');
    await ask();
    expect(rows()).toHaveLength(1);
  });
});

describe('an answer that costs nothing', () => {
  it('comes piece by piece as well, and ends at the seller with its client', async () => {
    const closed = Promise.withResolvers<void>();
    let more: (piece: string) => void = nothing;
    seller.free = (_request, response) => {
      response.once('close', closed.resolve).flushHeaders();
      more = (piece) => response.write(piece);
    };
    const outgoing = open('/free');
    const response = await headOf(outgoing);
    response.on('error', () => {});
    for (const piece of ['one', 'two', 'three']) {
      more(piece);
      expect(String((await once(response, 'data'))[0])).toBe(piece);
    }
    outgoing.destroy();
    await closed.promise;
    expect(response.headers).not.toHaveProperty('x-treasury-payment-id');
    expect(rows()).toHaveLength(0);
  });

  it('that is cut off does not look whole', async () => {
    seller.free = (_request, response) => {
      response.write('some', () => response.socket?.destroy());
    };
    await expect(ask('/free')).rejects.toThrow('aborted');
  });

  it.each(['042', '099', '600', '999'])(
    'with the status %s, which is none, is the treasury’s refusal',
    async (status) => {
      seller.free = (_request, response) =>
        void response.socket?.end(`HTTP/1.1 ${status} Odd\r\nContent-Length: 2\r\n\r\nok`);
      const got = await ask('/free');
      expect([got.status, got.headers['x-treasury-from']]).toEqual([501, undefined]);
      expect(got.text).toContain(`answered ${Number(status)}, which is no status of HTTP`);
    },
  );

  it('is an error of the seller’s, as it is', async () => {
    seller.free = (_request, response) =>
      void response.writeHead(429, { 'retry-after': '7' }).end('{"error":"slow down"}');
    const got = await ask('/free');
    expect([got.status, got.headers['retry-after'], got.text]).toEqual([429, '7', '{"error":"slow down"}']);
  });
});

it('arrives whole from a seller that trickles for longer than its answer may be silent', async () => {
  seller.free = (_request, response) => {
    let left = 8;
    const drip = (): void => {
      left -= 1;
      response.write('.');
      if (left === 0) response.end();
      else setTimeout(drip, 500);
    };
    drip();
  };
  expect((await ask('/free')).text).toBe('........');
});

it('is cut off from a seller that falls silent', async () => {
  seller.free = (_request, response) => void response.write('some');
  await expect(ask('/free')).rejects.toThrow('aborted');
});
