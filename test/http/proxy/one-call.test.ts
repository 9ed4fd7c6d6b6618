// One call of a program is at most one payment, whatever its seller answers once it is paid: a program that follows,
// authenticates or repeats by itself goes on with the same payment. A plain `fetch` and the official SDKs, at the proxy and
// with the `fetch` that pays.
import { STATUS_CODES } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useFolders } from '../../harness/folders.ts';
import { startPeer, type Peer } from '../../harness/peers.ts';
import { openRich, seller, useSeller } from '../../harness/seller-treasury.ts';
import { deploy, until, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { askThrough, pathThrough } from './through.ts';

const folder = useFolders();
useSeller();
let treasury: Treasury;
let peer: Peer;
let agent: TestAgent;
let n = 0;
beforeAll(async () => {
  treasury = await openRich({ proxyHoldMs: 3_000 });
  peer = await startPeer('sdks', 'client', {});
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
    const lines = Object.entries({ ...head, 'content-length': String(text.length), connection: 'close' });
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
describe.each<[string, number[]]>([
  ['openai', every],
  ['anthropic', every],
  ['ai', [409]],
])('the SDK %s', (sdk, repeated) => {
  it.each(['at the proxy', 'with the fetch that pays'])('pays at most once, %s', async (way) => {
    const paying =
      way === 'at the proxy'
        ? undefined
        : { url: treasury.host.url, agentId: agent.agentId, apiKey: agent.key, folder: folder() };
    const kinds: [status: number, head: Head][] = [
      // What is not handed over at all makes a client of ours wait for the chain.
      ...repeated
        .filter((status) => paying === undefined || ![429, 503].includes(status))
        .map((status) => [status, hostile()] as [number, Head]),
      [301, { ...large, ...many }],
    ];
    const more: string[] = [];
    for (const [at, [status, head]] of kinds.entries()) {
      answerWith(status, head);
      const path = `${sdk}-${at}`;
      const base = paying === undefined ? proxied(path) : url(path);
      await peer.ask(JSON.stringify({ sdk, how: 'whole', base, key: agent.key, paying }));
      if (payments() !== at + 1) more.push(`${status}: ${payments() - at}`);
    }
    expect(more).toEqual([]);
  });
});
