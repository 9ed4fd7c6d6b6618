// The unpaid half of a paid fetch: asks the seller, then opens a row for its offer, or passes on a free answer. One at
// a time for each idempotency key.
import { AppError } from '../../errors.ts';
import type { Usdc } from '../../money.ts';
import { notArchived, type EngineContext } from '../calls/call.ts';
import { openTransfer } from '../calls/request.ts';
import { refuseWhenDiskLow, refuseWhenStopped } from '../payment/context.ts';
import { answeringNow } from '../payment/machine/continuation.ts';
import type { Asker } from '../payment/decision/intent.ts';
import type {
  Agent,
  AnswerDraft,
  AnswerFiles,
  SellerAnswer,
  SellerRequest,
  Sellers,
  Streamed,
} from '../ports.ts';
import { delivered } from './answer.ts';
import { choose, intentOf } from './choose.ts';
import { offersFrom } from './unpayable.ts';
import { provePurchase } from './prove-purchase.ts';
import { refuseWhatCannotFit, type AskedLimits } from './limits.ts';
import { callerHasGone } from '../payment/decision/refusals.ts';
import { sinkOf, type Live } from './live.ts';
import type { SetAside } from './room.ts';
import { withoutCookies } from './show.ts';

/** The parts that purchases are made with. */
export interface PurchasesDeps {
  sellers: Sellers;
  files: AnswerFiles;
  /** The requests of purchases that this process can carry to their sellers, by payment. */
  requests: Map<string, SellerRequest>;
  /** @throws AppError where the policy refuses the goods themselves. @param by keyId is null for the owner */
  refuseSold(by: { agentId: string; keyId: string | null }, request: SellerRequest): void;
}

/** One fetch as the caller wants it. */
export interface Wanted {
  agent: Agent;
  request: SellerRequest;
  limits: AskedLimits;
  maxAmount: Usdc | undefined;
  /** Untrusted text of the agent. */
  reason: string | null;
  /** Of a caller that gets the answer while it arrives. */
  live: Live | null;
}

/** Gives back the place and the room for the answer. Idempotent. */
export type Leave = () => void;
type Opened =
  /** `answer`: null when the caller has got it already. */
  | { kind: 'free'; answer: Streamed | null }
  /** `leave`: null when the idempotency key was known and no place was needed. */
  | { kind: 'row'; id: string; leave: Leave | null };

interface AskFirstDeps extends PurchasesDeps {
  /** @throws AppError `not_available` when the caller has gone */
  place(wanted: Wanted, gone: AbortSignal): Promise<Leave>;
  /** For a paid answer. @throws AppError `answers_full`, and `not_available` when the caller has gone */
  room(wanted: Wanted, gone: AbortSignal): Promise<SetAside>;
}

/** @throws AppError when the seller, the caller's own limits or a stop refuse; then nothing is stored */
export type AskFirst = (asker: Asker, wanted: Wanted, gone: AbortSignal) => Promise<Opened>;

export const createAskFirst = (context: EngineContext, deps: AskFirstDeps): AskFirst => {
  const { sellers, files, requests, refuseSold, place, room } = deps;
  const opening = new Map<string, Promise<unknown>>();

  const refuse = ({ agent }: Wanted): void => {
    const { agentId } = notArchived(agent);
    refuseWhenStopped(context, { kind: 'payment', agentId });
    refuseWhenDiskLow(context, { kind: 'payment', agentId });
  };

  const open = async (asker: Asker, wanted: Wanted, gone: AbortSignal): Promise<Opened> => {
    refuse(wanted);
    refuseSold({ agentId: wanted.agent.agentId, keyId: asker.keyId }, wanted.request);
    const held: (() => void)[] = [await place(wanted, gone)];
    const leave = (): void => {
      for (const giveBack of held.splice(0)) giveBack();
    };
    const draft = files.draft(context.newId('free'));
    try {
      // The wait may have been long: check again.
      refuse(wanted);
      const askNow = () => askUnpaid({ context, sellers }, asker, wanted, { draft, gone });
      let first = await askNow();
      if (first.status === 402) {
        const { giveBack, hasWaited } = await room(wanted, gone);
        held.push(giveBack);
        // The offer may have ended meanwhile.
        if (hasWaited) {
          refuse(wanted);
          first = await askNow();
        }
      }
      const { agent, request, limits, maxAmount, reason, live } = wanted;
      if (first.status !== 402) return { kind: 'free', answer: await given(first, live ?? draft, leave) };
      const offers = offersFrom(context, agent, request.url, () => sellers.offers(first, request.url));
      const offer = choose(context, offers, request.headers, maxAmount);
      refuseWhatCannotFit(offer, limits);
      // Without an idempotency key, nobody could ever ask for this purchase again.
      if (gone.aborted) throw callerHasGone();
      const intent = { ...intentOf(context, agent, { asked: request, offer, carrier: 'treasury' }), reason };
      const { id } = await openTransfer(
        context,
        asker,
        () => intent,
        (opened) => void requests.set(opened.id, request),
      );
      return { kind: 'row', id, leave };
    } catch (error) {
      await draft.discard();
      leave();
      throw error instanceof AppError || !gone.aborted ? error : callerHasGone();
    }
  };

  return async (asker, wanted, gone) => {
    const { idempotency } = asker;
    const name = idempotency === null ? null : `${idempotency.scope} ${idempotency.key}`;
    for (;;) {
      const row = await answeringNow(context, asker);
      if (row !== undefined) return { kind: 'row', id: row.id, leave: null };
      const first = name === null ? undefined : opening.get(name);
      if (first === undefined) break;
      await first;
    }
    const opened = open(asker, wanted, gone);
    const end = (): void => void (name !== null && opening.delete(name));
    if (name !== null) opening.set(name, opened.then(end, end));
    return opened;
  };
};

interface Asking {
  draft: AnswerDraft;
  gone: AbortSignal;
}

const ask = (
  sellers: Sellers,
  { request, limits, live }: Wanted,
  { draft, gone }: Asking,
): Promise<SellerAnswer> => {
  const patience = limits.isPatient ? { headWithinMs: limits.withinMs } : {};
  const goods = { ...limits, ...patience, into: live === null ? draft : sinkOf(live) };
  return sellers.ask(request, { goods, signal: gone }).then(withoutCookies);
};

/** Where the seller asks whether this wallet bought before, it gets the proof first. */
const askUnpaid = async (
  deps: { context: EngineContext; sellers: Sellers },
  { keyId }: Asker,
  wanted: Wanted,
  asking: Asking,
): Promise<SellerAnswer> => {
  const first = await ask(deps.sellers, wanted, asking);
  if (first.status !== 402) return first;
  const { agent, request } = wanted;
  const proven = provePurchase(deps, { agent, keyId, request }, first);
  return proven === null ? first : ask(deps.sellers, { ...wanted, request: proven }, asking);
};

/** Streams a free answer from its draft, then discards it; or ends it where it went while it arrived. */
const given = async (
  answer: SellerAnswer,
  into: AnswerDraft | Live,
  leave: Leave,
): Promise<Streamed | null> => {
  if ('detach' in into) {
    // Answers of 400 and above came into memory.
    into.begin(answer);
    await into.write(answer.bytes);
    leave();
    return null;
  }
  const draft = into;
  await draft.write(answer.bytes);
  return delivered({ ...answer, body: draft.body() }, null, () => {
    leave();
    void draft.discard();
  });
};
