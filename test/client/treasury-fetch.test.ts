// The `fetch` that pays: what counts as one purchase, whose word an answer is, and what leaves for where. One fetch pays once,
// and a repetition of it does not pay again: redirects, answers that nobody reads, unknown outcomes.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, readAsked } from '../../server/client/package/asked.ts';
import { paymentOf } from '../../server/client/package/payment-of.ts';
import { nothingSpent } from '../../server/client/package/treasury-error.ts';
import { kinds } from '../harness/kinds.ts';
import { seller } from '../harness/chain/seller-treasury.ts';
import { until } from '../harness/treasury.ts';
import {
  agent,
  buy,
  data,
  environment,
  folder,
  keys,
  make,
  pretendTreasury,
  rows,
  treasury,
  useBuyer,
} from './buyer.ts';
import {
  installClient,
  installWheel,
  javaScript,
  javaScripts,
  killPrograms,
  missing,
  pythonMissing,
  pythonWays,
  startProgram,
  storyIn,
} from './programs.ts';

useBuyer();

const digest = async (init: RequestInit = {}, url = data(), agentId = 'scout') =>
  digestOf(await readAsked(url, init, undefined), agentId);

describe('one purchase', () => {
  it('goes on where its seller broke off', async () => {
    const { behave } = seller;
    seller.behave = async ({ settle, response }) => {
      await settle();
      response.writeHead(200, { 'transfer-encoding': 'chunked' }).write('half');
      setImmediate(() => response.socket?.destroy());
    };
    await expect(buy(data()).then((answer) => answer.text())).rejects.toThrow();
    seller.behave = behave;
    await until('the seller’s silence', () => rows()[0]?.purchase?.delivery === 'undelivered');
    expect(await (await buy(data())).json()).toEqual({ sun: true });
    expect(rows()).toHaveLength(1);
    expect(new Set(seller.shown.map(({ transaction }) => transaction)).size).toBe(1);
  });

  it('has the key that its caller names, which is not kept', async () => {
    const asked = { headers: { 'Idempotency-Key': 'order-1' } };
    const [one, two] = [await buy(data(), asked), await buy(data(), asked)];
    expect(paymentOf(two)?.paymentId).toBe(paymentOf(one)?.paymentId);
    expect([rows().length, keys()]).toEqual([1, []]);
  });

  it('is told apart by agent, method, address, body and headers, and not by those of a try', async () => {
    const post = { method: 'POST', body: 'a' };
    const same = await digest(post);
    expect(await digest({ ...post, headers: { Traceparent: '00-1', 'X-Stainless-Retry-Count': '2' } })).toBe(
      same,
    );
    const others = [
      digest({ ...post, body: 'b' }),
      digest({ ...post, method: 'PUT' }),
      digest({ ...post, headers: { Accept: 'text/plain' } }),
      digest(post, `${data()}?a=b`),
      digest(post, data(), 'other'),
    ];
    expect(new Set([same, ...(await Promise.all(others))]).size).toBe(6);
  });

  it.each(
    'accept accept-language content-type content-encoding authorization cookie range if-none-match prefer x-api-key api-key x-goog-api-key ocp-apim-subscription-key x-subscription-token x-auth-token anthropic-version anthropic-beta openai-organization openai-project x-goog-user-project x-goog-fieldmask x-amz-target x-rapidapi-host x-http-method-override x-github-api-version last-event-id x-tenant-id soapaction dropbox-api-arg x-amz-copy-source x-target-selector'.split(
      ' ',
    ),
  )('is told apart by what its headers ask: %s', async (name) => {
    const [one, other] = await Promise.all(['a', 'b'].map((value) => digest({ headers: { [name]: value } })));
    expect(one).not.toBe(other);
  });

  it.each(
    'traceparent tracestate baggage b3 x-b3-traceid x-request-id uber-trace-id newrelic elastic-apm-traceparent x-ot-span-context x-instana-t x-dynatrace x-datadog-trace-id x-cloud-trace-context x-amzn-trace-id x-amz-date x-ms-client-request-id retry-count x-attempt x-goog-request-reason x-goog-api-client x-trace-id x-span-id x-stainless-retry-count x-stainless-package-version amz-sdk-invocation-id sentry-trace date user-agent x-retry-after x-nobody-knows'.split(
      ' ',
    ),
  )('is the same whatever else its headers say: %s', async (name) => {
    const [one, other] = await Promise.all(['a', 'b'].map((value) => digest({ headers: { [name]: value } })));
    expect(one).toBe(other);
  });
});

/** Leaves a key of an earlier time. */
const left = (start: string, at: number, name = `${start}-${'0'.repeat(32)}`): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), '');
  utimesSync(join(folder, name), at / 1_000, at / 1_000);
};

