// The cold treasury: the owner's choice, which the journal protects, and its account as last read from the chain.
import { coldFaultNames } from '../contract/treasury/cold-faults.ts';
import { isLow, type ColdAccount, type ColdTreasury } from '../engine/domain/cold.ts';
import type { ColdStore } from '../engine/ports.ts';
import { invariant } from '../errors.ts';
import type { Usdc } from '../money.ts';
import type { Db } from './db.ts';
import type { Journal } from './records/journal.ts';
import { createReadSlots } from './transfers/read-slots.ts';
import { ifAny, mapper, type Columns } from './row.ts';

/** What the ledger changes as draws go from state to state. */
export interface ColdSums {
  /** A draw will take this, or no longer: less than zero. */
  reserve(address: string, amount: bigint): void;
  /** A draw was seen in this slot; `amount` is less than zero when a fork took it back. */
  drawn(address: string, amount: bigint, slot: number): void;
}

/** The sums alone. They need no journal: they follow from rows that it protects. */
export const createColdSums = (
  db: Db,
): ColdSums & Pick<ColdStore, 'mark'> & { movedSince(mark: number): boolean; lastDrawn(): bigint } => {
  const reserve = db.prepare('UPDATE cold_account SET pending = pending + ? WHERE address = ?');
  // A reading of the draw's own slot may predate it or not: the draw counts as gone, what came back as not there, and
  // both as in doubt. So may one that came before a fork took the draw back.
  const drawn = db.prepare(/* sql */ `
    UPDATE cold_account SET
      doubt = doubt + iif(slot = @slot OR (slot > @slot AND @amount < 0), abs(@amount), 0),
      balance = balance - iif(slot < @slot OR (slot = @slot AND @amount > 0), @amount, 0),
      allowance = allowance - iif(slot < @slot OR (slot = @slot AND @amount > 0), @amount, 0),
      moved_slot = max(moved_slot, @slot) WHERE address = @address`);
  let draws = 0;
  let last = 0n;
  return {
    reserve: (address, amount) => void reserve.run(amount, address),
    drawn(address, amount, slot) {
      draws += 1;
      last = amount;
      drawn.run({ address, amount, slot });
    },
    mark: () => draws,
    movedSince: (mark) => draws > mark,
    lastDrawn: () => last,
  };
};

