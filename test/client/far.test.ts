// Programs on another machine buy through the owner's tunnel with the clients of this repository, and each buys once:
// also when the tunnel answers in place of the treasury, which has paid.
import { createServer, request as ask, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
import { kinds } from '../harness/kinds.ts';
import { freePort } from '../harness/free-port.ts';
import { openRich, receivedBySeller, seller, useSeller } from '../harness/seller-treasury.ts';
import { deploy, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { hasTunnel, openTunnel, withTunnel, type Tunnel } from '../harness/tunnel.ts';
import {
  installClient,
  installWheel,
  javaScript,
  killPrograms,
  outcome,
  pythonMissing,
  pythonWays,
  startProgram,
  storyIn,
  type Runtime,
} from './programs.ts';

const price = 10_000;
const newFolder = useFolders();
useSeller();

type Instead = (response: ServerResponse) => void;
const inJson =
  (status: number, body: object): Instead =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
/** What comes of an answer on its way: a tunnel may speak in its place, and also in JSON with a code of its own. */
const answers: Readonly<Record<string, Instead | null>> = {
  arrives: null,
  'is lost': (response) => void response.destroy(),
  'is a page of the tunnel': (response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>'),
  'is a number of the tunnel': inJson(502, { code: 502, message: 'Bad gateway' }),
  'is a word of the tunnel': inJson(530, { code: 'tunnel_error', error: 'No origin' }),
};

describe.skipIf(!hasTunnel)(withTunnel('a program behind the tunnel'), () => {
  let tunnel: Tunnel;
  let treasury: Treasury;
  let agent: TestAgent;
  let client: Awaited<ReturnType<typeof installClient>>;
  let relay: Server;
  let wheel: string;
  /** By what the relay replaces the treasury's next answer to a request that pays. */
  let instead: Instead | null = null;

  beforeAll(async () => {
    tunnel = await openTunnel(await freePort());
    treasury = await openRich({ args: ['--public-url', tunnel.url] });
    const { port } = new URL(treasury.host.url);
    relay = createServer((request, response) => {
      const { method, url, headers } = request;
      const onward = ask({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        if (instead !== null && url?.includes('/proxy/') === true) {
          const replace = instead;
          instead = null;
          answer.resume().once('end', () => replace(response));
        } else {
          response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
          answer.pipe(response);
        }
      });
      request.pipe(onward);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    await tunnel.forwardTo((relay.address() as AddressInfo).port);
    agent = await deploy(treasury.client, 'far', { allocate: '5.00' });
    client = await installClient();
    wheel = await installWheel();
  }, 600_000);
  afterEach(killPrograms);
  afterAll(async () => {
    await treasury.close();
    await tunnel.close();
    relay.close();
    client.remove();
  });

  const start = ({ env: own = {}, ...runtime }: Runtime) =>
    startProgram(
      { ...runtime, env: {} },
      {
        ...own,
        ...tunnel.env,
        PYTHONPATH: [own['PYTHONPATH'] ?? '', tunnel.env.PYTHONPATH].join(delimiter),
        HOME: newFolder(),
        TREASURY_URL: tunnel.url,
        TREASURY_OWNER: treasury.host.owner,
        TREASURY_AGENT_ID: agent.agentId,
        TREASURY_API_KEY: agent.key,
      },
    );
  const buyers = ['Node', ...kinds(pythonWays)] as const;
  const runtimeOf = (name: (typeof buyers)[number]): Promise<Runtime> | Runtime =>
    name === 'Node' ? javaScript('this Node', client.driver) : storyIn(wheel, name);

  for (const name of buyers)
    describe.skipIf(name !== 'Node' && pythonMissing() !== null)(name, () => {
      it.each(Object.keys(answers))('buys once, where its answer %s', async (kind) => {
        const before = await receivedBySeller();
        instead = answers[kind] ?? null;
        const program = await start(await runtimeOf(name));
        program.ask({ url: `${seller.url}/data`, method: 'POST', headers: {}, body: `${name} ${kind}` });
        const said = await outcome(program);
        expect(said).toMatchObject({ status: 200 });
        expect(said.payment).toMatch(/^pay_/);
        expect(instead).toBe(null);
        expect((await receivedBySeller()) - before).toBe(price);
      });
    });
});
