// (s) The close of a month of 100,000 payments on the chain, against a bare reading of the same transactions' list.
import { chainRead } from '../../../harness/chain/chain-read.ts';
import { openTreasury, deploy, until, type TestAgent, type Treasury } from '../../../harness/treasury.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';

const payments = 100_000;
const agents = 16;
const mostSeconds = 60;
const monthMs = 40 * 86_400_000;

export const benchCloseMonth = async (stage: Stage): Promise<Result[]> => {
  let ahead = 0;
  const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
  const treasury = await stage.keep(openTreasury({ clock, sockets: 64 }), (it) => it.close());
  await payAll(stage, treasury);
  const { store } = treasury.host.engine.context;
  await until('all to be final', () => store.transfers.open().length === 0, 60_000);
  ahead = monthMs;
  await chainRead(treasury, clock.wall);
  const months = (await treasury.client.get('/v1/books/months')).body['months'] as { month: string }[];
  const month = months.at(-1)?.month ?? '';
  const times = { ours: [] as number[], floor: [] as number[] };
  for (let round = 0; round < 3; round += 1) {
    times.floor.push(await timed(() => listAll(treasury)));
    times.ours.push(
      await timed(async () => {
        const { body, text } = await treasury.client.post(`/v1/books/months/${month}/close`, {});
        if (body['state'] !== 'closed') throw new Error(`the month was not closed: ${text.slice(0, 500)}`);
        stage.say(`s: closed with ${body['entries']} entries`);
      }),
    );
  }
  const [ours, floor] = [figure('ms', times.ours), figure('ms', times.floor)];
  return [
    {
      id: 's',
      what: `closing a month of ${payments} payments`,
      ours,
      floor,
      ratio: ratioOf(ours.p50, floor.p50),
      target: `at most ${mostSeconds} s`,
      met: ours.p95 <= mostSeconds * 1_000,
    },
  ];
};

const timed = async (work: () => Promise<void>): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

const payAll = async (stage: Stage, { client }: Treasury): Promise<void> => {
  const plenty = { dailyBudget: '100000', maxPerPayment: '1', allocate: '50' };
  const payers: TestAgent[] = [];
  for (let n = 0; n < agents; n += 1) payers.push(await deploy(client, `payer-${n}`, plenty));
  let left = payments;
  const pay = async (agent: TestAgent): Promise<void> => {
    while (left > 0) {
      left -= 1;
      if (left % 10_000 === 0) stage.say(`s: ${payments - left} payments made`);
      const { status, text } = await agent.pay('0.002');
      if (status !== 200) throw new Error(text);
    }
  };
  // Each agent asks for two at a time.
  await Promise.all([...payers, ...payers].map(pay));
};

const listAll = async ({ host }: Treasury): Promise<void> => {
  const { store, chain } = host.engine.context;
  let listed = 0;
  for (const { address } of store.wallets.list())
    for await (const page of chain.listing(address)) listed += page.length;
  if (listed < payments) throw new Error(`the chain lists ${listed} transactions`);
};
