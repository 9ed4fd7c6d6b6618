// A seller's answer as it leaves the treasury's proxy, and as the caller of this package gets it.
import { isDelivery } from '../../contract/payments/wishes.ts';
import type { KeptKey } from './kept-keys.ts';
import { paymentOf } from './payment-of.ts';

/** The treasury marks a seller's answer; everything else is its own word. */
export const isSellers = ({ headers }: Response): boolean => headers.get('x-treasury-from') === 'seller';

/** The path by which the proxy reaches a URL. */
export const throughProxy = (agentId: string, { protocol, host, pathname, search }: URL): string =>
  `/v1/agents/${encodeURIComponent(agentId)}/proxy/${protocol.slice(0, -1)}/${host}${pathname}${search}`;

const proxied = /^\/v1\/agents\/[^/]+\/proxy\/(https?)\/(.*)$/s;

/** The answer with its own address and, of a redirect, the seller's; its idempotency key is kept until it was read whole. */
export const answerOf = (response: Response, url: URL, key: KeptKey | null): Response => {
  const headers = new Headers(response.headers);
  for (const name of ['location', 'x-treasury-location']) {
    const [, scheme, rest] = proxied.exec(headers.get(name) ?? '') ?? [];
    if (scheme !== undefined && rest !== undefined) headers.set(name, `${scheme}://${rest}`);
  }
  const { status, statusText, body } = response;
  const over = (): void => {
    if (paymentOf(response) === null || isDelivery(response)) key?.forget();
    else key?.forgetLater();
  };
  const isOpen = body !== null && key !== null && paymentOf(response) !== null;
  // An equal request goes on with an answer that nobody reads.
  if (isOpen) key.release();
  else over();
  const answer = new Response(isOpen ? untilRead(body, over) : body, { status, statusText, headers });
  return Object.defineProperty(answer, 'url', { value: url.href });
};

const untilRead = (body: ReadableStream<Uint8Array>, over: () => void): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        over();
        controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // Only a read of the caller pulls: a piece that nobody took was not received.
    { highWaterMark: 0 },
  );
};