export const createCold = (db: Db, journal: Journal, sums: ReturnType<typeof createColdSums>): ColdStore => {
  const chosen = db.prepare('SELECT * FROM cold_treasury');
  const get = db.prepare(/* sql */ `
    SELECT a.*, t.since, t.stopped_at FROM cold_treasury AS t JOIN cold_account AS a USING (address)`);
  const choose = db.prepare(/* sql */ `
    INSERT INTO cold_treasury (id, address, since, stopped_at, journal_seq)
    VALUES (1, @address, @since, @stoppedAt, @journalSeq)
    ON CONFLICT (id) DO UPDATE SET address = excluded.address, since = excluded.since,
      stopped_at = excluded.stopped_at, journal_seq = excluded.journal_seq
    RETURNING *`);
  const all = db.prepare('SELECT * FROM cold_account ORDER BY rowid');
  const one = db.prepare('SELECT * FROM cold_account WHERE address = ?');
  const add = db.prepare('INSERT OR IGNORE INTO cold_account (address, scanned_to) VALUES (?, ?)');
  // The allowance may have fallen by an open draw that we have not seen yet: so much stays in doubt.
  const read = db.prepare(/* sql */ `
    UPDATE cold_account SET balance = @balance, allowance = @allowance, fault = @fault, granted = @granted,
      told = @told, slot = @slot, doubt = max(0, min(pending, allowance + doubt - @allowance))
    WHERE address = @address AND slot <= @slot AND moved_slot <= @asOf`);
  const forget = db.prepare(/* sql */ `
    UPDATE cold_account SET slot = iif(slot > @slot, 0, slot), moved_slot = iif(moved_slot > @slot, 0, moved_slot)
    WHERE slot > @slot OR moved_slot > @slot`);
  const pause = db.prepare('UPDATE cold_account SET paused_until = ? WHERE address = ?');
  const tell = db.prepare('UPDATE cold_account SET told = 1 WHERE address = ?');
  const scanned = db.prepare('UPDATE cold_account SET scanned_to = ? WHERE address = ?');

  const slots = createReadSlots();
  const current = (): ColdTreasury | null => coldIn(get.get()) ?? null;
  const enter = (choice: {
    address: string | null;
    since: number | null;
    stoppedAt: number | null;
  }): void => {
    const isFirst = chosen.get() === undefined;
    journal.enter('cold_treasury', choose.get({ ...choice, journalSeq: journal.next() }), isFirst);
  };

  return {
    get: current,
    accounts: () => all.all().map(toAccount),
    account: (address) => accountIn(one.get(address)) ?? null,
    follow: ({ address, scannedTo }) => void add.run(address, scannedTo),
    choose({ address, since, scannedTo }) {
      add.run(address, scannedTo);
      enter({ address, since, stoppedAt: null });
    },
    forget: () => enter({ address: null, since: null, stoppedAt: null }),
    stop(stoppedAt) {
      const cold = current();
      invariant(cold !== null, 'there is a cold treasury to stop drawing on');
      enter({ address: cold.address, since: cold.since, stoppedAt });
    },
    pause: (address, until) => void pause.run(until, address),
    mark: sums.mark,
    read(address, { mark, ...reading }) {
      const row = one.get(address);
      const known = accountIn(row);
      if (known === undefined || !slots.admit(address, reading.slot)) return;
      // It was read in the slot of the draw, and may have shown it already: the draw was then taken off twice.
      const isTwice = (row as { moved_slot: bigint }).moved_slot === BigInt(known.slot);
      const granted = grantedAt(known, reading.allowance, isTwice ? sums.lastDrawn() : 0n);
      // A reading that was asked for before we recorded a draw may predate it, even within one slot.
      const asOf = sums.movedSince(mark) ? reading.slot - 1 : reading.slot;
      const told = known.told && isLow({ ...reading, granted }) ? 1 : 0;
      read.run({ ...reading, address, granted, told, asOf });
    },
    unchanged: (address, slot) => void slots.admit(address, slot),
    forgetBeyond(slot) {
      slots.forgetBeyond(slot);
      forget.run({ slot });
    },
    told: (address) => void tell.run(address),
    scanned: (address, signature) => void scanned.run(signature, address),
  };
};

/**
 * The owner set it anew, unless the difference is what an open draw takes, or a draw that was taken off once too often.
 * @param twice micro-USDC of that draw; 0 when there is none
 */
const grantedAt = ({ allowance: before, granted, pending }: ColdAccount, now: Usdc, twice: bigint): Usdc => {
  if (twice > 0n && now === before + twice) return granted;
  return now > before || (now < before && pending === 0n && now > 0n) ? now : granted;
};

const accountOf = (row: Columns): ColdAccount => ({
  address: row.text('address'),
  pausedUntil: row.integer('paused_until'),
  balance: row.usdc('balance'),
  allowance: row.usdc('allowance'),
  fault: row.wordOrNull('fault', coldFaultNames),
  granted: row.usdc('granted'),
  told: row.flag('told'),
  pending: row.usdc('pending'),
  doubt: row.usdc('doubt'),
  slot: row.integer('slot'),
  scannedTo: row.textOrNull('scanned_to'),
});

const toAccount = mapper('cold_account', accountOf);
const accountIn = ifAny(toAccount);

const coldIn = ifAny(
  mapper('cold_account', (row): ColdTreasury => ({
    ...accountOf(row),
    since: row.integer('since'),
    stoppedAt: row.integerOrNull('stopped_at'),
  })),
);
