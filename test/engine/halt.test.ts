// A disk failure halts the engine: every present and later wait ends with the reason, and no timer throws.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PassDeps } from '../../server/catalog/bazaar-pass.ts';
import { createBazaarSchedule } from '../../server/catalog/bazaar-schedule.ts';
import type { Context } from '../../server/engine/payment/context.ts';
import { createOutcomes } from '../../server/engine/payment/outcomes.ts';
import { createAudit } from '../../server/engine/records/audit.ts';
import { AppError } from '../../server/errors.ts';
import { checkpointWhenIdle } from '../../server/store/checkpoints.ts';
import type { Db } from '../../server/store/db.ts';

const fail = (): never => {
  throw new Error('SQLITE_IOERR_WRITE');
};

/** Of an intact journal. */
const verifyAll = () => ({ next: () => ({ done: true, value: null }) });

describe('a halt', () => {
  it('ends every wait, and every later one, with its reason', async () => {
    const outcomes = createOutcomes();
    const reason = new AppError('halted', 'the disk failed', { outcome: 'unknown' });
    const waiting = ['a', 'a', 'b'].map((id) => outcomes.wait(id, () => false, 60_000, null));
    outcomes.halt(reason);
    for (const one of waiting) await expect(one).rejects.toBe(reason);
    await expect(outcomes.wait('c', () => false, 60_000, null)).rejects.toBe(reason);
    // An outcome that is known already is still returned.
    await expect(outcomes.wait('c', () => true, 60_000, null)).resolves.toBeUndefined();
  });

  describe('while a timer goes on', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it('is no end of the process when the journal would be sealed', async () => {
      const head = { seq: 0, hash: Buffer.alloc(32) };
      const journal = { head: () => head, verifyRules: () => null, verifyAll };
      const atomically = vi.fn(fail);
      const audit = createAudit({
        store: { journal, atomically },
        seals: { available: () => true, last: () => null },
        halted: { reason: 'its disk failed' },
        log: { warn: () => {} },
      } as unknown as Context);
      audit.verifyTail();
      audit.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(atomically.mock.calls.length).toBeGreaterThan(1);
      audit.stop();
    });

    it('is no end of the process when the journal cannot be read to its end', async () => {
      const error = vi.fn();
      const journal = { head: () => ({ seq: 0 }), verifyAll: () => ({ next: fail }) };
      const audit = createAudit({
        store: { journal },
        seals: { available: () => false },
        halted: { reason: 'its disk failed' },
        log: { error },
      } as unknown as Context);
      audit.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(error).toHaveBeenCalledOnce();
      audit.stop();
    });

    it('is no end of the process when the next import is due', async () => {
      const warn = vi.fn();
      const list = vi.fn<() => object[]>(fail).mockReturnValueOnce([{ id: 'bazaar', nextRunAt: 60_000 }]);
      const context = { store: { sources: { list } }, time: { now: () => 0 }, log: { warn } };
      const schedule = createBazaarSchedule({ context } as unknown as PassDeps, () => {});
      schedule.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(list).toHaveBeenCalledTimes(2);
      expect(warn).toHaveBeenCalledOnce();
      await schedule.close();
    });
  });

  describe('from copying the write-ahead log back', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());

    it.each(['prepare', 'pragma'] as const)(
      'is reported once when %s fails, and nothing is thrown',
      (failing) => {
        const db = {
          open: true,
          inTransaction: false,
          prepare: () => ({ get: failing === 'prepare' ? fail : () => ({ log: 1_000_000n }) }),
          pragma: fail,
        } as unknown as Db;
        const halt = vi.fn();
        const transactions = { commits: () => 1, halt } as unknown as Parameters<
          typeof checkpointWhenIdle
        >[1];
        const end = checkpointWhenIdle(db, transactions);
        vi.advanceTimersByTime(600_000);
        expect(halt).toHaveBeenCalledTimes(1);
        end();
      },
    );
  });
});
