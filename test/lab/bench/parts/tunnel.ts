// (t) A payment through the owner's tunnel against the same at the local door, beside the tunnel's own round trip to a server
// that does nothing. And the owner's wait on this machine while 10,000 wrong keys come through the tunnel.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { openTunnel, type Tunnel } from '../../../harness/programs/tunnel.ts';
import { inPairs, quantile, timed, type Work } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedTreasury, pay, type FundedTreasury, type Stage } from '../stage.ts';

const warmUp = 100;
const pairs = 300;
const mostMs = 2;
const wrongKeys = 10_000;
const atOnce = 32;

export const benchTunnel = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const { rpcUrl } = await stage.sandbox();
  const funded = await fundedTreasury(stage, rpcUrl);
  const { treasury, agents } = funded;
  const [agent] = agents;
  if (agent === undefined) throw new Error('no agent was deployed');
  const tunnel = await stage.keep(openTunnel(Number(new URL(treasury.ready.url).port)), (it) => it.close());
  const set = await treasury.client.post('/v1/public-address', { url: tunnel.url });
  if (set.status !== 200) throw new Error(set.text);
  const idle = await idleServer(stage);
  const bare = await stage.keep(openTunnel(idle.port), (it) => it.close());
  const [far, near] = [payFar(tunnel, funded), pay(agent)];
  const [through, direct] = [
    ask(bare, {}, 200),
    (): Promise<unknown> => fetch(idle.url).then((it) => it.text()),
  ];
  stage.say(`t: ${warmUp} pairs to warm up, then ${pairs * rounds}`);
  await inPairs(warmUp, far, near);
  await inPairs(warmUp, through, direct);
  const paid = await inPairs(pairs * rounds, far, near);
  const trip = await inPairs(pairs * rounds, through, direct);
  const [ofFar, ofNear, ofTrip] = [paid.ours, paid.floor, trip.ours].map((times) => figure('ms', times));
  if (ofFar === undefined || ofNear === undefined || ofTrip === undefined)
    throw new Error('nothing was measured');
  const more = ofFar.p50 - ofNear.p50;
  return [
    {
      id: 't.pay',
      what: `a payment through the tunnel, ${more.toFixed(2)} ms more; its bare round trip ${ofTrip.p50.toFixed(2)} ms`,
      ours: ofFar,
      floor: ofNear,
      ratio: ratioOf(ofFar.p50, ofNear.p50),
      target: `at most one bare round trip and ${mostMs} ms more`,
      met: more <= ofTrip.p50 + mostMs,
    },
    await underAttack(stage, funded, tunnel),
  ];
};

const idleServer = async (stage: Stage): Promise<{ port: number; url: string }> => {
  const server = createServer((_request, response) => response.end('{}'));
  const listening = new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await stage.keep(listening, () => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}` };
};

/** One request through a tunnel on a connection that stays open. @throws for another status */
const ask =
  ({ url, agent }: Tunnel, { path = '/', ...options }: RequestOptions, expected: number, body = ''): Work =>
  () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(new URL(path ?? '/', url), { ...options, agent }, (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === expected) resolve();
          else reject(new Error(`the tunnel answered ${String(response.statusCode)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });

const payFar = (tunnel: Tunnel, { treasury, agents: [agent] }: FundedTreasury): Work => {
  if (agent === undefined) throw new Error('no agent was deployed');
  const path = `/v1/agents/${agent.agentId}/pay?owner=${treasury.ready.owner}`;
  const body = JSON.stringify({ service: 'sandbox-weather', amount: '0.01', currency: 'USDC' });
  return () => {
    const headers = {
      authorization: `Bearer ${agent.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'idempotency-key': randomUUID(),
    };
    return ask(tunnel, { method: 'POST', path, headers }, 200, body)();
  };
};

const underAttack = async (stage: Stage, { treasury }: FundedTreasury, tunnel: Tunnel): Promise<Result> => {
  stage.say(`t: ${wrongKeys} wrong keys`);
  const path = `/v1/agents/agent-1/balance?owner=${treasury.ready.owner}`;
  const seen = { left: wrongKeys, letIn: 0 };
  const attack = async (): Promise<void> => {
    while (seen.left > 0) {
      seen.left -= 1;
      const headers = { authorization: `Bearer atk_${randomUUID().replaceAll('-', '').padEnd(43, 'A')}` };
      await ask(tunnel, { path, headers }, 200)().then(
        () => (seen.letIn += 1),
        () => {},
      );
    }
  };
  const attacks = Promise.all(Array.from({ length: atOnce }, attack));
  const waits: number[] = [];
  while (seen.left > 0) waits.push(await timed(() => treasury.client.get('/v1/dashboard')));
  await attacks;
  const p99 = quantile(waits, 0.99);
  return {
    id: 't.attack',
    what: `the owner's overview beside ${wrongKeys} wrong keys: p99 ${p99.toFixed(1)} ms, ${seen.letIn} let in`,
    ours: figure('ms', waits),
    floor: null,
    ratio: null,
    target: 'p99 at most 100 ms, 0 let in',
    met: p99 <= 100 && seen.letIn === 0,
  };
};
