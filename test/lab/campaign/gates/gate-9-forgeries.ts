// Gate 9: receipts are valid once and for one request, no private address is contacted, nothing is signed after a
// freeze, and edits of the records are noticed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGrantStore } from '../../../../server/paywall/store/grant-store.ts';
import { openTreasury, rpcCall, until, type TestAgent } from '../../../harness/treasury.ts';
import { signedHeader } from '../../../x402/keys.ts';
import { createMarket } from '../../../x402/market.ts';
import { ask, openShop, quote, type Answer } from '../../../paywall/seller.ts';
import { checkpoint, copyDatabase, flipBytes } from './flips.ts';
import { foreignForgeries, foreignReplays } from './foreign-forgeries.ts';
import { payments, words } from './forgeries.ts';
import { between, createGate, inParallel, shuffled, type Sheet } from '../gate.ts';
import { attackDoor, outboundDoor, proxyDoor, type OpenDoor } from './ssrf.ts';
import { suite } from '../suite.ts';
import { createWorld, deployIn, fund, settle, type Life } from '../world.ts';

const openMarket = ({ stage }: Sheet) => stage.keep(createMarket(), (market) => market.close());

const told = ({ status, body }: Answer): string => `${status} ${String(body['code'])}`;

const atOnce = 250;

/** A machine under load may take too long to connect; that is not the seller's fault. */
const insist = async (work: () => Promise<Answer>): Promise<Answer> => {
  for (let left = 5; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !(error instanceof TypeError)) throw error;
    }
  }
};

const replays = async (sheet: Sheet): Promise<void> => {
  const { short, stage, exactly, none, tell } = sheet;
  const count = short ? 1_000 : 10_000;
  const market = await openMarket(sheet);
  const path = join(market.dataDir, 'replays.db');
  const wrong: string[] = [];
  let granted = 0;
  const present = async (url: string, header: string, times: number): Promise<void> =>
    inParallel(atOnce, Array.from({ length: times }), async () => {
      const answer = await insist(() => ask(url, header));
      if (answer.status === 200) granted += 1;
      else if (answer.body['code'] !== 'already_used') wrong.push(told(answer));
    });
  const store = createGrantStore(path);
  const shop = await stage.keep(openShop(market, { store }), (it) => it.close());
  const bound = signedHeader(await market.buy({ invoice: await quote(shop.forecast) }), market.buyer);
  const loose = signedHeader(await market.buy(), market.buyer);
  await present(shop.forecast, bound, count / 2);
  await present(shop.loose, loose, count / 2);
  exactly('concurrent replays of two receipts', count, count);
  exactly('grants', granted, 2);
  none('refusals for another reason', wrong);
  // The grant outlives the process that gave it.
  const reopened = createGrantStore(path);
  const again = await stage.keep(openShop(market, { store: reopened }), (it) => it.close());
  granted = 0;
  await present(again.loose, loose, 50);
  exactly('grants after the seller has started again', granted, 0);
  tell('presented at once', atOnce);
};

const forgeries = async (sheet: Sheet): Promise<void> => {
  const { stage, exactly, none } = sheet;
  const market = await openMarket(sheet);
  const shop = await stage.keep(openShop(market), (it) => it.close());
  const taken: string[] = [];
  let presented = 0;
  let honest = 0;
  const present = async (name: string, header: string): Promise<void> => {
    const answer = await ask(shop.forecast, header);
    presented += 1;
    if (answer.status !== 402 && answer.status !== 400) taken.push(`${name}: ${told(answer)}`);
  };
  for (const [name, forge] of Object.entries(words)) {
    const receipt = await market.buy({ invoice: await quote(shop.forecast) });
    await present(name, forge(receipt, market));
    // The refusals were because of the forgery: the honest receipt of the same payment is accepted.
    if ((await ask(shop.forecast, signedHeader(receipt, market.buyer))).status === 200) honest += 1;
  }
  for (const [name, make] of Object.entries(payments)) {
    const made = await make(market);
    const invoice = await quote(shop.forecast);
    await present(name, signedHeader(await market.buy({ ...made, invoice }), market.buyer));
  }
  exactly('forgeries', presented, 60);
  none('forgeries taken', taken);
  exactly('honest receipts of the same payments served', honest, Object.keys(words).length);
};

