// (m) An allocation that draws on a cold treasury against one from the treasury's own wallet, each in a process of its own
// on the same chain. The account is followed by subscription, and read before each draw is signed.
import { randomUUID } from 'node:crypto';
import { createColdWallet } from '../../../harness/chain/cold-wallet.ts';
import type { Process } from '../../../harness/treasury.ts';
import { inPairs, type Work } from '../measure.ts';
import { figure, ratioOf, type Result } from '../report.ts';
import { fundedTreasury, type Stage } from '../stage.ts';

const pairs = 200;
const warmUp = 40;
const atMost = 1.1;

export const benchDraw = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const results: Result[] = [];
  for (const confirmMs of [0, 400]) {
    const clock = ['--confirm-ms', String(confirmMs), '--finalize-ms', String(confirmMs)];
    const { rpcUrl } = await stage.sandbox(clock);
    const { treasury: own } = await fundedTreasury(stage, rpcUrl);
    const { treasury: cold } = await fundedTreasury(stage, rpcUrl);
    await makeCold(cold, rpcUrl);
    const count = pairs * rounds;
    stage.say(`m: confirm-ms ${confirmMs}, ${warmUp} pairs to warm up, then ${count}`);
    const [draws, allocates] = [allocate(cold), allocate(own)];
    await inPairs(warmUp, draws, allocates);
    const times = await inPairs(count, draws, allocates);
    const { body } = await cold.client.get('/v1/cold');
    if (Number(body['cold'].granted) - Number(body['cold'].allowance) < count * 0.01)
      throw new Error('the draws came from elsewhere');
    await stage.end();
    const [drawn, floored] = [figure('ms', times.ours), figure('ms', times.floor)];
    const ratio = ratioOf(drawn.p50, floored.p50);
    results.push({
      id: `m.confirm-${confirmMs}`,
      what: `a draw, confirm-ms ${confirmMs}`,
      ours: drawn,
      floor: floored,
      ratio,
      target: `p50 at most ${atMost} x an allocation`,
      met: ratio <= atMost,
    });
  }
  return results;
};

/** Moves all that the treasury itself holds to a cold wallet, which allows 900 USDC. */
const makeCold = async ({ client, ready }: Process, rpcUrl: string): Promise<void> => {
  const wallet = await createColdWallet(rpcUrl, 1_000_000n);
  const { body } = await client.get('/v1/dashboard');
  const amount = String(BigInt(body['treasury'].amount) / 1_000_000n);
  const moved = { to: wallet.address, amount, asset: 'USDC' };
  const sent = await client.post('/v1/treasury/withdraw', moved, { key: 'all' });
  if (sent.status !== 200) throw new Error(sent.text);
  await wallet.allow(ready.owner, 900_000_000n);
  await client.post('/v1/cold', { address: wallet.address });
};

const allocate =
  ({ client }: Process): Work =>
  async () => {
    const key = randomUUID();
    const { status, text } = await client.post('/v1/agents/agent-1/allocate', { amount: '0.01' }, { key });
    if (status !== 200) throw new Error(`an allocation was answered ${status}: ${text}`);
  };
