// The steps of one life: each begins with a moment of time and ends with a check of everything.
import { ahead } from '../lab/campaign/gates/lies.ts';
import { createJudge, type Judge } from './judge/judge.ts';
import { firstReference } from './judge/first-reference.ts';
import { keyOf } from './keys.ts';
import { nameOf, type Ask } from './judge/notes.ts';
import { createAsker, type Asker } from './asker.ts';
import { createOwner, type Owner } from './owner.ts';
import { asking } from './suppliers.ts';
import type { Reference } from './judge/reference.ts';
import { request, type Asked } from './request.ts';
import type { SimTime } from './sim-time.ts';
import type { Trace } from './trace.ts';
import { healDisk } from './disk-faults.ts';
import { createToldJudge, type Told } from './judge/answers.ts';
import { heightOf, slotMs } from './true-chain.ts';
import type { Moment } from './wire.ts';
import { createWorld, type Place, type World } from './world.ts';
import { localDoor } from '../harness/local-door.ts';

/** An act in the middle of a step. */
export type Act = 'crash' | 'freeze' | 'suspend ann' | 'policy of ann' | 'stop the team' | 'end a key of ann';
export interface Armed {
  moment: Moment;
  skip: number;
  act: Act;
}

export interface Life extends Owner, Asker {
  world: World;
  judge: Judge;
  reference: Reference;
  step(act: () => void | Promise<void>, options?: { unflushed?: boolean }): Promise<void>;
  pay(asks: readonly Ask[], waitMs: number): Promise<void>;
  arm(armed: Armed): void;
  /** Their number. */
  steps(): number;
  /** Ends all lies and delays, until nothing is open. */
  finish(): Promise<void>;
}

export interface Origin {
  time: SimTime;
  begin: number;
  /** The database that a life begins with. */
  template: Buffer;
  note: Trace['note'];
}