const transplants = async (sheet: Sheet): Promise<void> => {
  const { short, stage, exactly, none } = sheet;
  const [places, onto] = short ? [10, 9] : [25, 20];
  const market = await openMarket(sheet);
  const shop = await stage.keep(openShop(market), (it) => it.close());
  const urls = Array.from({ length: places }, (_, at) => `${shop.url}/forecast?city=Town${at}`);
  const headers = await Promise.all(
    urls.map(async (url) => signedHeader(await market.buy({ invoice: await quote(url) }), market.buyer)),
  );
  const jobs = headers.flatMap((header, from) =>
    Array.from({ length: onto }, (_, step) => ({ header, url: urls[(from + step + 1) % places] ?? '' })),
  );
  const taken: string[] = [];
  await inParallel(64, shuffled(sheet.dice, jobs), async ({ header, url }) => {
    const answer = await ask(url, header);
    if (answer.status !== 402 || answer.body['code'] !== 'wrong_request')
      taken.push(`${url}: ${told(answer)}`);
  });
  const own = await Promise.all(urls.map((url, at) => ask(url, headers[at] ?? '')));
  exactly('transplants to other requests', jobs.length, places * onto);
  none('transplants taken', taken);
  exactly('receipts that serve their own request', own.filter(({ status }) => status === 200).length, places);
};

const ssrf =
  (openDoor: OpenDoor) =>
  async ({ dice, exactly, none }: Sheet): Promise<void> => {
    const { asked, connections, answered, seenByControl } = await attackDoor(dice, openDoor);
    exactly('places that are nobody’s to ask', asked, 300);
    none('connections to them', connections);
    none('answers from them', answered);
    exactly('connections that the watch saw of an allowed request', seenByControl, 1);
  };

interface Stop {
  since: number;
  until: number;
}

/** Whether every payment of the last races has ended. */
const allEnded = async ({ client }: Life, agents: readonly TestAgent[]): Promise<boolean> => {
  const histories = await Promise.all(
    agents.map(({ agentId }) => client.get(`/v1/agents/${agentId}/spend-history?limit=100`)),
  );
  return histories.every(({ body }) =>
    (body['payments'] as { status: string }[]).every(
      ({ status }) => status === 'confirmed' || status === 'failed',
    ),
  );
};

const freezes = async ({ dice, short, stage, say, exactly, none, tell }: Sheet): Promise<void> => {
  const races = short ? 50 : 1_000;
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '900');
  const agents: TestAgent[] = [];
  for (let n = 0; n < 8; n += 1)
    agents.push(
      await deployIn(life, `agent-${n}`, { dailyBudget: '1000', maxPerPayment: '1', allocate: '50' }),
    );
  const stops: Stop[] = [];
  const wrong: string[] = [];
  for (let race = 0; race < races; race += 1) {
    const paying = agents.map((agent) => agent.pay('0.001', { prefer: 'wait=0' }));
    await new Promise((resolve) => setTimeout(resolve, between(dice, 0, 4)));
    const { body } = await life.client.post('/v1/freeze');
    if (body['frozen'] !== true) wrong.push(`race ${race}: the freeze was not confirmed`);
    const late = await Promise.all(agents.slice(0, 2).map((agent) => agent.pay('0.001')));
    for (const { status, text } of late) if (status !== 403) wrong.push(`race ${race}: ${status} ${text}`);
    await Promise.all(paying);
    stops.push({ since: Date.parse(String(body['since'])), until: Date.now() });
    await life.client.post('/v1/unfreeze');
    if (race % 25 === 24 || race === races - 1) {
      // Payments that were signed and never sent are proven expired, which takes longer with a longer history.
      await rpcCall(world.rpcUrl, 'sandbox_warp', [400]);
      await until('the end of what was stopped', () => allEnded(life, agents), 120_000);
      if (race % 100 === 99) say(`${race + 1} of ${races} races`);
    }
  }
  const { faults, rows } = await settle(world);
  const signed = rows.flatMap(({ kind, signed: made }) =>
    kind === 'payment' && made !== null ? [made.at] : [],
  );
  const during = signed.filter((at) => stops.some(({ since, until: end }) => at > since && at < end));
  exactly('races of a freeze against payments', races, races);
  none(
    'signatures after a freeze',
    during.map((at) => new Date(at).toISOString()),
  );
  none('answers that did not say frozen', wrong);
  none('differences between treasury and chain, after freezes', faults);
  tell('payments signed in them', signed.length);
};

