// A disk failure halts the engine: every present and later wait ends with the reason, and no timer throws.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PassDeps } from '../../server/catalog/bazaar-pass.ts';
import { createBazaarSchedule } from '../../server/catalog/bazaar-schedule.ts';
import type { Context } from '../../server/engine/payment/context.ts';
import { createOutcomes } from '../../server/engine/payment/machine/outcomes.ts';
import { createAudit } from '../../server/engine/records/audit.ts';
import { AppError } from '../../server/errors.ts';
import { checkpointWhenIdle } from '../../server/store/records/checkpoints.ts';
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

    const sealed = { available: () => true, last: () => null };
    const head = { seq: 0, hash: Buffer.alloc(32) };
    const auditOf = (parts: object) =>
      createAudit({
        seals: sealed,
        halted: { reason: null },
        log: { warn: () => {}, error: () => {} },
        ...parts,
      } as unknown as Context);

    it('does not end the process when the journal cannot be sealed', async () => {
      const journal = { head: () => head, verifyRules: () => null, verifyAll };
      const atomically = vi.fn(fail);
      const audit = auditOf({ store: { journal, atomically } });
      audit.verifyTail();
      audit.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(atomically.mock.calls.length).toBeGreaterThan(1);
    });

    it('seals the journal once a model was used, since nothing else would show that to an older copy', async () => {
      const journal = { head: () => head, verifyRules: () => null, verifyAll };
      const list = vi.fn((): object[] => []);
      const store = { journal, atomically: <T>(work: () => T) => work(), modelRequests: { list } };
      const seal = vi.fn();
      const audit = auditOf({ store, seals: { ...sealed, seal } });
      audit.verifyTail();
      audit.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(seal).not.toHaveBeenCalled();
      list.mockReturnValue([{ seq: 1 }]);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(seal.mock.calls).toEqual([[head]]);
      list.mockReturnValue([{ seq: 2 }]);
      await vi.advanceTimersByTimeAsync(600_000);
      expect(seal).toHaveBeenCalledTimes(2);
      audit.stop();
    });

    it('does not end the process when the disk failed and the records cannot be read', async () => {
      const next = vi.fn(fail);
      const error = vi.fn();
      const journal = { head: () => head, verifyAll: () => ({ next }) };
      const audit = auditOf({ store: { journal }, halted: { reason: 'its disk failed' }, log: { error } });
      audit.start();
      await vi.advanceTimersByTimeAsync(600_000);
      expect(next).toHaveBeenCalledOnce();
      // Nor is it called a change from outside.
      expect(error).toHaveBeenCalledOnce();
      audit.stop();
    });

    it('leaves records unverified that could not be read', () => {
      const verifyRules = vi.fn(() => null).mockImplementationOnce(fail);
      const audit = auditOf({ store: { journal: { head: () => head, verifyRules, verifyAll } } });
      expect(() => audit.verifyTail()).toThrow('SQLITE_IOERR_WRITE');
      audit.verifyTail();
      audit.verifyTail();
      expect(verifyRules).toHaveBeenCalledTimes(2);
    });

    it('does not end the process when the next import is due', async () => {
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
        const transactions = { commits: () => 1, checkFiles: () => {}, halt } as unknown as Parameters<
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
