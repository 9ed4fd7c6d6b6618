// One call of a program is at most one payment, whatever its seller answers once it is paid: a program that follows,
// authenticates or repeats by itself goes on with the same payment. A plain `fetch` and the official SDKs, at the proxy and
// with the `fetch` that pays.
import { STATUS_CODES } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../../harness/folders.ts';
import { kinds } from '../../harness/kinds.ts';
import { installPeer, startPeer, type Peer } from '../../harness/programs/peers.ts';
import { openRich, seller, useSeller } from '../../harness/chain/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { requestText } from '../contract/raw.ts';
import { askThrough, headOf, openThrough, pathThrough, wholeOf } from './through.ts';

const folder = useFolders();
useSeller();
let treasury: Treasury;
let peer: Peer;
let agent: TestAgent;
let n = 0;
beforeAll(async () => {
  treasury = await openRich({ proxyHoldMs: 3_000 });
  if (sdks.length > 1) await installPeer('sdks');
  peer = await startPeer('openai', 'client', {});
}, 600_000);
afterAll(async () => {
  await peer.end();
  await treasury.close();
});
beforeEach(async () => {
  n += 1;
  agent = await deploy(treasury.client, `caller-${n}`, { allocate: '5.00' });
});

const payments = (): number =>
  [...treasury.host.engine.context.store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })]
    .length;

type Head = Readonly<Record<string, string | string[]>>;
/** Each answer leads to another place, which costs again. */
let places = 0;
const hostile = (): Head => ({
  location: `/v1/place-${(places += 1)}`,
  refresh: `0; url=/v1/place-${places}`,
  'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"',
  'set-cookie': `session=${places}`,
  'x-should-retry': 'true',
  'retry-after-ms': '1',
  'x-treasury-location': '/forged',
});
const large: Head = { 'x-large': 'a'.repeat(20_000), etag: '"e"' };
const many: Head = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`x-${at}`, 'a'.repeat(40)]));

/** Written by hand, since no server of ours would say some of it. */
const answerWith = (
  status: number | string,
  head: Head,
  text = /^[23]04$/.test(String(status)) ? '' : '{}',
): void => {
  seller.behave = async ({ settle, response }) => {
    await settle();
    const lines = Object.entries({ connection: 'close', ...head, 'content-length': String(text.length) });
    const fields = lines.flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
    response.socket?.end([`HTTP/1.1 ${status} Said`, ...fields, '', text].join('\r\n'));
  };
};
const statuses = Object.keys(STATUS_CODES)
  .filter((status) => Number(status) >= 200)
  .concat('042', '099', '199', '299', '399', '419', '599', '600', '999');
const url = (path: string): string => `${seller.url}/v1/${path}`;
const proxied = (path: string): string => treasury.host.url + pathThrough(agent.agentId, url(path));

describe('a plain fetch at the proxy', () => {
  it('pays at most once whatever the status, and is told where a redirect leads', async () => {
    const more: string[] = [];
    for (const [at, status] of statuses.entries()) {
      answerWith(status, hostile());
      const asking = fetch(proxied(`status-${status}`), { headers: { 'x-treasury-key': agent.key } });
      // Of 407, `fetch` makes an error of its own.
      const said = await asking.catch(() => Response.error());
      await said.text();
      if (payments() !== at + 1) more.push(`${status}: ${payments() - at}`);
      if (said.headers.get('x-treasury-from') !== 'seller') continue;
      expect([said.status, said.headers.get('location'), said.headers.get('x-should-retry')]).toEqual([
        Number(status),
        null,
        'false',
      ]);
      expect(said.headers.get('x-treasury-location')).toBe(new URL(proxied(`place-${places}`)).pathname);
    }
    expect(more).toEqual([]);
  });

  it('is not to be repeated, whatever the seller says of its connection and however much it says', async () => {
    const short = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`content-${at}`, 'b']));
    answerWith(409, { ...short, ...hostile(), connection: 'close, x-should-retry' });
    const got = await askThrough(treasury.host.url, agent, url('named'));
    expect([got.status, got.headers['x-should-retry']]).toEqual([409, 'false']);
  });

  it.each([
    ['20 KB', large],
    ['300 headers', many],
  ])('has an answer whose head has %s: what it needs of it, in 8 KiB', async (_, head) => {
    answerWith(200, { 'x-first': 'b', ...head, 'content-type': 'text/odd' }, 'goods');
    const got = await askThrough(treasury.host.url, agent, url('head'));
    expect([got.text, got.headers['content-type'], got.headers['x-first']]).toEqual([
      'goods',
      'text/odd',
      'b',
    ]);
    const fields = Object.entries(got.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    expect(fields.join('').length).toBeLessThan(8_192);
    expect(fields.length).toBeLessThan(80);
    expect(payments()).toBe(1);
  });
});

/** Whether an answer is whole by what its head says. */
const isWhole = (text: string): boolean => {
  const [head = '', body] = text.split('\r\n\r\n', 2);
  if (body === undefined || /^HTTP\S+ 304/.test(head)) return body !== undefined;
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : body.length >= Number(length);
};
const connected = (): Promise<Socket> => {
  const { hostname, port } = new URL(treasury.host.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
  });
};

