// Paid calls at a clock that the test moves, since some take longer than a host waits: host, server and treasury are
// stand-ins. And the server that the proxy's arguments name, or a variable where secrets must not be read by others.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { wrappedBy } from '../../../server/mcp/proxy/command.ts';
import { type Message, messageOf } from '../../../server/mcp/proxy/message.ts';
import type { Payment } from '../../../server/mcp/proxy/payments.ts';
import type { Peer } from '../../../server/mcp/proxy/peer.ts';
import { openPipe } from '../../../server/mcp/proxy/pipe.ts';
import type { Proof } from '../../../server/mcp/proxy/repeated.ts';
import type { Line } from './wire.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const nothing = (): void => {};

/** An end of the pipe: what it hears, and how it speaks. */
const endOfPipe = () => {
  const heard: Line[] = [];
  const texts: string[] = [];
  let say: (message: Message) => void = nothing;
  const peer: Peer = {
    async start(listen) {
      say = listen;
    },
    async send(message) {
      heard.push(message.said as Line);
      texts.push(message.text);
    },
    flushed: () => Promise.resolve(),
    pause() {},
    resume() {},
  };
  const sayText = (text: string): void => say(messageOf(text));
  const sayLine = (message: Line): void => sayText(JSON.stringify({ jsonrpc: '2.0', ...message }));
  return { heard, texts, peer, sayText, say: sayLine };
};

const required = {
  x402Version: 2,
  accepts: [{ scheme: 'exact', network: 'n', amount: '1', asset: 'a', payTo: 'p' }],
};
const demanded = {
  isError: true,
  structuredContent: required,
  content: [{ type: 'text', text: JSON.stringify(required) }],
};
const slow = { name: 'slow', arguments: {}, _meta: { progressToken: 't' } };

const open = async () => {
  const [host, server] = [endOfPipe(), endOfPipe()];
  let [payments, received] = [0, 0];
  let grant: (proof: Proof) => void = nothing;
  const pay = (): Payment => {
    payments += 1;
    const proof = new Promise<Proof>((resolve) => (grant = resolve));
    return {
      proof: () => proof,
      id: () => 'pay_1',
      received: async () => void (received += 1),
      leave() {},
    };
  };
  const ends = { host: host.peer, server: server.peer, hostClosed() {}, serverClosed() {} };
  await openPipe({ ...ends, pay, patienceMs: 45_000 });
  const call = (id: number): void => {
    host.say({ id, method: 'tools/call', params: slow });
    server.say({ id, result: demanded });
  };
  return {
    host,
    server,
    call,
    grant: () => grant({ key: 'x402/payment', value: { paid: true } }),
    counts: () => ({ payments, received }),
    answersTo: (wanted: number) => host.heard.filter(({ id }) => id === wanted),
    /** Requests that show the server a payment. */
    shown: () => server.heard.filter(({ params }) => params?._meta?.['x402/payment'] !== undefined),
  };
};

it('waits for a server that was shown a payment as long as it takes, and pays once', async () => {
  const { call, grant, server, answersTo, shown, counts } = await open();
  call(1);
  grant();
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect([answersTo(1), shown()]).toEqual([[], [expect.anything()]]);
  server.say({ id: shown()[0]?.['id'], result: { content: [{ type: 'text', text: 'at last' }] } });
  await vi.advanceTimersByTimeAsync(1);
  expect(answersTo(1)).toMatchObject([{ result: { content: [{ text: 'at last' }] } }]);
  expect(counts()).toEqual({ payments: 1, received: 1 });
});

it('gives a call up while the owner is awaited, and its purchase to the next equal call', async () => {
  const { call, grant, server, answersTo, shown, counts } = await open();
  call(1);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(answersTo(1)).toMatchObject([{ result: { isError: true } }]);
  call(2);
  grant();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(shown()).toHaveLength(1);
  server.say({ id: shown()[0]?.['id'], result: { content: [{ type: 'text', text: 'bought' }] } });
  await vi.advanceTimersByTimeAsync(1);
  expect(answersTo(2)).toMatchObject([{ result: { content: [{ text: 'bought' }] } }]);
  expect(counts()).toEqual({ payments: 1, received: 1 });
});

