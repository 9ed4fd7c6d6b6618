// Bugs of the notices to the owner, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const store = 'server/store/notices.ts';
const outbox = 'server/notices/outbox.ts';
const ofStore = 'test/store/notices.test.ts';
const ofOutbox = 'test/notices/outbox.test.ts';
const ofKinds = 'test/notices/kinds.test.ts';
const ofChannels = 'test/notices/channels.test.ts';

export const bugsOfNotices: readonly (Bug & TestTrial)[] = [
  {
    name: 'n01: the notice of a refusal written after its commit',
    edits: one(
      'server/engine/payment/decision/intent.ts',
      "addNotice(context, { kind: 'refused', transfer: row });",
      "setImmediate(() => addNotice(context, { kind: 'refused', transfer: row }));",
    ),
    file: ofKinds,
    title: 'undoes its event',
  },
  {
    name: 'n02: another id at each attempt',
    edits: one(
      outbox,
      'messageFor(outbox, channel, head.notice), closing',
      '{ ...messageFor(outbox, channel, head.notice), id: `${head.notice.id}${head.delivery.attempts}` }, closing',
    ),
    file: ofOutbox,
    title: 'with the same id, and goes on in order',
  },
  {
    name: 'n03: a later notice passes one that waits for its next attempt',
    edits: one(
      store,
      "state = 'waiting' AND notice_delivery.due_at <= @now",
      "state = 'waiting' AND notice_delivery.due_at <= @now AND next_at <= @now",
    ),
    file: ofStore,
    title: 'gets nothing before what it could not be told',
  },
  {
    name: 'n04: told before its commit is on disk',
    edits: one(outbox, '    await durable;\n', '    void durable;\n'),
    file: ofOutbox,
    title: 'tells nothing before its commit is on disk',
  },
  {
    name: 'n05: a freeze waits for its turn',
    edits: one(store, 'ORDER BY urgent DESC, notice_delivery.due_at', 'ORDER BY notice_delivery.due_at'),
    file: ofStore,
    title: 'but a freeze before all others',
  },
  {
    name: 'n06: too many requests end a notice',
    edits: one('server/notices/outcome.ts', ' && status !== 429', ''),
    file: ofOutbox,
    title: 'is failed for',
  },
  {
    name: 'n07: a token sent to another server',
    edits: one('server/engine/api/notices.ts', ' && urlOf(before)?.origin === urlOf(after)?.origin;', ';'),
    file: ofChannels,
    title: 'forgets the token',
  },
  {
    name: 'n08: an event folded into a notice that was sent',
    edits: one(store, 'before.dueAt > at && before.untold', 'before.dueAt >= at'),
    file: ofStore,
    title: 'are never folded into a notice that was sent',
  },
  {
    name: 'n09: a whole address in a notice',
    edits: one(
      'server/lib/plain-line.ts',
      '.replaceAll(long, (run) => `${run.slice(0, 4)}…${run.slice(-4)}`)',
      '',
    ),
    file: ofKinds,
    title: 'without links, markup, codes and addresses',
  },
  {
    name: 'n10: a channel waits for the endpoint of another',
    edits: one(outbox, 'if (!running.has(id)) running', 'if (running.size === 0) running'),
    file: ofOutbox,
    title: 'lets no channel wait for another',
  },
];
