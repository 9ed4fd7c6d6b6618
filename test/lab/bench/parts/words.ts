// (n) Words from a phone: from the chain's commitment to their effect. The sandbox confirms and finalizes a transaction so
// and so long after it took it: from that moment on the time counts.
import { trustedPhone } from '../../../harness/chain/trusted-phone.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../../../harness/treasury.ts';
import { figure, type Result } from '../report.ts';
import type { Stage } from '../stage.ts';

const wordsOfOne = 20;

/** Milliseconds from the arrival of a transaction; the second chain makes a block every 400. */
interface Chain {
  confirmMs: number;
  finalizeMs: number;
}

const chains: readonly Chain[] = [
  { confirmMs: 0, finalizeMs: 0 },
  { confirmMs: 400, finalizeMs: 1_200 },
];

export const benchWords = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const results: Result[] = [];
  for (const chain of chains) results.push(...(await benchOn(stage, chain, wordsOfOne * rounds)));
  return results;
};

const benchOn = async (stage: Stage, { confirmMs, finalizeMs }: Chain, count: number): Promise<Result[]> => {
  const clock = ['--confirm-ms', String(confirmMs), '--finalize-ms', String(finalizeMs)];
  const { rpcUrl } = await stage.sandbox(clock);
  const treasury = await stage.keep(openTreasury({ args: ['--rpc', rpcUrl] }), (it) => it.close());
  // An account that holds less than its rent takes no word.
  const { status, text } = await treasury.client.post('/v1/sandbox/faucet', { amount: '1000' });
  if (status !== 200) throw new Error(text);
  const { phone } = await trustedPhone(treasury, '5', '1000');
  stage.say(`n: confirm-ms ${confirmMs}, ${count} freezes and ${count} approvals from a phone`);
  const frozen = await freezes(treasury, { say: phone.say, commitMs: confirmMs }, count);
  const agent = await deploy(treasury.client, 'asker', {
    dailyBudget: '1000',
    maxPerPayment: '5',
    allocate: '50',
    policy: { approveAbove: '0.005' },
  });
  const resumed = await approvals(treasury, { agent, say: phone.say, commitMs: finalizeMs }, count);
  await stage.end();
  return [
    row(`n.freeze-${confirmMs}`, `a freeze from a phone, confirm-ms ${confirmMs}: confirmed to frozen`, {
      times: frozen,
      atMost: 1_000,
    }),
    row(`n.approve-${confirmMs}`, `an approval from a phone, finalize-ms ${finalizeMs}: final to signed`, {
      times: resumed,
      atMost: 1_500,
    }),
  ];
};

const row = (id: string, what: string, { times, atMost }: { times: number[]; atMost: number }): Result => {
  const ours = figure('ms', times);
  const target = `p95 at most ${atMost} ms`;
  return { id, what, ours, floor: null, ratio: null, target, met: ours.p95 <= atMost };
};

interface Saying {
  say: (url: string) => Promise<string>;
  /** From the word's arrival on the chain until it may be obeyed. */
  commitMs: number;
}

/** Milliseconds from the moment at which the word may be obeyed to the first event that `isIt`. */
const timed = async (
  { host }: Treasury,
  { say, commitMs, url }: Saying & { url: string },
  isIt: (event: Parameters<Parameters<Treasury['host']['engine']['onEvent']>[0]>[0]) => boolean,
): Promise<number> => {
  const { promise: heard, resolve } = Promise.withResolvers<number>();
  const end = host.engine.onEvent((event) => {
    if (isIt(event)) resolve(performance.now());
  });
  await say(url);
  const mayBeObeyed = performance.now() + commitMs;
  const at = await heard;
  end();
  // The subscription may be faster than the answer to the phone.
  return Math.max(0, at - mayBeObeyed);
};

const freezes = async (treasury: Treasury, saying: Saying, count: number): Promise<number[]> => {
  const url = String((await treasury.client.get('/v1/phone-wallets')).body['freeze']);
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    times.push(await timed(treasury, { ...saying, url }, (event) => event.type === 'freeze' && event.frozen));
    await treasury.client.post('/v1/unfreeze');
  }
  return times;
};

const approvals = async (
  treasury: Treasury,
  { agent, ...saying }: Saying & { agent: TestAgent },
  count: number,
): Promise<number[]> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const paying = { service: 'sandbox-weather', amount: '0.01', currency: 'USDC' };
    const { body } = await agent.client.post('/v1/agents/asker/pay', paying);
    const { body: shown } = await treasury.client.get(`/v1/approvals/${String(body['approvalId'])}/phone`);
    const isResumed = ({ id, state }: { id: string; state: string }): boolean =>
      id === body['paymentId'] && ['signed', 'sent', 'seen', 'final'].includes(state);
    times.push(
      await timed(
        treasury,
        { ...saying, url: String(shown['approve']) },
        (event) => event.type === 'transfer' && isResumed(event.transfer),
      ),
    );
  }
  return times;
};
