// Requests to language models: what is bounded, held, settled and released.
import { one, type Bug } from '../planted-bugs.ts';
import type { TestTrial } from './caught-by-tests.ts';

const gateway = 'test/models/gateway.test.ts';
const traps = 'test/models/traps.test.ts';
const world = { file: 'test/world/world.test.ts', title: 'requests to language models too' };
const sums = 'test/models/sums.test.ts';
const owner = 'test/models/owner.test.ts';
const bothTables = 'agree with the rows of both tables';

export const bugsOfModels: readonly (Bug & TestTrial)[] = [
  {
    name: 'k01: usage that is not settled',
    edits: one(
      'server/engine/models/running.ts',
      "state: 'settled', amount, mark }",
      "state: 'settled', amount: request.bound, mark }",
    ),
    file: gateway,
    title: 'costs what the supplier counted',
  },
  {
    name: 'k02: a bound without the output',
    edits: one(
      'server/engine/models/plan.ts',
      'boundOf(inputBound, reserved.outputBound, prices',
      'boundOf(inputBound, 0, prices',
    ),
    file: gateway,
    title: 'that may cost more than the budget',
  },
  {
    name: 'k03: a gateway’s error releases what may have been billed',
    edits: one(
      'server/engine/models/wire/cut.ts',
      'if (!sent || isRefusal(ending)) return',
      'if (!sent || isRefusal(ending) || status === 502) return',
    ),
    file: gateway,
    title: 'of a gateway counts as the bound',
  },
  {
    name: 'k04: a request that is not charged to the group',
    edits: one(
      'server/engine/models/hold.ts',
      '...pathNow(store, agentId, keyId) }',
      '...pathNow(store, agentId, keyId), groupId: null }',
    ),
    file: gateway,
    title: 'stay within the budget of each node',
  },
  {
    name: 'k05: a held request that counts as nothing',
    edits: one(
      'server/engine/domain/spending.ts',
      "state === 'held' ? { amount: bound, fees: 0n }",
      "state === 'held' ? { amount: 0n, fees: 0n }",
    ),
    file: sums,
    title: bothTables,
  },
  {
    name: 'k06: a start that leaves open what the last run held',
    edits: one('server/engine/engine.ts', '  settleLeftOpen(context);\n', ''),
    file: 'test/models/crash.test.ts',
    title: 'is settled at its bound',
  },
  {
    name: 'k07: a stop that lets a stream go on',
    edits: one('server/engine/models/stopping.ts', 'if (why) one.stop(why);', 'if (why) continue;'),
    file: gateway,
    title: 'ends a stream in its turn',
  },
  {
    name: 'k08: a model that the policy does not name',
    edits: one(
      'server/engine/limits/node-rules.ts',
      'model === undefined || allowed === null ||',
      'model !== undefined || allowed === null ||',
    ),
    file: gateway,
    title: 'for a model that the policy does not name',
  },
  {
    name: 'k09: the usage that was not asked for reaches the client',
    edits: one(
      'server/engine/models/pass-on.ts',
      'createStreamReader(read.wire, !read.wantsUsage)',
      'createStreamReader(read.wire, false)',
    ),
    file: traps,
    title: 'usage only in the last event',
  },
  {
    name: 'k10: a request that counts since its end',
    edits: one(
      'server/store/model-requests.ts',
      "'amount' in end ? before.reservedAt : null",
      "'amount' in end ? at : null",
    ),
    file: sums,
    title: bothTables,
  },
  {
    name: 'k11: a sum that is made late and misses the requests to models',
    edits: one(
      'server/store/spending/meters.ts',
      'isAnyModel() ? together(money(scope), models(scope)) : money(scope)',
      'isAnyModel() ? money(scope) : money(scope)',
    ),
    file: sums,
    title: bothTables,
  },
  {
    name: 'k12: a request that is refused at once instead of waiting for the one before it',
    edits: one(
      'server/engine/models/gateway.ts',
      "if (result.waits && !isLast) return result.asked === null ? 'waits' : 'asks';",
      '',
    ),
    file: gateway,
    title: 'waits for the requests before it',
  },
  {
    name: 'k13: the agent’s own key goes to the supplier',
    edits: one(
      'server/engine/models/gateway.ts',
      'key: languageModels.keyOf(plan.supplier.id),',
      "key: 'agt_not-the-owners-key',",
    ),
    file: gateway,
    title: 'costs what the supplier counted',
  },
  {
    name: 'k14: a request that leaves by a plan that the owner has changed since',
    edits: one('server/engine/models/gateway.ts', 'refuseChanged(languageModels, plan);', ''),
    file: gateway,
    title: 'that waited while the owner moved the supplier',
  },
  {
    name: 'k15: a stop within a stop, for each stream that ends',
    edits: one(
      'server/engine/models/stopping.ts',
      'if (due.push(event) > 1) return;',
      'if (due.push(event) > 1) return stopBound(event);',
    ),
    file: gateway,
    title: 'ends each of many streams in one turn',
  },
  {
    name: 'k16: a request that leaves before it is on the disk',
    edits: one('server/engine/models/gateway.ts', '  await durable;\n', '  void durable;\n'),
    ...world,
  },
  {
    name: 'k17: a stop between the hold and the sending that nobody looks at',
    edits: one(
      'server/engine/models/gateway.ts',
      'const refusal = refusedSince(context, one.request);',
      'const refusal = null as ReturnType<typeof refusedSince>;',
    ),
    ...world,
  },
  {
    name: 'k18: a conversation bounded by its beginning alone',
    edits: one('server/engine/models/prefixes.ts', 'tokens: tokens + found.rest', 'tokens'),
    ...world,
  },
  {
    name: 'k19: a page with status 200 counted as a short answer',
    edits: one('server/engine/models/pass-on.ts', 'began: isOfTheApi && !said.failed', 'began: !said.failed'),
    file: traps,
    title: 'as a page',
  },
  {
    name: 'k20: an answer in one piece that never ends',
    edits: one(
      'server/engine/models/pass-on.ts',
      'const mostWholeBytes = 64 * 1024 * 1024;',
      'const mostWholeBytes = Infinity;',
    ),
    file: traps,
    title: 'in one piece',
  },
  {
    name: 'k21: a usual number of tokens where max_tokens is absent',
    edits: one(
      'server/engine/models/plan.ts',
      'const each = output ?? window;',
      'const each = output ?? window ?? 4_096;',
    ),
    file: traps,
    title: 'max_tokens absent',
  },
  {
    name: 'k22: a conversation whose beginning is never remembered',
    edits: one(
      'server/engine/models/plan.ts',
      'const measured = prefixes.measured(scope, read.parts);',
      'const measured = prefixes.measured(scope, []);',
    ),
    file: 'test/models/coder.test.ts',
    title: 'a coding program',
  },
  {
    name: 'k23: a request that its delegated keys are not charged for',
    edits: one(
      'server/engine/models/hold.ts',
      'const terms = { ...ask, ...pathNow(store, agentId, keyId) };',
      'const terms = { ...ask, ...pathNow(store, agentId, keyId), keyPath: [] };',
    ),
    file: 'test/models/hostile.test.ts',
    title: 'a hostile key learns no key',
  },
  {
    name: 'k24: an idempotency key that is sent again',
    edits: one('server/engine/models/hold.ts', 'if (before === undefined) return;', 'return;'),
    file: owner,
    title: 'sends one request, whatever comes with it later',
  },
  {
    name: 'k25: a number of requests one higher than allowed',
    edits: one('server/engine/limits/node-rules.ts', 'sent < limit', 'sent <= limit'),
    file: owner,
    title: 'counts requests in an hour',
  },
  {
    name: 'k26: what the watch holds is covered by an earlier standing approval',
    edits: one('server/engine/models/standing.ts', ', now, since })', ', now, since: 0 })'),
    file: owner,
    title: 'which one from before does not replace',
  },
  {
    name: 'k27: a request that does not wait for the owner',
    edits: one(
      'server/engine/models/hold.ts',
      "const waits = approval.status === 'pending';",
      'const waits = false;',
    ),
    file: owner,
    title: 'waits for a standing approval',
  },
  {
    name: 'k28: a seller’s model that the policy does not allow, through the proxy',
    edits: one(
      'server/engine/purchase/ask-first.ts',
      'refuseSold({ agentId: wanted.agent.agentId, keyId: asker.keyId }',
      'refuseSold({ agentId: wanted.agent.agentId, keyId: null }',
    ),
    file: 'test/models/sellers.test.ts',
    title: 'sells no model that the policy does not allow',
  },
  {
    name: 'k29: a text of a stream that counts as nothing',
    edits: one(
      'server/engine/models/wire/stream-reader.ts',
      'if (end !== -1) seen.outputBytes +=',
      'if (end < -1) seen.outputBytes +=',
    ),
    file: 'test/models/wire/stream-reader.test.ts',
    title: 'differ in their text alone',
  },
  {
    name: 'k30: a stop that leaves a request for a standing approval',
    edits: one('server/engine/payment/owner/stop.ts', " || kind === 'standing'", ''),
    file: 'test/models/owner.test.ts',
    title: 'asks no more once its agent is stopped',
  },
  {
    name: 'k31: a provider that is on again although an older copy forgot what was used',
    edits: one('server/catalog/used-since.ts', 'if (turnsOn) refuseLacking(context, supplier);', ''),
    file: 'test/models/older-copy.test.ts',
    title: 'keeps an own key off',
  },
  {
    name: 'k32: a supplier that is added again after an older copy and is on at once',
    edits: one('server/catalog/model-suppliers.ts', 'lacksUseOf.length === 0', 'lacksUseOf.length >= 0'),
    file: 'test/models/older-copy.test.ts',
    title: 'removed and is added again',
  },
  {
    name: 'k33: a further copy that forgets that an earlier one was not answered for',
    edits: one('server/engine/domain/reconciliation-mark.ts', 'since < copy.since', 'since > copy.since'),
    file: 'test/models/older-copy.test.ts',
    title: 'the earliest copy',
  },
  {
    name: 'k34: a supplier that is on before the chain has shown all agents',
    edits: one(
      'server/catalog/used-since.ts',
      'if (turnsOn || all.length > 0) refuse',
      'if (turnsOn && all.length > 9) refuse',
    ),
    file: 'test/models/older-copy.test.ts',
    title: 'which agents there are',
  },
  {
    name: 'k35: a journal that is not sealed after the use of a model',
    edits: one('server/engine/records/audit.ts', 'used === sealedUse && ', ''),
    file: 'test/engine/halt.test.ts',
    title: 'once a model was used',
  },
  {
    name: 'k36: a correction under the idempotency key of its request',
    edits: one('server/engine/models/settle.ts', '...terms, idempotencyKey: null', '...terms'),
    file: 'test/models/older-copy.test.ts',
    title: 'by a further row',
  },
  {
    name: 'k37: the usage of a seller that is not kept',
    edits: one('server/engine/purchase/show.ts', '...(usage === undefined ? {} : { usage }),', ''),
    file: 'test/models/sellers.test.ts',
    title: 'kept beside the payment',
  },
  {
    name: 'k38: a trial of a server while everything is stopped',
    edits: one(
      'server/catalog/usage-trial.ts',
      'store.freeze.get() === null',
      'store.freeze.get() !== undefined',
    ),
    file: 'test/http/model-suppliers.test.ts',
    title: 'is tried once',
  },
  {
    name: 'k39: single requests of models that never end',
    edits: one('server/engine/api/models/usage.ts', 'createdAt >= oldest', 'createdAt > 0'),
    file: 'test/models/owner.test.ts',
    title: 'page by page',
  },
  {
    name: 'k40: requests to language models that no figure of the owner’s counts',
    edits: one('server/store/spending/spending.ts', 'reported.reportRequest(after);', ''),
    file: 'test/models/owner.test.ts',
    title: 'counts in each figure',
  },
  {
    name: 'k41: a chart without language models',
    edits: one('server/store/spending/spending-spans.ts', '[ended, open, requests]', '[ended, open]'),
    file: 'test/models/owner.test.ts',
    title: 'counts in each figure',
  },
];
