// Part of gate 2: the host is killed at any moment of paid requests through its proxy. The clients know nothing of the
// treasury: they repeat, as SDKs do, until the seller's answer is there. Half of them send no idempotency key.
import { createX402Seller, deliver } from '../../../harness/chain/x402-seller.ts';
import { askThrough, type Got } from '../../../http/proxy/through.ts';
import { inParallel, type Sheet } from '../gate.ts';
import { planKills } from './persistent-buyer.ts';
import { createWorld, deployIn, fund, onChain, settle } from '../world.ts';

const atOnce = 12;
const mostTries = 400;
const pauseMs = 150;

/** An official seller settles a transaction once, however often it is shown. */
const openSeller = async (rpcUrl: string) => {
  const seller = await createX402Seller(rpcUrl);
  const settled = new Map<string, Promise<string>>();
  seller.behave = async ({ transaction, settle: submit, response }) => {
    const known = settled.get(transaction) ?? submit();
    settled.set(transaction, known);
    deliver(response, await known);
  };
  return seller;
};

export const killedProxies = async (sheet: Sheet): Promise<void> => {
  const { short, stage, exactly, none, tell } = sheet;
  const size = short ? { requests: 80, kills: 4 } : { requests: 400, kills: 20 };
  let sellerUrl = '';
  const world = await createWorld(stage, {
    sandboxArgs: ['--confirm-ms', '40', '--finalize-ms', '400'],
    async rpcArgs(chain) {
      const seller = await stage.keep(openSeller(chain), (it) => it.close());
      sellerUrl = seller.url;
      return ['--rpc', chain, '--allow-origin', sellerUrl];
    },
  });
  await fund(await world.life(), '1000');
  const limits = { dailyBudget: '1000', maxPerPayment: '1', allocate: '50' };
  const agent = await deployIn(await world.life(), 'client', limits);

  const kills = planKills(sheet, world, size);
  const never: string[] = [];
  const strange: string[] = [];
  let repeated = 0;
  const once = async (n: number): Promise<Got | null> => {
    const { host } = await world.life();
    const key = n % 2 === 0 ? {} : { 'Idempotency-Key': `request-${n}` };
    const asked = { method: 'POST', headers: key, body: JSON.stringify({ n }) };
    return askThrough(host.ready.url, agent, `${sellerUrl}/data?n=${n}`, asked).catch(() => null);
  };
  const numbers = Array.from({ length: size.requests }, (_, n) => n);
  await inParallel(atOnce, numbers, async (n) => {
    kills.count();
    for (let tries = 0; tries < mostTries; tries += 1) {
      const got = await once(n);
      if (got?.status === 200) {
        if (got.text !== '{"sun":true}') strange.push(`${n}: ${got.text}`);
        return;
      }
      repeated += 1;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    never.push(`${n}: ${(await once(n))?.text ?? 'no answer'}`);
  });
  const killed = await kills.done();

  const { faults, rows } = await settle(world);
  const paid = rows.filter(({ kind, state }) => kind === 'payment' && state === 'final');
  const urls = Map.groupBy(paid, ({ purchase }) => purchase?.url ?? '');
  const { transactions } = await onChain(world.rpcUrl, agent.wallet);
  exactly('requests answered through the proxy', size.requests - never.length, size.requests);
  none('of them never answered', never);
  none('answers that are not the seller’s', strange);
  exactly('SIGKILLs of the host', killed, size.kills);
  none(
    'requests paid twice',
    [...urls].flatMap(([url, them]) => (them.length === 1 ? [] : [`${url}: ${them.length}`])),
  );
  // The allocation is one more.
  exactly('transactions on the chain', transactions - 1, size.requests);
  none('differences between treasury and chain, after killed hosts', faults);
  tell('requests repeated', repeated);
};
