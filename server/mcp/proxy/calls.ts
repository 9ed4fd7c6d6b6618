// The host's calls that cost money. A purchase outlives a call that gave up on it: the next equal call takes it over, and
// nothing is paid a second time.
import { errorReply, waitingText } from './answers.ts';
import { delivers, type Demand } from './demand.ts';
import { withId, type Request } from './message.ts';
import type { Payment, Wanted } from './payments.ts';
import { beginPurchase, goOn, questionIn, type Outcome, type Purchase, type Server } from './purchase.ts';
import { fingerprintOf } from './repeated.ts';

export interface Host {
  /** Resolves once the host has it, in answer to this request. Rejects when the host is gone. */
  answer(request: Request, response: string): Promise<void>;
  /** Tells the host that a call is still worked on. */
  progress(request: Request, message: string, step: number): void;
}

interface CallsDeps {
  pay(wanted: Wanted): Payment;
  server: Server;
  host: Host;
  /** How long a call of the host waits for the owner and the chain. */
  patienceMs: number;
}

export interface Calls {
  /** Buys what the server demanded payment for, and answers the host. Returns the call's cancellation. */
  buy(request: Request, demand: Demand): () => void;
  /** The same for a request that follows a question of the server within a purchase; null: it follows none. */
  follow(request: Request): (() => void) | null;
  /** The server has ended: calls that still wait for the owner or the chain are answered so. */
  end(text: string): void;
  /** Resolves once the treasury knows which answers have reached the host. */
  settled(): Promise<void>;
}

interface State extends CallsDeps {
  /** Purchases that no call waits for, oldest first, by what they bought. */
  left: Map<Purchase, string>;
  /** Purchases in which the server waits for an answer of its client, by the state that it gave. */
  questions: Map<string, { purchase: Purchase; name: string }>;
  /** Ends the wait of each call with this text. */
  waits: Set<(text: string) => void>;
  settling: Set<Promise<void>>;
}

const mostLeft = 64;
const progressEveryMs = 5_000;

export const createCalls = (deps: CallsDeps): Calls => {
  const state: State = {
    ...deps,
    left: new Map(),
    questions: new Map(),
    waits: new Set(),
    settling: new Set(),
  };
  const { left, questions, settling, server, pay } = state;
  return {
    buy(request, demand) {
      const name = fingerprintOf(request);
      const found = [...left].find(([, bought]) => bought === name)?.[0];
      if (found !== undefined) {
        left.delete(found);
        return attend(state, request, { purchase: found, name });
      }
      const payment = pay({ demand, request: name, description: descriptionOf(request) });
      return attend(state, request, { purchase: beginPurchase(server, payment, request, demand), name });
    },
    follow(request) {
      const asked = String(request.params['requestState']);
      const known = questions.get(asked);
      const proof = known?.purchase.proof ?? null;
      if (known === undefined || proof === null) return null;
      questions.delete(asked);
      goOn(server, known.purchase, proof, request);
      return attend(state, request, known);
    },
    end(text) {
      for (const giveUp of state.waits) giveUp(text);
    },
    async settled() {
      await Promise.all(settling);
    },
  };
};

/** Waits for the purchase on behalf of a call. Returns its cancellation, after which the purchase goes on. */
const attend = (
  state: State,
  request: Request,
  bought: { purchase: Purchase; name: string },
): (() => void) => {
  const { host, waits, settling } = state;
  const { purchase } = bought;
  const end = (): boolean => {
    clearInterval(ticking);
    clearTimeout(timer);
    return waits.delete(giveUpWith);
  };
  const giveUp = (): boolean => end() && leave(state, bought);
  const giveUpWith = (text: string): void => {
    // Shown a payment, the server takes as long as it takes.
    if (purchase.proof === null && giveUp()) host.answer(request, errorReply(request, text)).catch(() => {});
  };
  waits.add(giveUpWith);
  let step = 0;
  const ticking = setInterval(() => {
    if (purchase.proof !== null) return clearInterval(ticking);
    host.progress(request, waitingText(purchase.held), (step += 1));
  }, progressEveryMs);
  const timer = setTimeout(() => giveUpWith(waitingText(purchase.held)), state.patienceMs);
  void purchase.outcome.then((outcome) => {
    if (!end()) return;
    const over = handOver(state, request, bought, outcome).catch(() => {});
    settling.add(over);
    void over.then(() => settling.delete(over));
  });
  return () => void giveUp();
};

const handOver = async (
  { host, questions }: State,
  request: Request,
  { purchase, name }: { purchase: Purchase; name: string },
  outcome: Outcome,
): Promise<void> => {
  const { payment } = purchase;
  try {
    if (!('answer' in outcome)) return await host.answer(request, errorReply(request, outcome.text));
    const question = questionIn(outcome.answer.said);
    // Before the host has it: it may be quick to follow.
    if (question !== null) questions.set(question, { purchase, name });
    await host.answer(request, withId(outcome.answer.text, request.id));
    if (question === null && delivers(outcome.answer.said)) await payment.received();
  } finally {
    if (![...questions.values()].some((asked) => asked.purchase === purchase)) payment.leave();
  }
};

/** Keeps it for the next equal call. Of too many, the oldest is left to the treasury, which goes on with it. */
const leave = ({ left }: State, { purchase, name }: { purchase: Purchase; name: string }): true => {
  left.set(purchase, name);
  const [oldest] = left.keys();
  if (left.size > mostLeft && oldest !== undefined) {
    left.delete(oldest);
    oldest.payment.leave();
  }
  return true;
};

/** For the owner, in the words of agent and server. */
const descriptionOf = ({ method, params }: Request): string => {
  const named = params['name'] ?? params['uri'];
  return `${method} ${typeof named === 'string' ? named : ''}`.trim().slice(0, 280);
};
