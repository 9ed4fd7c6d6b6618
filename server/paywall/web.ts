// The paywall for frameworks whose handlers take a Request and return a Response.
import type { Answer, Core } from './core.ts';
import type { Asked, Paywall } from './types.ts';

/** The `web` of a paywall. Its functions reject with what `decide` throws; nothing was granted then. */
export const createWebPaywall =
  (core: Core): Paywall['web'] =>
  (handler) =>
  async (request, ...rest) => {
    const body = await readBody(request, core.maxBodyBytes);
    if (body === null) return responseOf(tooLarge(core));
    const decision = await core.decide(askedOf(request, body), () => request.signal.aborted);
    if ('status' in decision) return responseOf(decision);
    const response = await handler(request, decision.admitted, ...rest);
    const names = Object.entries(decision.headers);
    if (names.length === 0) return response;
    // The headers of a response that was fetched cannot be changed.
    const changed = new Response(response.body, response);
    for (const [name, value] of names) changed.headers.set(name, value);
    return changed;
  };

/** The answer to a body that is longer than `maxBodyBytes`. */
export const tooLarge = ({ maxBodyBytes }: Pick<Core, 'maxBodyBytes'>): Answer => ({
  status: 413,
  headers: {},
  body: { error: `The body is longer than ${maxBodyBytes} bytes`, code: 'too_large' },
});

/** The body's bytes, which the handler can still read; null when there are more than `most`. */
const readBody = async (request: Request, most: number): Promise<Buffer | null> => {
  if (request.body === null) return Buffer.alloc(0);
  if (request.bodyUsed) throw new Error('The paywall has to come before the body is read');
  if (Number(request.headers.get('content-length')) > most) return null;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const copy = request.clone().body as ReadableStream<Uint8Array> | null;
  for await (const chunk of copy ?? []) {
    size += chunk.length;
    if (size > most) {
      void request.body.cancel();
      return null;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const askedOf = (request: Request, body: Buffer): Asked => {
  const { origin, pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    header: (name) => request.headers.get(name),
    body,
    origin,
  };
};

const responseOf = ({ status, headers, body }: Answer): Response =>
  Response.json(body, { status, headers: { ...headers, 'cache-control': 'no-store' } });
