// (n) Words from a phone: from the chain's commitment to their effect. The sandbox confirms and finalizes at once, so that
// the moment at which it took the word is both.
import { trustedPhone } from '../../harness/trusted-phone.ts';
import { deploy, openTreasury, type TestAgent, type Treasury } from '../../harness/treasury.ts';
import { figure, type Result } from './report.ts';
import type { Stage } from './stage.ts';

const freezesOfOne = 20;
const approvalsOfOne = 20;

export const benchWords = async (stage: Stage, rounds: number): Promise<Result[]> => {
  const treasury = await stage.keep(openTreasury(), (it) => it.close());
  const { phone } = await trustedPhone(treasury, '5', '1000');
  stage.say(`m: ${freezesOfOne * rounds} freezes and ${approvalsOfOne * rounds} approvals from a phone`);
  const frozen = await freezes(treasury, phone.say, freezesOfOne * rounds);
  const agent = await deploy(treasury.client, 'asker', {
    dailyBudget: '1000',
    maxPerPayment: '5',
    allocate: '50',
    policy: { approveAbove: '0.005' },
  });
  const resumed = await approvals(treasury, { agent, say: phone.say }, approvalsOfOne * rounds);
  const open = { floor: null, ratio: null, target: '', met: null };
  return [
    {
      id: 'n.freeze',
      what: 'a freeze from a phone: confirmed to frozen',
      ours: figure('ms', frozen),
      ...open,
    },
    {
      id: 'n.approve',
      what: 'an approval from a phone: final to signed',
      ours: figure('ms', resumed),
      ...open,
    },
  ];
};

type Say = (url: string) => Promise<string>;

/** Milliseconds from `begin`, once it resolves, to the first event that `isIt`. */
const timed = async (
  { host }: Treasury,
  begin: () => Promise<unknown>,
  isIt: (event: Parameters<Parameters<Treasury['host']['engine']['onEvent']>[0]>[0]) => boolean,
): Promise<number> => {
  const { promise: heard, resolve } = Promise.withResolvers<number>();
  const end = host.engine.onEvent((event) => {
    if (isIt(event)) resolve(performance.now());
  });
  await begin();
  const taken = performance.now();
  const at = await heard;
  end();
  // The subscription may be faster than the answer to the phone.
  return Math.max(0, at - taken);
};

const freezes = async (treasury: Treasury, say: Say, count: number): Promise<number[]> => {
  const url = String((await treasury.client.get('/v1/phone-wallets')).body['freeze']);
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    times.push(
      await timed(
        treasury,
        () => say(url),
        (event) => event.type === 'freeze' && event.frozen,
      ),
    );
    await treasury.client.post('/v1/unfreeze');
  }
  return times;
};

const approvals = async (
  treasury: Treasury,
  { agent, say }: { agent: TestAgent; say: Say },
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
        () => say(String(shown['approve'])),
        (event) => event.type === 'transfer' && isResumed(event.transfer),
      ),
    );
  }
  return times;
};