describe('a key on disk', () => {
  it('is forgotten after two days', async () => {
    const bought = await digest({}, data(), agent.agentId);
    left(bought, Date.now() - 86_400_000 - 60_000);
    await (await buy(data())).body?.cancel();
    expect(keys()).toEqual([`${bought}-${'0'.repeat(32)}`]);
    left(bought, Date.now() - 2 * 86_400_000 - 60_000);
    const answer = await buy(data());
    expect(keys().filter((name) => name.endsWith('0'.repeat(32)))).toEqual([]);
    await answer.text();
  });

  it('is not left of a request that was never sent', async () => {
    await expect(make({ url: 'http://127.0.0.1:9' })(data())).rejects.toMatchObject({ code: 'halted' });
    const ended = AbortSignal.abort(new Error('enough'));
    await expect(make({ url: 'http://127.0.0.1:9' })(data(), { signal: ended })).rejects.toThrow('enough');
    expect(keys()).toEqual([]);
  });

  it('is one of at most 1,000', async () => {
    for (let at = 0; at < 1_000; at += 1) left(String(at).padStart(64, '0'), Date.now());
    await expect(buy(data())).rejects.toMatchObject({ code: 'keys_full', status: null });
    expect([rows().length, keys().length]).toEqual([0, 1_000]);
    await (await buy(data(), { headers: { 'Idempotency-Key': 'order-1' } })).text();
  });

  it.each(['max_per_payment', 'suspended'])('is not left by a refusal: %s', async (code) => {
    const path = `/v1/agents/${agent.agentId}`;
    if (code === 'suspended') await treasury.client.post(`${path}/kill`, {});
    else await treasury.client.post(`${path}/policy`, { maxPerPayment: '0.001' });
    await expect(buy(data())).rejects.toMatchObject({ name: 'TreasuryError', code });
    expect([keys(), rows().filter(({ signed }) => signed !== null)]).toEqual([[], []]);
  });
});

describe('an answer', () => {
  it('of a seller that speaks as the treasury does is the seller’s', async () => {
    seller.free = (_request, response) =>
      void response.writeHead(403, { 'content-type': 'application/json' }).end('{"code":"suspended"}');
    const answer = await buy(`${seller.url}/free`);
    expect([answer.status, await answer.text(), paymentOf(answer)]).toEqual([
      403,
      '{"code":"suspended"}',
      null,
    ]);
  });

  it('that redirects has the seller’s own address, and is not followed', async () => {
    seller.free = (_request, response) => void response.writeHead(303, { location: '/free/to' }).end();
    const asked = { method: 'POST', body: 'a' };
    for (const redirect of ['follow', 'manual'] as const) {
      const answer = await buy(`${seller.url}/free/from`, { ...asked, redirect });
      expect([answer.status, answer.redirected, answer.headers.get('location')]).toEqual([
        303,
        false,
        `${seller.url}/free/to`,
      ]);
    }
    await expect(buy(`${seller.url}/free/from`, { ...asked, redirect: 'error' })).rejects.toThrow(TypeError);
    expect([rows().length, keys()]).toEqual([0, []]);
  });
});

it('pays no more than it may, and the header of a request wins', async () => {
  const careful = make({ maxAmount: '0.001' });
  await expect(careful(data())).rejects.toMatchObject({ code: 'max_per_payment' });
  const headers = { 'X-Treasury-Max-Amount': '0.02' };
  expect((await careful(data(), { headers })).status).toBe(200);
});

it('ends a wait with the reason of its signal', async () => {
  await treasury.client.post(`/v1/agents/${agent.agentId}/policy`, { approveAbove: '0' });
  const ending = new AbortController();
  const reason = new Error('enough');
  const waits = make({ onWaiting: () => ending.abort(reason) });
  await expect(waits(data(), { signal: ending.signal })).rejects.toBe(reason);
  expect([rows().length, keys().length]).toEqual([1, 1]);
});

/** A treasury that takes the first request and ends, and says after its restart that it is locked. */
const ending = (end = (response: ServerResponse): unknown => response.destroy()) => {
  let asked = 0;
  return pretendTreasury((_request, response) => {
    asked += 1;
    if (asked === 1) end(response);
    else response.writeHead(503).end('{"error":"The treasury is locked.","code":"locked"}');
  });
};

/** It ends with a reply, after it has paid: it shuts down, or its disk fails. */
const halting = () => ending((response) => response.writeHead(503).end('{"code":"halted"}'));

const failing = () =>
  pretendTreasury((_request, response) => void response.writeHead(500).end('{"code":"internal"}'));

