// An RPC that hides words in the middle of a life, from the list and from the subscription, and shows them later: each is
// obeyed once, if it is still in time. And one that does not know yet when a block was made: a stop is obeyed all the
// same, and an answer waits for its time.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { mailboxOf } from '../../server/engine/domain/phone.ts';
import { allWell, audit, clean } from '../harness/engine/audit.ts';
import type { Phone } from '../harness/chain/phone.ts';
import { withResult, type Fault, type Proxy } from '../harness/chain/rpc-proxy.ts';
import { deploy, rpcCall, until, type TestAgent, type Treasury } from '../harness/treasury.ts';
import { trustedPhone, wordRow } from '../harness/chain/trusted-phone.ts';
import { freezeUrl, isFrozen, openBehindProxy, type BehindProxy } from './behind-proxy.ts';

/** Takes every subscription, and tells nothing. */
const openSilent = async (): Promise<WebSocketServer> => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) =>
    socket.on('message', (data: Buffer) => {
      const { id } = JSON.parse(data.toString()) as { id: number };
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: id }));
    }),
  );
  await once(server, 'listening');
  return server;
};

/** Transactions are shown without the time of their block; counts them. */
const timeless = (commitment: string): { fault: Fault; shown(): number } => {
  let shown = 0;
  const fault: Fault = ({ method, params }, forward) =>
    method !== 'getTransaction' || params[1]?.commitment !== commitment
      ? forward()
      : withResult(forward, (result) => {
          if (result === null) return result;
          shown += 1;
          return { ...(result as object), blockTime: null };
        });
  return { fault, shown: () => shown };
};

describe('words that are hidden', () => {
  let behind: BehindProxy;
  let proxy: Proxy;
  let silent: WebSocketServer;
  let treasury: Treasury;
  let agent: TestAgent;
  let phone: Phone;
  /** What the treasury's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    silent = await openSilent();
    const ws = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
    behind = await openBehindProxy('100', { ws, clock });
    ({ treasury, proxy } = behind);
    const policy = { approveAbove: '0.5' };
    agent = await deploy(treasury.client, 'asker', { dailyBudget: '50', maxPerPayment: '5', policy });
    ({ phone } = await trustedPhone(treasury, '5', '50'));
  });
  afterAll(async () => {
    await behind.close();
    silent.close();
  });
  beforeEach(() => {
    proxy.fault = null;
  });

  /** From now on, the list of the mailbox lacks what comes to it. */
  const hide = async (): Promise<void> => {
    await look();
    const shown = new Set((await listed()).map(({ signature }) => signature));
    const mailbox = mailboxOf(treasury.owner);
    proxy.fault = ({ method, params }, forward) =>
      method === 'getSignaturesForAddress' && params[0] === mailbox
        ? withResult(forward, (lines: { signature: string }[]) =>
            lines.filter(({ signature }) => shown.has(signature)),
          )
        : forward();
  };
  const listed = (): Promise<{ signature: string }[]> =>
    treasury.host.engine.context.chain.linesOf(mailboxOf(treasury.owner), {});
  const show = (): void => void (proxy.fault = null);
  const look = (): Promise<void> => treasury.host.engine.remoteWords.look();
  const rowsOf = async (signature: string): Promise<Record<string, unknown>[]> => {
    const { body } = await treasury.client.get('/v1/phone-words');
    return (body['words'] as Record<string, unknown>[]).filter(
      ({ txSignature }) => txSignature === signature,
    );
  };
  /** Lists all there ever was once more, before the newest word that the treasury is done with. */
  const showAgain = async (): Promise<void> => {
    const mailbox = mailboxOf(treasury.owner);
    const last = await phone.say(String((await treasury.client.get('/v1/phone-wallets')).body['test']));
    await until('its end', async () => {
      await look();
      return treasury.host.engine.context.store.meta.get('mailbox-cursor') === last;
    });
    let listings = 0;
    proxy.fault = async ({ id, method, params }, forward) => {
      if (method !== 'getSignaturesForAddress' || params[0] !== mailbox) return forward();
      const all = (await rpcCall(behind.sandbox.rpcUrl, method, [mailbox])) as { signature: string }[];
      listings += 1;
      // The line that was asked from is not in an honest list, and a list that has it is refused.
      return { jsonrpc: '2.0', id, result: all.filter(({ signature }) => signature !== last) };
    };
    await look();
    expect(listings).toBeGreaterThan(0);
    show();
  };
  const asked = async () => {
    const { body } = await agent.pay('1');
    const path = `/v1/approvals/${String(body['approvalId'])}`;
    const requests = (await treasury.client.get(`${path}/phone`)).body;
    const status = async (): Promise<unknown> => (await treasury.client.get(path)).body['status'];
    return { paymentId: String(body['paymentId']), approve: String(requests['approve']), status };
  };
  const stateOf = (id: string): unknown => treasury.host.engine.context.store.transfers.get(id)?.state;

  it('an approval is obeyed once, when it is shown in time', async () => {
    const { paymentId, approve, status } = await asked();
    await hide();
    const signature = await phone.say(approve);
    await look();
    expect([await status(), await rowsOf(signature)]).toEqual(['pending', []]);
    show();
    await look();
    await until('the payment', () => stateOf(paymentId) === 'final');
    await showAgain();
    expect(await rowsOf(signature)).toMatchObject([{ whyNot: null, approved: '1.00' }]);
    expect(clean(await audit(treasury.host))).toEqual(allWell);
  });

  it('an approval that is shown after the deadline is not obeyed, and says why', async () => {
    const { paymentId, approve } = await asked();
    await hide();
    const signature = await phone.say(approve);
    ahead += 3_600_000;
    show();
    await look();
    await showAgain();
    expect(await rowsOf(signature)).toMatchObject([
      { whyNot: 'This approval is expired and can no longer be decided.' },
    ]);
    await until('the end of the request', () => stateOf(paymentId) === 'denied');
  });

  it('a freeze is obeyed once, when it is shown', async () => {
    await hide();
    const signature = await phone.say(await freezeUrl(treasury));
    await look();
    expect(isFrozen(treasury)).toBe(false);
    show();
    await look();
    expect(treasury.host.engine.context.store.freeze.get()?.reason).toContain(signature);
    await treasury.client.post('/v1/unfreeze');
    await showAgain();
    expect([isFrozen(treasury), (await rowsOf(signature)).length]).toEqual([false, 1]);
  });
});

