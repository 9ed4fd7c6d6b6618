// The register of conditions: each is said once, a cause hides its consequences, and what stops money is never hidden.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conditionCodes,
  conditionsOf,
  hiddenBy,
  severityOf,
  type ConditionCode,
} from '../../server/contract/conditions/conditions.ts';
import { severities, withTimes, type ConditionFacts } from '../../server/contract/conditions/facts.ts';
import { allElseWell } from '../harness/conditions.ts';

const at = allElseWell.now;

const well: ConditionFacts = {
  foreignDebits: [],
  halted: null,
  frozen: false,
  freeze: { since: null, reason: null, mayStillLand: { payments: 0, amount: '0.00', until: null } },
  clockDoubt: null,
  locked: false,
  outage: null,
  rpcFaults: [],
  treasury: { amount: '5000000', spendableSol: '1.00', transfersLeft: 1_000 },
  ceiling: { spent: '1.00', inForce: { dailyBudget: '5.00', freeAt: null } },
  phraseKept: true,
  exposure: { aside: '0.00' },
  pendingApprovals: 0,
  pendingLogins: 0,
  pendingLinks: 0,
  agents: [],
  ...allElseWell,
};

const agent: ConditionFacts['agents'][number] = {
  agentId: 'scout',
  displayName: 'Scout',
  status: 'active',
  balance: '0.00',
  spentToday: '0.00',
  inForce: { dailyBudget: '2.00' },
  asking: null,
};

const outage = {
  since: at,
  isStarting: false,
  isWhole: true,
  rpcs: [{ host: 'rpc.example.com', why: 'the connection was refused' }],
  held: { transfers: 1, amount: '0.25' },
};

/** The facts of each condition alone. */
const facts: Record<ConditionCode, Partial<ConditionFacts>> = {
  key_leaked: { foreignDebits: [{ agentId: null, amount: '3.00', signature: null, timestamp: at }] },
  halted: { halted: 'its disk failed' },
  frozen: { frozen: true, freeze: { ...well.freeze, since: at, reason: 'the owner pressed stop' } },
  clock: { clockDoubt: 'the clock went back' },
  disk_full: { disk: { free: 99, least: 100 } },
  locked: { locked: true },
  network_down: { outage },
  rpc_down: { outage: { ...outage, isWhole: false } },
  rpc_faults: {
    rpcFaults: [{ host: 'rpc.example.com', answer: 'it has no getBlock', without: 'No books.' }],
  },
  no_fees: { treasury: { ...well.treasury, spendableSol: '0', transfersLeft: 0 } },
  ceiling_reached: { ceiling: { spent: '5.00', inForce: { dailyBudget: '5.00', freeAt: at } } },
  cold_fault: { cold: { fault: 'missing', stoppedAt: null } },
  phrase: { phraseKept: false },
  backup_old: { backup: { newest: '2026-11-24T10:00:00.000Z', since: at } },
  notices_failing: { failingChannels: ['Ops webhook'] },
  fees_low: { treasury: { ...well.treasury, transfersLeft: 3 } },
  aside: { exposure: { aside: '1.00' } },
  drawing_stopped: { cold: { fault: null, stoppedAt: at } },
  approvals: { pendingApprovals: 2, pendingLogins: 1 },
  agent_asks: { agents: [{ ...agent, asking: 'It asks for 3.00 USDC in an hour.' }] },
  agent_alert: {
    agents: [agent],
    alerts: [{ agentId: 'scout', tripId: 'wch_1', sentence: 'It asks for 3.00 USDC in an hour.', at }],
  },
  undelivered: { undelivered: { payments: 2, amount: '0.40' } },
  no_channel: { hasChannel: false, agents: [agent] },
  prices_old: { pricesFrom: '2026-08-20T00:00:00.000Z' },
  budget_nearly_used: { agents: [{ ...agent, spentToday: '1.60' }] },
  month_amiss: { months: { open: [], amiss: ['2026-09'] } },
  month_open: { months: { open: ['2026-10'], amiss: [] } },
  empty: { treasury: { ...well.treasury, amount: '0' } },
};

const codesOf = (some: Partial<ConditionFacts>): ConditionCode[] =>
  conditionsOf({ ...well, ...some }).map(({ code }) => code);

const neverHidden: readonly ConditionCode[] = ['key_leaked', 'halted', 'frozen', 'clock', 'disk_full'];
const rank = (code: ConditionCode): number => severities.indexOf(severityOf(code));

it('says nothing while all is well', () => {
  expect(conditionsOf(well)).toEqual([]);
});

it.each(conditionCodes)('says %s alone where only that holds', (code) => {
  const [found, ...others] = conditionsOf({ ...well, ...facts[code] });
  expect(others).toEqual([]);
  expect(found).toMatchObject({ code, severity: severityOf(code) });
  expect(found?.title).not.toMatch(/[.!]$/);
  expect(found?.text).toMatch(/\.$/);
  expect(`${found?.title} ${found?.text}`).not.toMatch(/undefined|null|\.\.|  /);
});

describe('a cause', () => {
  it('hides named consequences of no higher severity, and never what stops money', () => {
    for (const cause of conditionCodes)
      for (const consequence of hiddenBy(cause)) {
        expect(conditionCodes as readonly string[]).toContain(consequence);
        expect(rank(consequence as ConditionCode)).toBeGreaterThanOrEqual(rank(cause));
        expect(neverHidden).not.toContain(consequence);
      }
  });

  it('leaves everything else in sight, in the order of the register, whatever holds together', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...conditionCodes), { maxLength: 8 }), (codes) => {
        const together = Object.assign({}, ...codes.map((code) => facts[code])) as Partial<ConditionFacts>;
        const shown = codesOf(together);
        expect(shown).toEqual(conditionCodes.filter((code) => shown.includes(code)));
        const hidden = new Set(codes.flatMap((code) => hiddenBy(code)));
        // Facts of one field replace each other.
        for (const code of codes) {
          const holds = Object.entries(facts[code]).every(
            ([name, value]) => together[name as keyof ConditionFacts] === value,
          );
          if (holds && !hidden.has(code)) expect(shown).toContain(code);
        }
      }),
    );
  });
});

it('speaks of no budget of a paused agent, and counts a boost', () => {
  const used = { ...agent, spentToday: '2.40' };
  expect(codesOf({ agents: [{ ...used, status: 'suspended', asking: 'odd' }] })).toEqual([]);
  expect(codesOf({ agents: [{ ...used, inForce: { dailyBudget: '5.00' } }] })).toEqual([]);
  expect(conditionsOf({ ...well, agents: [used] })[0]?.title).toBe('Scout has used up its daily budget');
});

it('gives its times to the reader', () => {
  const [stopped] = conditionsOf({ ...well, ...facts.drawing_stopped });
  expect(withTimes(stopped?.text ?? '', () => 'noon')).toContain('since noon.');
});
