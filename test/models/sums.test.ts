// Requests to language models in the sums that limits use, against a sum over all rows of both tables: open with the bound,
// ended with the amount at the time of the reservation, at every node of the path and at the service.
import { join } from 'node:path';
import { array, assert, bigInt, boolean, constantFrom, integer, property, record } from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import {
  scopeOfAll,
  scopeOfGroup,
  scopeOfKey,
  scopeOfService,
  scopesOf,
} from '../../server/engine/domain/limits.ts';
import type { MeterName, ModelRequest, Store, Transfer } from '../../server/engine/ports.ts';
import { usdc } from '../../server/money.ts';
import { reservedPayment } from '../harness/engine/payment-row.ts';
import { openStore } from '../harness/engine/store.ts';
import { useFolders } from '../harness/folders.ts';
import { tries } from '../harness/tries.ts';

const newFolder = useFolders();
const start = 1_800_000_000_000;
const hour = 3_600_000;
const nodes = [scopeOfAll, 'a', 'b', scopeOfGroup('g'), scopeOfKey(1, 'k')];
const services = ['llm:one', 'maps'];
let store: Store;
afterEach(() => store.close());

const open = (): void => {
  store = openStore(join(newFolder(), 't.db'));
  store.atomically(() => {
    store.wallets.add({ address: 'treasury', index: 0, agentId: null });
    for (const agentId of ['a', 'b'])
      store.agents.insert(
        {
          agentId,
          displayName: agentId,
          status: 'active',
          statusReason: null,
          createdAt: start,
          archivedAt: null,
        },
        (index) => `wallet-${index}`,
      );
  });
};

const step = record({
  act: constantFrom('request', 'payment', 'settle', 'settle', 'release', 'final'),
  agent: constantFrom('a', 'b'),
  inGroup: boolean(),
  byKey: boolean(),
  service: constantFrom(...services),
  amount: bigInt({ min: 0n, max: 900n }),
  more: integer({ min: 0, max: 20 * hour }),
});

it('agree with the rows of both tables, also when they are made later and counted again', () => {
  assert(
    property(array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      open();
      let now = start;
      const payments: Transfer[] = [];
      const requests: ModelRequest[] = [];
      const path = ({ inGroup, byKey }: (typeof steps)[number]) => ({
        keyPath: byKey ? ['k'] : [],
        groupId: inGroup ? 'g' : null,
      });
      for (const [at, one] of steps.entries()) {
        now += one.more;
        const held = requests.find(({ state }) => state === 'held');
        store.atomically(() => {
          if (one.act === 'request')
            requests.push(
              store.modelRequests.insert(
                {
                  ...path(one),
                  id: `mod_${at}`,
                  agentId: one.agent,
                  keyId: 'k',
                  serviceId: one.service,
                  model: 'm',
                  wire: 'w',
                  bound: usdc(one.amount),
                  prices: {},
                  policyVersion: 1,
                  grantId: null,
                },
                null,
                now,
              ),
            );
          else if (one.act === 'payment') {
            const walletIndex = one.agent === 'a' ? 1 : 2;
            payments.push(
              store.transfers.insert(
                reservedPayment({
                  ...path(one),
                  id: `pay_${at}`,
                  agentId: one.agent,
                  walletIndex,
                  wallet: `wallet-${walletIndex}`,
                  createdAt: now,
                  amount: one.amount + 1n,
                  serviceId: one.service,
                  feeLamports: 5n,
                }),
              ),
            );
          } else if (held !== undefined && one.act !== 'final') {
            const end =
              one.act === 'settle'
                ? ({ state: 'settled', amount: usdc(one.amount), mark: 'exact' } as const)
                : ({
                    state: 'released',
                    refusal: { code: 'not_available', message: '', details: {} },
                  } as const);
            requests[requests.indexOf(held)] = store.modelRequests.end(held.id, end, now) ?? held;
          }
        });
      }
      const rows = [
        ...payments.map((row) => ({ ...row, open: row.amount, final: null })),
        ...requests.map((row) => ({
          ...row,
          open: row.state === 'held' ? row.bound : 0n,
          final: row.amount === null ? null : { at: row.reservedAt ?? 0, amount: row.amount },
        })),
      ];
      const expected = (node: string, service: string | null, edge: number) => {
        const mine = rows.filter(
          (row) => scopesOf(row).includes(node) && (service === null || row.serviceId === service),
        );
        return {
          open: mine.reduce((sum, row) => sum + row.open, 0n),
          final: mine.reduce(
            (sum, { final }) => sum + (final !== null && final.at > edge ? final.amount : 0n),
            0n,
          ),
        };
      };
      const check = (): void => {
        for (const node of nodes)
          for (const edge of [now - 24 * hour, now - 7 * 24 * hour, start]) {
            const { open: held, final } = expected(node, null, edge);
            if (edge === now - 24 * hour)
              expect(store.spend.at(node, now)).toMatchObject({ open: held, final });
            expect(store.spend.above(node, 'week', edge, now)).toBe(final);
            for (const service of services) {
              const at = expected(node, service, edge);
              expect(store.spend.above(scopeOfService(node, service), 'month', edge, now)).toBe(at.final);
              expect(store.spend.reservedAt(scopeOfService(node, service))).toBe(at.open);
            }
          }
      };
      check();
      // Sums that are made late, in slices, and then kept.
      const names: MeterName[] = ['week', 'month', 'total'];
      for (const node of nodes)
        for (const name of names) Array.from(store.spend.meter({ scope: node, name }, start));
      check();
      store.spend.recount();
      check();
      store.close();
    }),
    { numRuns: tries(25, 500) },
  );
  open();
});