describe('a block without a time', () => {
  let behind: BehindProxy;
  let proxy: Proxy;
  let treasury: Treasury;
  beforeAll(async () => {
    behind = await openBehindProxy('10');
    ({ treasury, proxy } = behind);
  });
  afterAll(() => behind.close());

  it('obeys a stop whose time is not known', async () => {
    const { phone } = await trustedPhone(treasury);
    const { store } = treasury.host.engine.context;
    const url = await freezeUrl(treasury);
    const { fault, shown } = timeless('confirmed');
    proxy.fault = fault;
    const signature = await phone.say(url);
    await until('the freeze', () => isFrozen(treasury));
    expect(shown()).toBeGreaterThan(0);
    expect(store.freeze.get()?.reason).toContain(signature);
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null });
    proxy.fault = null;
    await treasury.client.post('/v1/unfreeze');
  });

  it('obeys an approval once its time is known, and not before', async () => {
    const { phone } = await trustedPhone(treasury);
    const { store } = treasury.host.engine.context;
    const agent = await deploy(treasury.client, 'asker', { policy: { approveAbove: '0.5' } });
    const held = await agent.pay('1.00');
    const approvalId = String(held.body['approvalId']);
    const { body } = await treasury.client.get(`/v1/approvals/${approvalId}/phone`);
    const { fault, shown } = timeless('finalized');
    proxy.fault = fault;
    const signature = await phone.say(String(body['approve']));
    await until('the word to be read twice', () => shown() >= 2);
    expect(store.phones.hasWord(signature)).toBe(false);
    expect(store.approvals.get(approvalId)?.status).toBe('pending');
    proxy.fault = null;
    expect(await wordRow(treasury, signature)).toMatchObject({ whyNot: null, approvalId, approved: '1.00' });
  });
});