it.each([302, 304, 404])(
  'pays once for a request that is repeated in the moment in which its answer is whole: %s',
  async (status) => {
    answerWith(status, {}, status === 304 ? '' : 'nothing here');
    const target = pathThrough(agent.agentId, url('at-once'));
    const { host } = new URL(treasury.host.url);
    const asking = requestText({ target, headers: [`Host: ${host}`, `X-Treasury-Key: ${agent.key}`] });
    const sockets = await Promise.all(Array.from({ length: 10 }, connected));
    await new Promise<void>((resolve) => {
      for (const [at, socket] of sockets.entries()) {
        let text = '';
        socket.on('data', (chunk: Buffer) => {
          text += chunk.toString('latin1');
          if (!isWhole(text)) return;
          // Before the treasury has its next turn.
          sockets[at + 1]?.write(asking);
          if (at + 1 === sockets.length) resolve();
        });
      }
      sockets[0]?.write(asking);
    });
    for (const socket of sockets) socket.destroy();
    expect(payments()).toBe(1);
  },
);

it('pays once for a request that is repeated while an answer that is no delivery is on its way', async () => {
  let end: (() => void) | undefined;
  seller.behave = async ({ settle, response }) => {
    await settle();
    response.writeHead(302, { 'content-length': '2' }).write('{');
    end = () => void response.end('}');
  };
  const ask = () => headOf(openThrough(treasury.host.url, agent, url('on-its-way')));
  const { store, attended } = treasury.host.engine.context;
  const first = await ask();
  const [payment] = [...store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })];
  expect(attended.has(payment?.id ?? '')).toBe(false);
  const second = ask();
  await until('the second to wait for it', () => attended.has(payment?.id ?? ''));
  end?.();
  expect([String(await wholeOf(first)), String(await wholeOf(await second))]).toEqual(['{}', '{}']);
  expect(payments()).toBe(1);
});

it('tells a paid fetch of a redirect by the same name, and does not end its purchase when it is acknowledged', async () => {
  answerWith(307, hostile());
  const { client, agentId } = agent;
  const bought = () =>
    client.post(`/v1/agents/${agentId}/fetch`, { url: url('moved') }, { prefer: 'continue, wait=20' });
  const { headers, payment } = (await bought()).body;
  expect(headers).toMatchObject({ 'x-treasury-location': `/v1/place-${places}`, 'x-should-retry': 'false' });
  expect(Object.keys(headers)).not.toContain('location');
  await client.post(`/v1/agents/${agentId}/payments/${payment.paymentId}/received`);
  expect((await bought()).body['payment'].paymentId).toBe(payment.paymentId);
  expect(payments()).toBe(1);
});

it('counts an answer that is no delivery as had after ten minutes, and shows it to the same request until then', async () => {
  const { context } = treasury.host.engine;
  const { now } = context.time;
  answerWith(404, {}, 'nothing here');
  const ask = () => askThrough(treasury.host.url, agent, url('lost'));
  for (let times = 0; times < 3; times += 1) expect((await ask()).text).toBe('nothing here');
  expect(payments()).toBe(1);
  const { store } = context;
  const [id = ''] = [...store.transfers.iterate({ agentId: agent.agentId, kinds: ['payment'] })].map(
    (row) => row.id,
  );
  await until('its record', () => store.answers.get(id)?.receivedAt != null);
  context.time.now = () => now() + 600_001;
  await ask();
  context.time.now = now;
  expect(payments()).toBe(2);
});

const every = [200, 300, 302, 304, 307, 401, 404, 409, 413, 429, 503];
// The AI SDK repeats after 2 and 4 s, whatever the answer says.
const sdks = kinds<[string, number[]]>([
  ['openai', every],
  ['anthropic', every],
  ['ai', [409]],
]);
describe.each(sdks)('the SDK %s', (sdk, repeated) => {
  it.each(['at the proxy', 'with the fetch that pays'])('pays at most once, %s', async (way) => {
    const paying =
      way === 'at the proxy'
        ? undefined
        : { url: treasury.host.url, agentId: agent.agentId, apiKey: agent.key, folder: folder() };
    const answers: [status: number, head: Head][] = [
      // What is not handed over at all makes a client of ours wait for the chain.
      ...repeated
        .filter((status) => paying === undefined || ![429, 503].includes(status))
        .map((status) => [status, hostile()] as [number, Head]),
      [301, { ...large, ...many }],
    ];
    const more: string[] = [];
    for (const [at, [status, head]] of answers.entries()) {
      answerWith(status, head);
      const path = `${sdk}-${at}`;
      const base = paying === undefined ? proxied(path) : url(path);
      await peer.ask(JSON.stringify({ sdk, how: 'whole', base, key: agent.key, paying }));
      if (payments() !== at + 1) more.push(`${status}: ${payments() - at}`);
    }
    expect(more).toEqual([]);
  });
});
