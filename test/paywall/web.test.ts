// The paywall for handlers that take a Request and return a Response.
import { describe, expect, it } from 'vitest';
import { paywall } from '../../server/paywall/paywall.ts';
import type { Payment, PaywallOptions } from '../../server/paywall/types.ts';
import { encoded, pay } from './credentials.ts';
import { closeServer, listen } from './seller.ts';
import { market, shop, signed, useShop } from './use-shop.ts';

useShop();

const place = 'https://shop.test/goods?n=1';
const web = (
  handler: (request: Request, payment: Payment | null) => Response | Promise<Response>,
  more: Partial<PaywallOptions> = {},
) => paywall({ ...shop.options, ...more }).web(handler);
const fail = (): Promise<never> => Promise.reject(new Error('no store'));
const failing = { saveInvoice: fail, findInvoice: fail, isUsed: fail, grant: fail };
const neverCalled = (): Response => {
  throw new Error('the handler must not be called');
};

/** A receipt for the request that this 402 answers. */
const receiptFor = async (asked: Response): Promise<string> => {
  expect(asked.status).toBe(402);
  expect(asked.headers.get('cache-control')).toBe('no-store');
  const { invoice } = (await asked.json()) as { invoice: string };
  return signed(await market.buy({ invoice }));
};
const post = (body: string, headers: Record<string, string> = {}): Request =>
  new Request(place, { method: 'POST', body, headers });
const paidPost = (body: string, receipt: string): Request => post(body, { 'x-payment': receipt });

describe('a handler of a Request', () => {
  it('is called once for a payment, with it, with the body unread and the further arguments', async () => {
    const seen: unknown[] = [];
    const handle = paywall(shop.options).web(async (request, payment, context: { params: string }) => {
      seen.push([await request.json(), payment?.payer, context.params]);
      return Response.json({ sold: true });
    });
    const context = { params: 'p' };
    const receipt = await receiptFor(await handle(post('{"n":1}'), context));
    const served = await handle(paidPost('{"n":1}', receipt), context);
    expect([served.status, await served.json()]).toEqual([200, { sold: true }]);
    expect((await handle(paidPost('{"n":1}', receipt), context)).status).toBe(402);
    expect(seen).toEqual([[{ n: 1 }, market.buyer.publicKey.toBase58(), 'p']]);
  });

  it('is not called for another body, method, path or query', async () => {
    const asking = web(neverCalled);
    const receipt = await receiptFor(await asking(post('{"n":1}')));
    const headers = { 'x-payment': receipt };
    for (const request of [
      paidPost('{"n":2}', receipt),
      new Request(place, { method: 'PUT', body: '{"n":1}', headers }),
      new Request(place, { headers }),
      new Request(`${place}&m=2`, { method: 'POST', body: '{"n":1}', headers }),
      new Request('https://shop.test/other?n=1', { method: 'POST', body: '{"n":1}', headers }),
    ]) {
      const answer = await asking(request);
      expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        402,
        'wrong_request',
      ]);
    }
    expect((await web(() => new Response('sold'))(paidPost('{"n":1}', receipt))).status).toBe(200);
  });

  it('is not called for a body that is too long, whether its length is announced or not', async () => {
    const asking = web(neverCalled, { maxBodyBytes: 10 });
    const streamed = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(8));
      },
    });
    const endless = new Request(place, { method: 'POST', body: streamed, duplex: 'half' } as RequestInit);
    for (const request of [post('x'.repeat(11)), post('x', { 'content-length': '11' }), endless])
      expect((await asking(request)).status).toBe(413);
    expect((await asking(post('x'.repeat(10)))).status).toBe(402);
  });

  it('gets no payment with a free request', async () => {
    const freeQuota = { requests: 1, payer: () => 'web' };
    const handle = web((_, payment) => Response.json({ payment }), { freeQuota });
    expect(await (await handle(new Request(place))).json()).toEqual({ payment: null });
    expect((await handle(new Request(place))).status).toBe(402);
  });

  it('may return a response whose headers cannot be changed', async () => {
    const handle = web(() => Response.redirect('https://shop.test/elsewhere', 303));
    // A client of MPP needs a server to talk to.
    const { url, server } = await listen((request, response) => {
      void handle(new Request(place, { headers: request.headers as Record<string, string> })).then(
        async (answer) => {
          response.writeHead(answer.status, Object.fromEntries(answer.headers));
          response.end(await answer.text());
        },
      );
    });
    const credential = await pay(market, 'mpp', url);
    await closeServer(server);
    const served = await handle(new Request(place, { headers: { authorization: encoded(credential) } }));
    expect(served.status).toBe(303);
    expect(served.headers.get('location')).toBe('https://shop.test/elsewhere');
    expect(served.headers.get('payment-receipt')).toMatch(/^[\w-]+$/);
  });

  it.each<[string, Partial<PaywallOptions>, () => Request]>([
    ['the store fails', { store: failing }, () => new Request(place)],
    ['the price fails', { price: () => Promise.reject(new Error('no price')) }, () => new Request(place)],
  ])('is not called when %s: the call rejects', async (_, more, request) => {
    await expect(web(neverCalled, more)(request())).rejects.toThrow(/no (price|store)/);
  });

  it('has to be the first to read the body', async () => {
    const request = post('{"n":1}');
    await request.text();
    await expect(web(neverCalled)(request)).rejects.toThrow('before the body is read');
  });
});
