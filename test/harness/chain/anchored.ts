// A treasury whose days pass when the test says so, on a sandbox whose clock goes with it.
import { Readable } from 'node:stream';
import type { MachineClock } from '../../../server/engine/ports.ts';
import type { Reply } from '../../../server/contract/schemas.ts';
import { rpcAt } from '../../../server/books/verify/rpc.ts';
import { verifyStatement, type Verdict } from '../../../server/books/verify/verify.ts';
import { instantly, openTreasury, rpcCall, until, type Treasury } from '../treasury.ts';

export const dayMs = 86_400_000;
/** A day, and the minutes after which it counts as final. */
export const aDay = dayMs + 10 * 60_000;
const slotMs = 400;

export type Anchors = Reply<'getAnchors'>;

export interface Anchoring extends Treasury {
  /** Machine and chain go on together; the chain is read again. All is final before, unless told otherwise. */
  pass(ms: number, begin?: { isSettled: boolean }): Promise<void>;
  anchors(): Promise<Anchors>;
  turn(on: boolean): Promise<Anchors>;
  /** Waits for so many final anchors. Returns them, oldest first. */
  final(count: number): Promise<Anchors['anchors']>;
  statement(query?: string): Promise<string>;
}

export const openAnchoring = (args: readonly string[] = instantly): Promise<Anchoring> =>
  anchoringIn({ args, aheadMs: 0 });

/** @param begun `aheadMs`: how far its clock begins ahead of this machine's */
export const anchoringIn = async (begun: {
  args: readonly string[];
  aheadMs: number;
  dataDir?: string;
}): Promise<Anchoring> => {
  let { aheadMs } = begun;
  const { args, dataDir } = begun;
  const clock: MachineClock = {
    wall: () => Date.now() + aheadMs,
    monotonic: () => performance.now() + aheadMs,
  };
  const treasury = await openTreasury({ clock, args, ...(dataDir === undefined ? {} : { dataDir }) });
  const { host, client } = treasury;
  const { chain, funds, store } = host.engine.context;
  const anchors = async (): Promise<Anchors> =>
    (await client.get('/v1/books/anchor')).body as unknown as Anchors;
  const turn = async (on: boolean): Promise<Anchors> =>
    (await client.post('/v1/books/anchor', { on })).body as unknown as Anchors;
  const settled = (): Promise<unknown> =>
    until('all to be final', async () => {
      await funds.compare();
      return store.transfers.open().length === 0 && store.deposits.unsettled().length === 0;
    });
  return {
    ...treasury,
    async pass(ms, { isSettled } = { isSettled: true }) {
      if (isSettled) await settled();
      await rpcCall(host.rpcUrl, 'sandbox_warp', [Math.ceil(ms / slotMs)]);
      aheadMs += ms;
      // Drops the blockhash that was kept ready, which has expired.
      await chain.finalizedHeight();
      await until('the chain to be read', async () => {
        await funds.compare();
        return (funds.enteredUntil() ?? 0) > clock.wall() - 60_000;
      });
    },
    anchors,
    turn,
    final: (count) =>
      until(`${count} anchors`, async () => {
        await turn(true);
        const found = (await anchors()).anchors.filter(({ status }) => status === 'confirmed');
        await settled();
        return found.length >= count && found.toReversed();
      }),
    statement: async (query = '') => (await client.get(`/v1/books/statement${query}`)).text,
  };
};

export const verifyText = (text: string, signer: string, rpcUrl: string): Promise<Verdict> =>
  verifyStatement(Readable.from([Buffer.from(text)]), { signer, ask: rpcAt(rpcUrl) });