it('tells the host of its progress until the server is shown the payment, below the server’s own', async () => {
  const { call, grant, host } = await open();
  const told = (): Line[] => host.heard.filter(({ method }) => method === 'notifications/progress');
  call(1);
  await vi.advanceTimersByTimeAsync(21_000);
  expect(told().map(({ params }) => params.progressToken)).toEqual(['t', 't', 't', 't']);
  const steps = told().map(({ params }) => Number(params.progress));
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(Math.max(...steps)).toBeLessThan(0.001);
  grant();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(told()).toHaveLength(4);
});

const oddCall = (id: string, meta: string): string =>
  `{"id":${id}, "method":"tools/call","params":{"name":"t","arguments":{"v":12345678901234567890,"w":1.0},"_meta":{"a":1e400${meta}}},"trace":[1.0]}`;

it('changes nothing of a paid call but its id and its payment, and nothing of the answer but the id', async () => {
  const { host, server, grant, shown, counts } = await open();
  host.sayText(oddCall('9007199254740993', ''));
  server.sayText(`{"jsonrpc":"2.0","id":9007199254740993,"result":${JSON.stringify(demanded)}}`);
  grant();
  await vi.advanceTimersByTimeAsync(1);
  const own = JSON.stringify(shown()[0]?.['id']);
  expect(server.texts).toEqual([
    oddCall('9007199254740993', ''),
    oddCall(own, ',"x402/payment": {"paid":true}'),
  ]);
  server.sayText(`{"result":{"v":0.10}, "id":${own} ,"trace":1e400}`);
  await vi.advanceTimersByTimeAsync(1);
  expect(host.texts).toEqual(['{"result":{"v":0.10}, "id":9007199254740993 ,"trace":1e400}']);
  expect(counts()).toEqual({ payments: 1, received: 1 });
});

const requestOf = (id: number): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"t","arguments":{}}}`;

it('buys what one response of a batch demands, and passes on the others at once', async () => {
  const { host, server, grant, shown } = await open();
  host.sayText(`[${requestOf(1)}, ${requestOf(2)}]`);
  expect(server.texts).toEqual([`[${requestOf(1)}, ${requestOf(2)}]`]);
  server.sayText(
    `[{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(demanded)}},{"jsonrpc":"2.0","id":2,"result":{"free":1.0}}]`,
  );
  expect(host.texts).toEqual(['[{"jsonrpc":"2.0","id":2,"result":{"free":1.0}}]']);
  grant();
  await vi.advanceTimersByTimeAsync(1);
  server.say({ id: shown()[0]?.['id'], result: { content: [] } });
  await vi.advanceTimersByTimeAsync(1);
  expect(host.heard.at(-1)).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [] } });
});

it('passes on a demand for a call that is nested too deep to be compared, and buys nothing', async () => {
  const { host, server, counts } = await open();
  const args = `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`;
  host.sayText(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":${args}}}`);
  server.say({ id: 1, result: demanded });
  expect(host.heard).toMatchObject([{ id: 1, result: { isError: true } }]);
  expect(counts()).toEqual({ payments: 0, received: 0 });
});

const none = { header: [] };
const server = (value: unknown) => ({
  TREASURY_SERVER: typeof value === 'string' ? value : JSON.stringify(value),
});
const url = 'https://mcp.example.com/mcp?k=1';

it('is the one of the variable where the arguments name none', () => {
  expect(wrappedBy([], none, server({ url, headers: { Authorization: 'Bearer a: b' } }))).toEqual({
    url: new URL(url),
    headers: { Authorization: 'Bearer a: b' },
  });
});

it('is that of the arguments where they name one', () => {
  const kept = server({ url, headers: {} });
  expect(wrappedBy(['npx', 'x'], { ...none, name: 'x' }, kept)).toEqual({ name: 'x', command: ['npx', 'x'] });
  const other = 'https://other.example/';
  expect(wrappedBy([], { ...none, url: other }, kept)).toEqual({ url: new URL(other), headers: {} });
});

it.each([
  ['', 'must be JSON'],
  ['{', 'must be JSON'],
  [{ url }, 'must be JSON'],
  [{ url, headers: { a: 1 } }, 'must be JSON'],
  [{ url, headers: {}, more: 1 }, 'must be JSON'],
  [{ url: 'ftp://a.example', headers: {} }, 'must be an https URL'],
  [{ url, headers: { 'a b': 'c' } }, 'must be written as'],
])('is refused in the form %j', (value, why) => {
  expect(() => wrappedBy([], none, server(value))).toThrow(why);
});
