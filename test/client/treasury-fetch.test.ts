// The `fetch` that pays: what counts as one purchase, whose word an answer is, and what leaves for where.
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../harness/kinds.ts';
import { digestOf, readAsked } from '../../server/client/package/asked.ts';
import { paymentOf } from '../../server/client/package/payment-of.ts';
import { nothingSpent } from '../../server/client/package/treasury-error.ts';
import { seller } from '../harness/seller-treasury.ts';
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
  it('is one request at a time: two equal ones at once are two', async () => {
    const [one, two] = await Promise.all([buy(data()), buy(data())]);
    expect(paymentOf(one)?.paymentId).not.toBe(paymentOf(two)?.paymentId);
    expect(keys()).toHaveLength(2);
    await Promise.all([one.text(), two.text()]);
    expect(keys()).toEqual([]);
    expect(rows()).toHaveLength(2);
  });

  it('is not over before its answer was read to the end', async () => {
    const first = await buy(data());
    await first.body?.cancel();
    const second = await buy(data());
    expect(paymentOf(second)?.paymentId).toBe(paymentOf(first)?.paymentId);
    expect(await second.json()).toEqual({ sun: true });
    await (await buy(data())).text();
    expect(rows()).toHaveLength(2);
  });

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

  it('needs such a key for a FormData', async () => {
    const asked = seller.asked();
    const body = new FormData();
    body.set('a', '1');
    await expect(buy(data(), { method: 'POST', body })).rejects.toThrow('Idempotency-Key');
    expect([seller.asked(), rows().length]).toEqual([asked, 0]);
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
    expect(keys()).toEqual([]);
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
