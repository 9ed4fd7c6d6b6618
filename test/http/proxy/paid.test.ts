// A seller that asks for payment, through the proxy: paid once, and its answer arrives while it is made. What the client gets of
// answers that are large, slow or cut, and what a repetition gets; and a client that reads slowly slows its seller down: the
// answer waits there, and not in the treasury's memory.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRich, seller, useSeller } from '../../harness/chain/seller-treasury.ts';
import { deploy, until, type Options, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { tries } from '../../harness/tries.ts';
import { type Asked, askThrough, headOf, openThrough, wholeOf } from './through.ts';

const nothing = (): void => {};

useSeller();
let treasury: Treasury;
let agent: TestAgent;
let n = 0;
/** The treasury of a part of this file, with an agent of its own for each test. */
const usePart = (options: Options = {}): void => {
  beforeAll(async () => {
    treasury = await openRich(options);
  });
  afterAll(() => treasury.close());
  beforeEach(async () => {
    n += 1;
    agent = await deploy(treasury.client, `buyer-${n}`, { allocate: '1.00' });
  });
};

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
const grant = async (approvalId: unknown): Promise<void> => {
  const path = `/v1/approvals/${String(approvalId)}`;
  const { hash } = (await treasury.client.get(path)).body;
  expect((await treasury.client.post(`${path}/grant`, { hash })).status).toBe(200);
};
const errorOf = ({ text }: { text: string }) =>
  JSON.parse(text) as { code: string; details: Record<string, unknown> };

const holdMs = 1_500;

describe('a paid request', () => {
  usePart({ proxyHoldMs: holdMs });

  it('is paid, and the answer names the payment', async () => {
    const got = await ask('/data', { method: 'POST', body: '{"a":1}' });
    expect([got.status, got.text]).toEqual([200, '{"sun":true}']);
    const payment = await until('the record', () =>
      rows().find(({ purchase }) => purchase?.delivery !== 'open'),
    );
    expect(got.headers).toMatchObject({
      'x-treasury-payment-id': payment.id,
      'x-treasury-payment-amount': '0.01',
      'content-type': 'application/json',
    });
    expect(payment.purchase).toMatchObject({
      method: 'POST',
      url: `${seller.url}/data`,
      delivery: 'delivered',
    });
  });

  it('hands on each piece before the next one is made', async () => {
    let more: (piece: string | null) => void = nothing;
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      more = (piece) => (piece === null ? response.end() : response.write(piece));
    };
    const response = await headOf(open());
    const pieces: string[] = [];
    // The seller makes a piece only once the one before it was read here.
    for (let at = 0; at < 50; at += 1) {
      more(`data: ${at}\n\n`);
      const [chunk] = (await once(response, 'data')) as [Buffer];
      pieces.push(chunk.toString());
    }
    more(null);
    await once(response, 'end');
    expect(pieces).toEqual(Array.from({ length: 50 }, (_, at) => `data: ${at}\n\n`));
    expect(rows()).toHaveLength(1);
  });

  it('is not paid twice when the client goes away: the same request gets the answer that it missed', async () => {
    let finish = nothing;
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, { 'content-length': '10' }).write('first');
      finish = () => response.end('-last');
    };
    const body = '{"q":"a long question"}';
    const first = open('/data', { method: 'POST', body, headers: { 'X-Stainless-Retry-Count': '0' } });
    const response = await headOf(first);
    await once(response, 'data');
    response.on('error', () => {});
    first.destroy();
    const second = ask('/data', { method: 'POST', body, headers: { 'X-Stainless-Retry-Count': '1' } });
    finish();
    expect(await second).toMatchObject({ status: 200, text: 'first-last' });
    expect(rows()).toHaveLength(1);
    expect(seller.shown).toHaveLength(1);
  });

  it('is paid again for an equal request whose answer was sent whole, and for two at the same time', async () => {
    await ask();
    await ask();
    expect(rows()).toHaveLength(2);
    await Promise.all([ask(), ask()]);
    expect(rows()).toHaveLength(4);
  });

  describe('an idempotency key', () => {
    it.each(['Idempotency-Key', 'X-Treasury-Idempotency-Key'])(
      '%s is one payment and one answer',
      async (name) => {
        const asked = { headers: { [name]: 'order-1' } };
        const [one, two] = [await ask('/data', asked), await ask('/data', asked)];
        expect(two.text).toBe(one.text);
        expect(two.headers['x-treasury-payment-id']).toBe(one.headers['x-treasury-payment-id']);
        expect(rows()).toHaveLength(1);
        expect(seller.shown).toHaveLength(1);
      },
    );

    it('of the treasury wins, and never reaches the seller; the other one does', async () => {
      const keys: unknown[] = [];
      const { behave } = seller;
      seller.behave = (shown) => {
        keys.push(
          shown.request.headers['idempotency-key'],
          shown.request.headers['x-treasury-idempotency-key'],
        );
        return behave(shown);
      };
      for (const theirs of ['a', 'b'])
        await ask('/data', { headers: { 'Idempotency-Key': theirs, 'X-Treasury-Idempotency-Key': 'ours' } });
      expect(rows()).toHaveLength(1);
      expect(keys).toEqual(['a', undefined]);
    });

    it('used for another request is refused in a way that no client repeats', async () => {
      await ask('/data', { headers: { 'Idempotency-Key': 'order-1' } });
      const other = await ask('/other', { headers: { 'Idempotency-Key': 'order-1' } });
      expect([other.status, errorOf(other).code]).toEqual([402, 'idempotency_conflict']);
      expect(other.headers['x-should-retry']).toBe('false');
      expect(rows()).toHaveLength(1);
    });
  });

  describe('what is not over', () => {
    it('waits for the owner, then is told as a 402 that no client repeats, and goes on once it is allowed', async () => {
      await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
      const held = await ask();
      expect([held.status, errorOf(held).code]).toEqual([402, 'awaiting_approval']);
      expect(held.headers).toMatchObject({ 'x-should-retry': 'false', 'retry-after': '5' });
      const { approvalId, paymentId } = errorOf(held).details;
      const waiting = ask();
      await grant(approvalId);
      const got = await waiting;
      expect([got.status, got.headers['x-treasury-payment-id']]).toEqual([200, paymentId]);
      expect(rows()).toHaveLength(1);
    });

    it('never reaches a client that was told something else', async () => {
      await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
      const held = await ask();
      const { approvalId, paymentId } = errorOf(held).details;
      await grant(approvalId);
      await until('the answer', () => rows()[0]?.purchase?.delivery === 'delivered');
      const got = await ask();
      expect([got.text, got.headers['x-treasury-payment-id']]).toEqual(['{"sun":true}', paymentId]);
      expect(seller.shown).toHaveLength(1);
    });
  });

  it('breaks off where the seller does, and shows the same payment again', async () => {
    const { behave } = seller;
    let finish = nothing;
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).write('first');
      finish = () => void response.socket?.destroy();
    };
    const response = await headOf(open());
    const whole = wholeOf(response);
    finish();
    await expect(whole).rejects.toThrow('aborted');
    seller.behave = behave;
    await until('the seller’s silence', () => rows()[0]?.purchase?.delivery === 'undelivered');
    expect((await ask()).text).toBe('{"sun":true}');
    expect(rows()).toHaveLength(1);
    expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
  });

  it('pays no more than X-Treasury-Max-Amount', async () => {
    const got = await ask('/data', { headers: { 'X-Treasury-Max-Amount': '0.009' } });
    expect([got.status, errorOf(got).code]).toEqual([402, 'max_per_payment']);
    expect(rows()).toHaveLength(0);
  });
});

describe('an answer that is large, slow or cut', () => {
  const kept = 65_536;
  const most = 1_048_576;
  const args = ['--answer-bytes', String(kept), '--stream-bytes', String(most), '--answer-seconds', '2'];
  usePart({ args });
  beforeEach(() => void (seller.offer.maxTimeoutSeconds = 1));

  const headers = { 'Idempotency-Key': 'order-1' };
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
});

describe('a slow reader', () => {
  const mebibyte = 1024 * 1024;
  /** 256 MiB; with long loops 1 GiB, less the headers. */
  const bytes = tries(256, 1_023) * mebibyte;
  const piece = Buffer.alloc(mebibyte, 'x');
  usePart();

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
    // Until the seller makes no progress any more, while the treasury serves others.
    for (let last = -1; written !== last;) {
      last = written;
      for (let others = 0; others < 20; others += 1) expect((await ask('/free')).status).toBe(200);
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
});