describe('a request that was cut off', () => {
  it.each([ending, halting])('keeps its key, whatever the treasury answers then', async (open) => {
    const host = await open();
    await expect(make({ url: host.url })(data())).rejects.toMatchObject({ code: 'locked', paymentId: null });
    expect([host.asked.length, keys().length]).toEqual([2, 1]);
    await expect(make({ url: host.url })(data())).rejects.toMatchObject({ code: 'locked' });
    expect([host.asked.length, keys().length]).toEqual([3, 1]);
    await host.close();
  });

  const endings = kinds<[code: string, open: typeof ending]>([
    ['locked', ending],
    ['locked', halting],
    ['internal', failing],
  ]);
  it.for(endings)('keeps it in Python, too: %s', async ([code, open], { skip }) => {
    const missed = pythonMissing();
    skip(missed !== null, missed ?? undefined);
    const host = await open();
    const program = await startProgram(storyIn(await installWheel(), 'urllib'), environment(host.url));
    program.ask({ url: data(), method: 'GET', headers: {} });
    expect(await program.next()).toMatchObject({ code });
    expect(readdirSync(join(folder, 'agent-treasury/requests'))).toHaveLength(1);
    await killPrograms();
    await host.close();
  });
});

it('counts the refusals after which nothing was spent', () => {
  expect(nothingSpent).toEqual(expect.arrayContaining(['daily_budget', 'approval_denied', 'payment_failed']));
  expect(nothingSpent).not.toContain('awaiting_approval');
  expect(nothingSpent).not.toContain('not_delivered');
});

/** Of the environment, it would get the API key with each request. */
describe('a proxy of the environment', () => {
  const heard: string[] = [];
  const proxy = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      heard.push(chunk.toString('latin1'));
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}');
    });
  });
  let client: Awaited<ReturnType<typeof installClient>>;
  let wheel: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    client = await installClient();
    wheel = await installWheel();
  }, 600_000);
  afterAll(() => {
    proxy.close();
    client.remove();
  });
  afterEach(killPrograms);

  const runtimes = [
    ...kinds(javaScripts).map(
      (name) => [name, missing(name), () => javaScript(name, client.driver)] as const,
    ),
    ...kinds(pythonWays).map((way) => [way, pythonMissing(), () => storyIn(wheel, way)] as const),
  ];
  it.for(runtimes)('never gets the API key of %s', async ([, missed, runtime], { skip }) => {
    skip(missed !== null, missed ?? undefined);
    heard.length = 0;
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const program = await startProgram(await runtime(), {
      HTTP_PROXY: address,
      http_proxy: address,
      NODE_USE_ENV_PROXY: '1',
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      TREASURY_DATA: treasury.dataDir,
      TREASURY_AGENT_ID: agent.agentId,
      TREASURY_API_KEY: agent.key,
    });
    program.ask({ url: data(), method: 'GET', headers: {} });
    const said = await program.next();
    expect(said.status ?? said.code).toBeDefined();
    expect(heard.join('')).not.toContain(agent.key);
    if (heard.length === 0) expect(said.status).toBe(200);
  });
});

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
    const first = await buy(data());
    await first.body?.cancel();
    const paid = [first, await buy(data()), await buy(data())].map((answer) => paymentOf(answer)?.paymentId);
    expect([new Set(paid).size, rows().length, keys().length]).toEqual([1, 1, 1]);
    expect(await read(buy(data()))).toContain('try again');
    expect(keys()).toHaveLength(status === 200 ? 0 : 1);
    await read(buy(data()));
    expect(rows()).toHaveLength(status === 200 ? 2 : 1);
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

it.each(['one', 'two on one folder'])('buys twice for two equal requests at once: %s', async (which) => {
  const other = which === 'one' ? buy : make();
  const [one, two] = await Promise.all([buy(data()), other(data())]);
  expect(paymentOf(one)?.paymentId).not.toBe(paymentOf(two)?.paymentId);
  await one.text();
  expect(keys()).toHaveLength(1);
  const again = await other(data());
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
  const request = { method: 'POST', body };
  await expect(buy(data(), request)).rejects.toThrow('Idempotency-Key');
  await expect(buy(new Request(data(), request))).rejects.toThrow('Idempotency-Key');
  expect([seller.asked(), rows().length]).toEqual([asked, 0]);
});

const free: Parameters<typeof pretendTreasury>[0] = (_request, response) =>
  void response.setHeader('x-treasury-from', 'seller').setHeader('connection', 'close').end('free');

it('gives its API key to no program that took the port a moment ago', async () => {
  const host = await pretendTreasury(free);
  const port = Number(new URL(host.url).port);
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
  subscribe('net.client.socket', note);
  const buys = make({ url: host.url });
  expect(await read(buys(data()))).toBe('free');
  unsubscribe('net.client.socket', note);
  await host.close();
  const other = { port, apiKey: `atk_${'x'.repeat(43)}` };
  const squatter = await pretendTreasury(free, other);
  await until('its connections to the first to be seen closed', () =>
    sockets.every(({ closed, remotePort }) => closed || remotePort !== port),
  );
  await expect(buys(data())).rejects.toMatchObject({ code: 'unauthorized' });
  expect(squatter.asked).toEqual([]);
  await squatter.close();
});
