// Rows that an RPC only claimed to have on the chain, and months that change while they are closed: no close says "closed".
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Sighting, TransferKind, TransferState } from '../../server/engine/ports.ts';
import { newWallet } from '../http/api-treasury.ts';
import { chainRead } from '../harness/chain-read.ts';
import { deploy, openTreasury, until, type TestAgent, type Treasury } from '../harness/treasury.ts';

const dayMs = 86_400_000;
let ahead = 0;
const clock = { wall: () => Date.now() + ahead, monotonic: () => performance.now() + ahead };
let treasury: Treasury;
let scout: TestAgent;

beforeEach(async () => {
  ahead = 0;
  treasury = await openTreasury({ clock });
  scout = await deploy(treasury.client, 'scout');
});
afterEach(() => treasury.close());

const months = async (): Promise<string[]> =>
  (await treasury.client.get('/v1/books/months')).body['months'].map((one: { month: string }) => one.month);
const close = (month = '') => treasury.client.post(`/v1/books/months/${month}/close`, {});

const passDays = async (days: number): Promise<void> => {
  const { store, funds } = treasury.host.engine.context;
  await until('all to be settled', async () => {
    await funds.compare();
    return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
  });
  ahead = days * dayMs;
  await chainRead(treasury, clock.wall);
};

/** Nothing is sent meanwhile, and every RPC shows each unknown transaction as finalized. */
const whileItLies = async (
  error: Sighting['error'],
  work: () => void,
  { kind, ends }: { kind: TransferKind; ends: TransferState },
): Promise<string> => {
  const { chain, store } = treasury.host.engine.context;
  const { broadcast, sightings, onConfirmed, proveEnded } = chain;
  chain.broadcast = async () => {};
  chain.onConfirmed = () => () => {};
  chain.sightings = async (signatures) => {
    const { slot, found } = await sightings(signatures);
    return { slot, found: found.map((one) => one ?? { slot, commitment: 'finalized', error }) };
  };
  chain.proveEnded = async (rows) =>
    rows.map(() => ({ dead: true, failed: { slot: 1, commitment: 'finalized', error }, evidence: {} }));
  work();
  const row = await until('the false end', () => {
    const [newest] = store.transfers.list({ kinds: [kind], limit: 1 });
    return newest?.state === ends && newest;
  });
  Object.assign(chain, { broadcast, sightings, onConfirmed, proveEnded });
  return row.id;
};

/** What was not taken is still there. */
const ofSol = expect.stringMatching(/^At the month’s end the treasury held \d.* SOL on the chain/) as string;

it('a withdrawal of SOL that never landed is named', async () => {
  const body = { asset: 'SOL', to: newWallet(), amount: '0.01' };
  const id = await whileItLies(
    null,
    () => void treasury.client.post('/v1/treasury/withdraw', body, { key: 'sol' }),
    { kind: 'withdrawal', ends: 'final' },
  );
  await passDays(40);
  const { differences } = (await close((await months()).at(-1))).body;
  expect(differences).toEqual([`${id}: the chain does not show its transaction.`, ofSol]);
});

it('a failed payment whose fee was never paid is named', async () => {
  const id = await whileItLies('InstructionError', () => void scout.pay('0.5'), {
    kind: 'payment',
    ends: 'failed',
  });
  await passDays(40);
  const { differences } = (await close((await months()).at(-1))).body;
  expect(differences).toEqual([`${id}: the chain does not show its transaction.`, ofSol]);
});

it('of two months that are closed at once across a change of the zone, one is refused', async () => {
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'UTC' });
  await passDays(75);
  const [second, first] = (await months()).slice(-2);
  const one = close(first);
  await treasury.client.post('/v1/treasury/time-zone', { timeZone: 'Asia/Tokyo' });
  const answers = await Promise.all([one, close(second)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(answers.map(({ text }) => text).join()).toContain('Close it again.');
  const closed = treasury.host.engine.context.store.books.months();
  expect(closed).toHaveLength(1);
});
