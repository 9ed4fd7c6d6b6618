// Many agents of one machine at once: ten bridges, or in full fifty, each a process with its own agent's API key, on
// one host. Everything that an answer says of an agent has to be true of the agent that asked, and of no other.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleProgram } from '../../build/executables.ts';
import { formatUsdc, usdc } from '../../server/money.ts';
import { decodeReceipt } from '../../server/lib/solana/receipt.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import {
  deploy,
  instantly,
  openTreasury,
  removeFolder,
  spawnTreasury,
  temporaryFolder,
  until,
  type Process,
  type TestAgent,
} from '../harness/treasury.ts';
import { tries } from '../harness/tries.ts';
import { envOf, openBridge, type Bridge, type Called } from './bridge.ts';

const bridges = tries(5, 50);
const callsEach = tries(25, 200);
/** More than one, so that answers can be mixed up within a bridge as well. */
const atOnce = 2;
const kinds = ['balance', 'policy', 'explain', 'history', 'pay'] as const;

/** Values by which an answer can be told from every other agent's. */
interface Client {
  number: number;
  agent: TestAgent;
  dailyBudget: string;
  maxPerPayment: string;
  bridge: Bridge;
  paid: Set<string>;
}

const [dataDir, programs] = [temporaryFolder(), temporaryFolder()];
let host: Process;
const clients: Client[] = [];
beforeAll(async () => {
  const bundle = await bundleProgram('server/mcp/main.ts', 'bridge', programs);
  host = await spawnTreasury(dataDir, instantly);
  await host.client.post('/v1/sandbox/faucet', { amount: '1000' });
  for (let number = 1; number <= bridges; number += 1) {
    const limits = { dailyBudget: `${number + 2}.00`, maxPerPayment: `1.${number + 10}` };
    const agent = await deploy(host.client, `one-of-${number}`, { ...limits, allocate: '2.00' });
    const bridge = await openBridge(envOf(agent, { owner: host.ready.owner, dataDir }), 'modern', {
      args: [bundle],
    });
    const client: Client = { number, agent, ...limits, bridge, paid: new Set() };
    clients.push(client);
    // All its connections are open before the storm: Node accepts one new one a turn, behind all open and busy ones.
    await Promise.all(Array.from({ length: atOnce }, () => looks.explain(client, 0)));
  }
});
afterAll(async () => {
  await Promise.all(clients.map(({ bridge }) => bridge.close()));
  host.client.close();
  await host.kill('SIGKILL');
  [dataDir, programs].forEach(removeFolder);
});

/** A price that no other agent pays, and this agent only once. */
const priceOf = ({ number }: Client, call: number): string =>
  formatUsdc(usdc(BigInt(number * callsEach + call)));

/** The values of an answer that identify its agent, and the expected ones. */
type Look = (client: Client, call: number) => Promise<[said: unknown, expected: unknown]>;

const contentOf = ({ isError, content, text }: Called): Called['content'] => {
  if (isError) throw new Error(text);
  return content;
};

const looks: Record<(typeof kinds)[number], Look> = {
  async balance({ bridge, agent }) {
    const { agentId, walletAddress } = contentOf(await bridge.call('check_balance'));
    return [
      { agentId, walletAddress },
      { agentId: agent.agentId, walletAddress: agent.wallet },
    ];
  },
  async policy({ bridge, agent, dailyBudget, maxPerPayment }) {
    const { agentId, policy } = contentOf(await bridge.call('get_policy'));
    const said = { agentId, dailyBudget: policy.dailyBudget, maxPerPayment: policy.maxPerPayment };
    return [said, { agentId: agent.agentId, dailyBudget, maxPerPayment }];
  },
  async explain({ bridge, dailyBudget }) {
    const args = { service: 'sandbox-weather', amount: '0.01' };
    const { spent24h, leftToday } = contentOf(await bridge.call('explain_policy', args));
    return [(Number(spent24h) + Number(leftToday)).toFixed(2), dailyBudget];
  },
  async history({ bridge, agent }) {
    const { payments } = contentOf(await bridge.call('get_spend_history', { limit: 500 }));
    const others = payments.filter((one: { agentId: string }) => one.agentId !== agent.agentId);
    return [others, []];
  },
  async pay(client, call) {
    const amount = priceOf(client, call);
    const called = await client.bridge.call('pay', { service: 'sandbox-weather', amount });
    const { paymentId, amount: paid, xPaymentHeader } = contentOf(called);
    client.paid.add(paymentId);
    return [
      { paid, payer: decodeReceipt(xPaymentHeader)?.payer },
      { paid: amount, payer: client.agent.wallet },
    ];
  },
};

/** Mostly cheap calls, so that answers cross each other often. */
const kindOf = (call: number): (typeof kinds)[number] => {
  if (call % 25 === 0) return 'pay';
  if (call % 12 === 0) return call % 24 === 0 ? 'explain' : 'history';
  return call % 2 === 0 ? 'balance' : 'policy';
};

it(`gives each of ${bridges} bridges its own answers alone, to ${callsEach} calls each, all at once`, async ({
  annotate,
}) => {
  const answered = new Map<string, number>();
  const wrong: unknown[] = [];
  const started = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      let next = 0;
      const work = async (): Promise<void> => {
        while (next < callsEach) {
          next += 1;
          const call = next;
          const [said, expected] = await looks[kindOf(call)](client, call);
          answered.set(kindOf(call), (answered.get(kindOf(call)) ?? 0) + 1);
          try {
            expect(said).toEqual(expected);
          } catch {
            wrong.push({ agent: client.agent.agentId, kind: kindOf(call), said, expected });
          }
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    }),
  );
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  await annotate(`${bridges} bridges, ${JSON.stringify(Object.fromEntries(answered))} in ${seconds} s`);
  expect(wrong).toEqual([]);
  expect([...answered.values()].reduce((sum, count) => sum + count, 0)).toBe(bridges * callsEach);
  for (const { bridge } of clients) expect(bridge.stderr()).toBe('');
});

it('made each payment for the agent that asked for it, once', async () => {
  const ids = new Set<string>();
  for (const client of clients) {
    const { agentId } = client.agent;
    const { payments } = (await host.client.get(`/v1/agents/${agentId}/spend-history?limit=500`)).body;
    expect(payments.map((one: { id: string }) => one.id).toSorted()).toEqual([...client.paid].toSorted());
    for (const id of client.paid) ids.add(id);
  }
  expect(ids.size).toBe((bridges * callsEach) / 25);
  host.client.close();
  await host.kill('SIGTERM');
  const reopened = await openTreasury({ dataDir });
  const { store } = reopened.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0);
  expect(clean(await audit(reopened.host))).toEqual(allWell);
  await reopened.close();
});