const flips = async ({ dice, short, stage, say, exactly, none, tell }: Sheet): Promise<void> => {
  const count = short ? 60 : 1_000;
  const world = await createWorld(stage);
  const life = await world.life();
  await fund(life, '100');
  const agent = await deployIn(life, 'victim', { policy: { approveAbove: '0.5' } });
  for (let n = 0; n < 12; n += 1) await agent.pay('0.01', { key: `paid-${n}` });
  await agent.pay('0.6');
  await world.stop();
  const original = join(world.dataDir, 'sandbox');
  // A part stays in the log, as after a kill.
  checkpoint(original);
  await world.start();
  const again = (await world.life()).as(agent.key);
  for (let n = 0; n < 4; n += 1)
    await again.post('/v1/agents/victim/pay', {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
    });
  const { host } = await world.life();
  await host.kill('SIGKILL');
  const work = stage.folder();
  const report = flipBytes(original, work, dice, count);
  exactly('bytes changed', report.flips, count);
  none('changes without notice', report.silent);
  tell('found by the file or the journal', report.detected);
  tell('without effect', report.withoutEffect);
  tell('older copies, which the log’s checksum made', report.older.length);
  // The start of a host has to notice the others from the chain: a debit that no row explains freezes the wallet.
  const missed: string[] = [];
  const chosen = report.older.slice(0, short ? 2 : 25);
  const saved = stage.folder();
  copyDatabase(original, saved);
  const args = ['--rpc', world.rpcUrl, '--ws', `ws://127.0.0.1:${new URL(world.rpcUrl).port}`];
  for (const [index, { file, bytes }] of chosen.entries()) {
    copyDatabase(saved, original);
    writeFileSync(join(original, file), bytes);
    const treasury = await openTreasury({ dataDir: world.dataDir, args });
    try {
      const { store } = treasury.host.engine.context;
      const isStopped = (): boolean =>
        store.freeze.get() !== null || store.agents.get('victim')?.status === 'suspended';
      const lost = await lostPayments(treasury.host.rpcUrl, store, agent.wallet);
      if (lost === 0) continue;
      await until('the alarm', isStopped, 25_000).catch(() =>
        missed.push(`rolled-back copy ${index}: ${lost} payments lost`),
      );
    } finally {
      await treasury.close();
    }
  }
  say(`${chosen.length} older copies started`);
  none('older copies that went on paying', missed);
};

const lostPayments = async (
  rpcUrl: string,
  store: { transfers: { bySignature(signature: string): unknown } },
  wallet: string,
): Promise<number> => {
  const { value } = await rpcCall(rpcUrl, 'getTokenAccountsByOwner', [
    wallet,
    { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' },
    { encoding: 'jsonParsed' },
  ]);
  const all = (await rpcCall(rpcUrl, 'getSignaturesForAddress', [value[0].pubkey, { limit: 1_000 }])) as {
    signature: string;
  }[];
  return all.filter(({ signature }) => store.transfers.bySignature(signature) === undefined).length;
};

export const gate = createGate(9, 'receipts, sellers, freezes, records and secrets', {
  'receipts presented again': replays,
  'forged receipts': forgeries,
  'receipts for another request': transplants,
  'places that are nobody’s to ask': ssrf(outboundDoor),
  'the same through the proxy': ssrf(proxyDoor),
  'payments of other protocols presented again': foreignReplays,
  'forged payments of other protocols': foreignForgeries,
  'freezes against payments': freezes,
  'flipped bytes': flips,
  'canary secrets': suite('test/canary.test.ts'),
  'a keychain that keeps': suite('test/vault/keychain.test.ts'),
  'hostile sellers': suite('test/x402/hostile-sellers.test.ts'),
  approvals: suite('test/http/approvals.test.ts'),
  'amounts as text': suite('test/money.test.ts', 'test/contract/fields.test.ts'),
});
