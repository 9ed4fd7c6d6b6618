// Programs on another machine buy through the owner's tunnel with the clients of this repository, and each buys once:
// also when the tunnel answers in place of the treasury, which has paid.
import { createServer, request as ask, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { delimiter } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { useFolders } from '../harness/folders.ts';
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

describe.skipIf(!hasTunnel)(withTunnel('a program behind the tunnel'), () => {
  let tunnel: Tunnel;
  let treasury: Treasury;
  let agent: TestAgent;
  let client: Awaited<ReturnType<typeof installClient>>;
  let relay: Server;
  const wheel = newFolder();
  /** Answers of the treasury to requests that pay, which the relay still loses. */
  let losing = 0;

  beforeAll(async () => {
    tunnel = await openTunnel(await freePort());
    treasury = await openRich({ args: ['--public-url', tunnel.url] });
    const { port } = new URL(treasury.host.url);
    relay = createServer((request, response) => {
      const { method, url, headers } = request;
      const onward = ask({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
        if (losing > 0 && url?.includes('/proxy/') === true) {
          losing -= 1;
          answer.resume().once('end', () => response.destroy());
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
    if (pythonMissing() === null) await installWheel(wheel);
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
  const buyers = ['Node', ...pythonWays] as const;
  const runtimeOf = (name: (typeof buyers)[number]): Promise<Runtime> | Runtime =>
    name === 'Node' ? javaScript('this Node', client.driver) : storyIn(wheel, name);

  for (const name of buyers)
    describe.skipIf(name !== 'Node' && pythonMissing() !== null)(name, () => {
      it.each([0, 1])('buys once, with %i lost answers', async (lost) => {
        const before = await receivedBySeller();
        losing = lost;
        const program = await start(await runtimeOf(name));
        program.ask({ url: `${seller.url}/data`, method: 'POST', headers: {}, body: `${name} ${lost}` });
        const said = await outcome(program);
        expect(said).toMatchObject({ status: 200 });
        expect(said.payment).toMatch(/^pay_/);
        expect(losing).toBe(0);
        expect((await receivedBySeller()) - before).toBe(price);
      });
    });
});
