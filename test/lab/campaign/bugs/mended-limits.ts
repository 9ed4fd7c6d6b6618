// Bugs of clocks, restored groups, counted refusals, names of services, the honest number, settled payments, busy RPCs and
// forgotten entries, each with the test that has to catch it.
import type { TestTrial } from './caught-by-tests.ts';
import { one, type Bug } from '../planted-bugs.ts';

const clock = 'test/http/clock-in-doubt.test.ts';
const refusals = 'test/engine/refusal-folding.test.ts';
const names = 'test/http/services.test.ts';
const settlement = 'test/paywall/settlement.test.ts';
const rpc = 'test/solana/rpc.test.ts';
const folding = 'server/engine/payment/decision/folding.ts';
const x402 = 'server/paywall/dialects/x402.ts';

export const bugsOfMendedLimits: readonly (Bug & TestTrial)[] = [
  {
    name: 'a payment found on the chain charged to no group',
    edits: one('server/engine/records/enter-debit.ts', 'pathNow(store, agentId, null)', 'ownPath'),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'charged to agent and group',
  },
  {
    name: 'a picture found on the chain taken for a recall',
    edits: one('server/engine/records/enter-debit.ts', "id: 'chg_'", "id: 'rcl_'"),
    file: 'test/backup/rolled-back-copy.test.ts',
    title: 'charged to agent and group',
  },
  {
    name: 'a clock in fractions of a millisecond',
    edits: one(
      'server/engine/domain/time.ts',
      'Math.floor(reading) as Milliseconds',
      'reading as Milliseconds',
    ),
    file: clock,
    title: 'every route answers its owner',
  },
  {
    name: 'the network’s time compared only once the wallets are read',
    edits: one(
      'server/engine/records/funds.ts',
      'inFull([compareRecords(reading), reading.aside.read(), compareClocks(reading.context)])',
      'compareRecords(reading).then(() => compareClocks(reading.context))',
    ),
    file: clock,
    title: 'the network’s time is enough',
  },
  {
    name: 'refusals bounded by API key alone',
    edits: one(
      folding,
      'folding.inFull.admit(agentId, now)',
      'folding.inFull.admit(principalOf(agentId, keyPath), now)',
    ),
    file: refusals,
    title: 'has no further rows by keys',
  },
  {
    name: 'refusals at another node counted as the same',
    edits: one(folding, '${JSON.stringify(node ?? null)}', '${typeof node === "number" ? 1 : 0}'),
    file: refusals,
    title: 'is told of each request what refuses it now',
  },
  {
    name: 'a counted refusal told by the row that counts it',
    edits: one(
      'server/engine/calls/request.ts',
      'if (result.counted !== null) throw',
      'if (result.counted !== null && opened.refusal === null) throw',
    ),
    file: refusals,
    title: 'is told of each request what refuses it now',
  },
  {
    name: 'a boost by an entry that counts many refusals',
    edits: one(
      'server/engine/api/limits/boosts.ts',
      'if (isCounting(transfer))',
      'if (isCounting(transfer) && false)',
    ),
    file: refusals,
    title: 'is not offered more today',
  },
  {
    name: 'an address with a slash kept as it was typed',
    edits: one('server/engine/api/service-names.ts', 'return url.origin;', 'return name;'),
    file: names,
    title: 'are brought to the form that is compared',
  },
  {
    name: 'a host without a scheme taken for a name',
    edits: one('server/engine/api/service-names.ts', 'if (bareHost.test(name))', "if (name === 'localhost')"),
    file: names,
    title: 'are refused where no service can match',
  },
  {
    name: 'a stored name that is brought to another form when it is kept',
    edits: one('server/engine/api/service-names.ts', 'held.has(name) || ', ''),
    file: names,
    title: 'keep their meaning',
  },
  {
    name: 'hours that begin while they are skipped',
    edits: one('server/engine/limits/calendar.ts', 'time > now && isOpen(time)', 'time > now'),
    file: 'test/engine/windows.test.ts',
    title: 'Africa/Cairo',
  },
  {
    name: 'a late reading entered after one that showed what was known',
    edits: one('server/engine/records/balances.ts', '        store.wallets.unchanged(address, slot);\n', ''),
    file: 'test/engine/readings.test.ts',
    title: 'a balance of a wallet does not go back',
  },
  {
    name: 'the honest number without accounts beside the usual ones',
    edits: one(
      'server/engine/api/exposure.ts',
      'treasury + agents + funds.aside.units()',
      'treasury + agents',
    ),
    file: 'test/http/hostile/exposure.test.ts',
    title: 'counts what lies in accounts beside',
  },
  {
    name: 'a settled payment served to any request',
    edits: one(x402, 'if (!(await isFirstRequest(', 'if (deps.store === null && !(await isFirstRequest('),
    file: settlement,
    title: 'first shown for alone',
  },
  {
    name: 'a payment bound to its request only once it is settled',
    edits: [
      {
        file: x402,
        from: '      if (!(await isFirstRequest(records, payable, deps.terms.maxAgeMs))) return { refused: alreadyUsed };\n',
        to: '',
      },
      {
        file: x402,
        from: '      if (known !== undefined) return',
        to: '      if (known !== undefined && !(await isFirstRequest(records, payable, deps.terms.maxAgeMs))) return { refused: alreadyUsed };\n      if (known !== undefined) return',
      },
      {
        file: x402,
        from: '      await records.save(key, outcome, deps.terms.maxAgeMs);\n',
        to: '      await isFirstRequest(records, payable, deps.terms.maxAgeMs);\n      await records.save(key, outcome, deps.terms.maxAgeMs);\n',
      },
    ],
    file: settlement,
    title: 'though the facilitator would settle it again',
  },
  {
    name: 'a transaction sent again to a busy RPC',
    edits: one(
      'server/solana/rpc/rpc.ts',
      "question[0] === 'sendTransaction' ? 0 : patienceMs",
      'patienceMs',
    ),
    file: rpc,
    title: 'a transaction is sent once',
  },
  {
    name: 'an error of null taken for an error',
    edits: one('server/solana/rpc/rpc.ts', 'if (answer.error != null)', 'if (answer.error !== undefined)'),
    file: rpc,
    title: 'an error that is null is none',
  },
  {
    name: 'an entry that was paid is forgotten',
    edits: one(
      'server/store/catalog/catalog-sources.ts',
      'added_by_owner = 0 AND calls = 0',
      'added_by_owner = 0',
    ),
    file: 'test/catalog/bazaar.test.ts',
    title: 'forgets what vanished long ago',
  },
];