export const createLife = async ({ note, ...origin }: Origin, place: Place): Promise<Life> => {
  const { time } = origin;
  const reference = firstReference(origin.begin);
  let armed: Armed | null = null;
  let told: Told[] = [];
  let wasDown = false;
  let steps = 0;
  const judge = createJudge(() => world, reference);

  const onMoment = (moment: Moment): void => {
    if (armed === null) return;
    const isIt =
      armed.moment === moment ||
      (armed.moment === 'anything asked' && moment !== 'signed' && !moment.endsWith('answered')) ||
      (armed.moment === 'anything answered' && moment.endsWith('answered'));
    if (!isIt) return;
    armed.skip -= 1;
    if (armed.skip >= 0) return;
    const { act } = armed;
    armed = null;
    if (act === 'crash') world.crash();
    // It is nobody's request that does this.
    else queueMicrotask(() => asking.exit(() => doNow(act)));
  };
  const doNow = (act: Act): void => {
    if (world.isDown() || world.isHalted()) return;
    judge.look();
    if (act === 'freeze') life.freeze();
    else if (act === 'suspend ann') life.suspend('ann');
    else if (act === 'stop the team') life.stopTeam();
    else if (act === 'policy of ann') life.change('ann', { maxPerPayment: 500_000n });
    else {
      const key = [...reference.keys].find(([, one]) => one.agentId === 'ann' && !one.isEnded);
      if (key !== undefined) life.endKey(key[0]);
    }
  };

  const world: World = createWorld(origin, place, {
    onMoment,
    note,
    onWire: judge.onWire,
    onSigning: judge.onSigning,
    onRequestRow(row, n) {
      // What was decided before it is judged by the sums before it.
      if (n !== undefined && !world.isHalted()) judge.lookAtRows();
      judge.requests.onRow(row, n);
    },
    onRequestSent: judge.requests.onSent,
    onDeath: judge.requests.onDeath,
    onReleased() {
      if (!world.isDown() && !world.isHalted()) judge.lookAtRows();
    },
    onPhoneStop: () => life.phoneStopped(),
    onShortfall: (agentId) => life.foundShort(agentId),
    onLanded: judge.onLanded,
  });

  const callOf = (ask: Ask, waitMs: number): Asked => ({
    ask,
    call: {
      caller: {
        role: 'agent',
        agentId: ask.agentId,
        keyId: ask.keyId ?? keyOf(ask.agentId),
        keyLevel: ask.keyId === null ? 0 : (reference.keys.get(ask.keyId)?.level ?? 0),
      },
      door: localDoor,
      params: { agentId: ask.agentId },
      query: {},
      key: ask.key,
      waitMs,
    },
  });
  const { checkTold } = createToldJudge(world, judge, reference);

  const look = (flushed = false): void => {
    if (world.isDown()) return;
    judge.look(flushed);
    for (const one of told.splice(0)) {
      note(one.ask.key, one.answer);
      checkTold(one);
    }
  };
  const stopIfWrong = (): void => {
    if (judge.findings.length > 0) throw new Error(judge.findings.join('\n'));
  };
  /** What was answered before a death stands after it. */
  const afterDeath = (answered: readonly Told[]): void => {
    for (const { ask, answer } of answered) {
      const id = 'body' in answer ? answer.body['paymentId'] : undefined;
      if (id !== undefined && world.store().transfers.get(String(id)) === undefined)
        judge.find(`1: key ${nameOf(ask)} was answered with ${String(id)}, which a death took back`);
    }
  };
  const upAgain = async (): Promise<void> => {
    if (world.isHalted()) world.crash();
    const answered = world.isDown() ? told : [];
    for (let tries = 0; world.isDown(); tries += 1) {
      wasDown = true;
      judge.counts.deaths += 1;
      if (tries > 20) throw new Error('it does not start');
      await world.start();
      for (const id of world.reservedAtDeath())
        if (!world.isDown() && world.store().transfers.get(id)?.signed != null)
          judge.find(`1: payment ${id} was reserved at a death, and was carried on by the next process`);
      if (world.isHalted()) world.crash();
      else judge.lookAtStart();
    }
    if (answered.length === 0) return;
    told = [];
    afterDeath(answered);
  };

  const life: Life = {
    world,
    judge,
    reference,
    ...createOwner(world, judge, reference),
    ...createAsker(() => world, judge, reference),
    async step(act, { unflushed = false } = {}) {
      steps += 1;
      note(steps, time.now());
      if (!unflushed) {
        await world.pass(slotMs);
        await upAgain();
        // Commits outcomes that may wait, since the chain would report them again: the judge counts only rows on disk
        // as written.
        try {
          world.store().atomically(() => {});
        } catch (error) {
          if (!world.isHalted()) throw error;
          await upAgain();
        }
        look(!wasDown);
        wasDown = false;
      }
      await act();
      await world.settle();
      await upAgain();
      look();
      judge.close();
      stopIfWrong();
    },

    async pay(asks, waitMs) {
      judge.doings.asks.push(...asks);
      judge.doings.times.add(time.now());
      const { nodes } = world;
      for (const ask of asks) {
        const { agentId, keyId } = ask;
        const bound = judge.keys.get(nameOf(ask));
        const context = {
          ask,
          before: bound === undefined ? undefined : { ...bound },
          wasUnread: world.engine().remoteWords.unread(),
          wasFaulty: nodes.some((node) => !node.isHonest()),
          stopsBefore: reference.stopped(agentId) !== null,
          pendingBefore: judge.pending(agentId),
          pendingOfKeyBefore: keyId === null ? 0 : judge.pending(keyId),
          endedBefore: reference.hasEnded(keyId, time.now()),
          wasOver: bound !== undefined && judge.isOver(bound.id) && !judge.wasFreed(bound.id),
        };
        void request(world.engine().operations, callOf(ask, waitMs)).then(
          (body) => {
            // What a dead process would have answered has reached nobody.
            if (!world.isDown()) told.push({ ...context, answer: { body } });
          },
          (error: unknown) => told.push({ ...context, answer: { error } }),
        );
      }
      await world.settle();
    },

    steps: () => steps,
    arm: (next) => void (armed = { ...next }),

    async finish() {
      armed = null;
      healDisk();
      for (const node of world.nodes) node.tell([]);
      world.chain.heal();
      // A payment signed under a slot from the future, or a slot taken for a height, cannot be judged before the chain
      // is there.
      const gap = world.chain.slot() - heightOf(world.chain.slot());
      for (const slots of [1, 400, 2 * ahead + 400 + Math.ceil(1.2 * gap), 60, 60, 60, 60]) {
        if (slots > 400 && world.store().transfers.open().length === 0) break;
        await life.step(() => world.pass(slots * slotMs));
      }
      judge.atEnd();
      stopIfWrong();
    },
  };
  await world.restart();
  stopIfWrong();
  return life;
};
