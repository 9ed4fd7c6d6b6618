// Part of gate 2: a bridge is killed at any step of a purchase. The next bridge, asked for the same, returns the
// answer of the one payment.
import { openBridge, type Bridge, type Called } from '../../../mcp/bridge.ts';
import { until, type TestAgent } from '../../../harness/treasury.ts';
import type { Sheet } from '../gate.ts';
import { createWorld, deployIn, fund, settle, type Life } from '../world.ts';

/** The moment when the bridge is killed: so long after a step of its call. */
interface Point {
  after: 'the call' | 'it waits for the owner' | 'the approval';
  ms: number;
}

const moments: readonly Point['after'][] = ['the call', 'it waits for the owner', 'the approval'];

const bridgeOf = ({ host }: Life, { agentId, key }: TestAgent): Promise<Bridge> =>
  openBridge({
    TREASURY_URL: host.ready.url,
    TREASURY_OWNER: host.ready.owner,
    TREASURY_AGENT_ID: agentId,
    TREASURY_API_KEY: key,
  });

const pendingOf = async ({ client }: Life) => {
  const { approvals } = (await client.get('/v1/approvals?limit=20')).body as {
    approvals: { approvalId: string; hash: string; status: string }[];
  };
  return approvals.find(({ status }) => status === 'pending');
};

const allow = async (life: Life): Promise<void> => {
  const pending = await until('an approval to wait', () => pendingOf(life));
  await life.client.post(`/v1/approvals/${pending.approvalId}/grant`, { hash: pending.hash });
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Calls, kills the bridge at the point, and returns the answer if it came anyway. */
const killedAt = async (life: Life, bridge: Bridge, url: string, point: Point): Promise<Called | null> => {
  let answer: Called | null = null;
  const called = bridge.call('paid_fetch', { url }).then(
    (it) => void (answer = it),
    () => {},
  );
  if (point.after === 'it waits for the owner') await until('it to wait', () => pendingOf(life));
  if (point.after === 'the approval') await allow(life);
  await pause(point.ms);
  bridge.kill();
  await called;
  return answer;
};

/** Asks again until the seller's answer is there, as an agent is told to. */
const askedAgain = async (life: Life, bridge: Bridge, url: string): Promise<Called> => {
  for (;;) {
    const asking = bridge.call('paid_fetch', { url });
    // While the call waits, not only after it has given up.
    if ((await pendingOf(life)) !== undefined) await allow(life);
    const answer = await asking;
    if (answer.content['status'] !== 'awaiting_approval' && answer.content['status'] !== 'pending')
      return answer;
  }
};

export const killedBridges = async (sheet: Sheet): Promise<void> => {
  const { short, stage, say, exactly, none, tell } = sheet;
  const count = short ? 6 : 20;
  const world = await createWorld(stage, { sandboxArgs: ['--confirm-ms', '150', '--finalize-ms', '400'] });
  const life = await world.life();
  await fund(life, '100');
  const lost: string[] = [];
  let inTime = 0;
  for (let n = 0; n < count; n += 1) {
    const after = moments[n % moments.length] ?? 'the call';
    const point: Point = { after, ms: Math.floor(n / moments.length) * (short ? 120 : 40) };
    const isHeld = after !== 'the call';
    const policy = isHeld ? { approveAbove: '0' } : {};
    const agent = await deployIn(life, `killed-${n}`, { allocate: '1', policy });
    const url = `${life.host.ready.url}/sandbox/weather?city=Town${n}`;
    const answer = await killedAt(life, await bridgeOf(life, agent), url, point);
    if (answer !== null) inTime += 1;
    const next = await bridgeOf(life, agent);
    // An answer that reached the MCP host is final; without one the call is repeated.
    const last = answer ?? (await askedAgain(life, next, url));
    await next.close();
    const what = `${point.ms} ms after ${point.after}`;
    if (last.content['status'] !== 200 || !String(last.content['body']).includes(`Town${n}`))
      lost.push(`${what}: ${last.text.slice(0, 300)}`);
    say(`killed ${what}${answer === null ? '' : ', which was too late'}`);
  }
  const { faults, rows } = await settle(world);
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final');
  const bought = Map.groupBy(paid, ({ purchase }) => purchase?.url);
  exactly('points at which a bridge was killed', count, count);
  exactly('payments for what was wanted there', paid.length, count);
  none(
    'paid twice',
    [...bought].flatMap(([url, them]) => (them.length === 1 ? [] : `${String(url)}: ${them.length}`)),
  );
  none('answers lost', lost);
  none('differences between treasury and chain, after killed bridges', faults);
  tell('answers that came before the kill', inTime);
};
