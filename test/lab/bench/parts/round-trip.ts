// (b) A request, its 402, the payment, the request with the receipt, its 200: with the treasury and the demo weather
// API, and with a bare sender and a bare seller.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createFloor, newWallet, type Sender } from '../floors/floor.ts';
import { inPairs, type Work } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedTreasury, type FundedTreasury, type Stage } from '../stage.ts';
import { createClient, type Answer } from '../../../harness/http-client.ts';

const warmUp = 150;
const pairs = 300;
const mostMs = { p50: 9, p95: 14 };

export const benchRoundTrip = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const { rpcUrl } = await stage.sandbox();
  const ours = roundTrip(await fundedTreasury(stage, rpcUrl));
  const recipient = newWallet().address;
  const floor = await stage.keep(createFloor(rpcUrl, recipient), (it) => it.close());
  const bare = await bareRoundTrip(stage, [rpcUrl, recipient], await floor.sender());
  stage.say(`b: ${warmUp} pairs to warm up, then ${pairs * rounds}`);
  await inPairs(warmUp, ours, bare);
  const times = await inPairs(pairs * rounds, ours, bare);
  const [paid, floored] = [figure('ms', times.ours), figure('ms', times.floor)];
  return (['p50', 'p95'] as const).map((part) => ({
    id: `b.${part}`,
    what: `402, pay, 200: ${part}`,
    ours: paid,
    floor: floored,
    ratio: ratioOf(paid[part], floored[part]),
    target: `${part} at most ${mostMs[part]} ms`,
    met: paid[part] <= mostMs[part],
  }));
};

const roundTrip = ({ treasury, agents }: FundedTreasury): Work => {
  const [agent] = agents;
  if (agent === undefined) throw new Error('no agent was deployed');
  const path = '/sandbox/weather?city=Lisbon';
  const asStranger = { owner: null, token: null };
  return async () => {
    const asked = expect(402, await treasury.client.get(path, asStranger));
    const { amount, currency, invoice } = asked.body;
    const body = { service: 'sandbox-weather', amount, currency, invoice };
    const paid = expect(
      200,
      await agent.client.post(`/v1/agents/${agent.agentId}/pay`, body, { key: randomUUID() }),
    );
    const headers = { 'x-payment': String(paid.body['xPaymentHeader']) };
    expect(200, await treasury.client.get(path, { ...asStranger, headers }));
  };
};

const bareRoundTrip = async (stage: Stage, args: readonly string[], sender: Sender): Promise<Work> => {
  const script = fileURLToPath(new URL('../floors/bare-seller.ts', import.meta.url));
  const seller = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ready = once(createInterface(seller.stdout), 'line');
  await stage.keep(Promise.resolve(seller), (it) => it.kill('SIGTERM'));
  const [url] = (await Promise.race([ready, once(seller, 'exit')])) as [unknown];
  if (typeof url !== 'string') throw new Error('the bare seller did not start');
  const client = createClient(url, '', null);
  await stage.keep(Promise.resolve(client), (it) => it.close());
  const asStranger = { owner: null };
  return async () => {
    const { amount, currency, recipient, invoice } = expect(402, await client.get('/', asStranger)).body;
    const txSignature = await sender.pay(`at:${randomUUID().slice(0, 28)}:${invoice}`);
    const receipt = {
      txSignature,
      amount,
      currency,
      recipient,
      invoice,
      timestamp: new Date().toISOString(),
    };
    const headers = { 'x-payment': `v1.${Buffer.from(JSON.stringify(receipt)).toString('base64')}` };
    expect(200, await client.get('/', { ...asStranger, headers }));
  };
};

const expect = (status: number, answer: Answer): Answer => {
  if (answer.status !== status)
    throw new Error(`expected ${status}, was answered ${answer.status}: ${answer.text}`);
  return answer;
};
