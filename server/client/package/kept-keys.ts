// Idempotency keys of requests whose answers have not come whole. Each is the name of a file, written before the request
// is sent, which holds the most that the request may cost: a program that is started again finds it, and goes on with the same payment. Programs that share a
// folder and make equal requests at the same time share a payment, since nobody can tell a restart from a neighbor.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { repeatedWithinMs } from '../../contract/payments/wishes.ts';
import { syncFolder } from '../../lib/files/durable-files.ts';
import { parseUsdc } from '../../money.ts';
import { TreasuryError } from './treasury-error.ts';

export interface KeptKey {
  idempotencyKey: string;
  /** In USDC; empty for no maximum. The treasury refuses another than the first, which is why a higher one is not sent. */
  maxAmount: string;
  /** A request under it may have been taken: it is kept until its end is known. */
  mayBeUsed: boolean;
  /** The answer came whole, or nothing was paid: an equal request is a new purchase, unless a later one goes on with it. */
  forget(): void;
  /** The answer came whole and was paid for, and delivers nothing: for a while, an equal request goes on with it. */
  forgetLater(): void;
  /** The answer has begun, or the request is over without it: the next equal one goes on with it. */
  release(): void;
}

export interface KeptKeys {
  /**
   * @param digest of the request, in hex
   * @param maxAmount the most that it may cost; empty for no maximum
   * @throws TreasuryError `keys_full`; Error when the folder cannot be written
   */
  take(digest: string, maxAmount: string): KeptKey;
}

/** The treasury keeps answers for a day, and refuses to pay again for ever: longer than that, for clocks that are set. */
const keptMs = 2 * 86_400_000;
const most = 1_000;
const named = /^([0-9a-f]{64})-([0-9a-f]{32})$/;

/** By file, the last request of this process that took it; its folder may be that of several clients. */
const holders = new Map<string, { isUnderWay: boolean }>();

export const createKeptKeys = (folder: string): KeptKeys => {
  const fileOf = (name: string): string => resolve(folder, name);
  const isUnderWay = (name: string): boolean => holders.get(fileOf(name))?.isUnderWay === true;

  const left = (): string[] => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const names = readdirSync(folder).filter((name) => named.test(name));
    const old = new Set(names.filter((name) => !isUnderWay(name) && isOlderThan(fileOf(name), keptMs)));
    for (const name of old) rmSync(fileOf(name), { force: true });
    return names.filter((name) => !old.has(name));
  };

  return {
    take(digest, maxAmount) {
      const names = left();
      const found = names.filter((name) => !isUnderWay(name)).find((name) => name.startsWith(digest));
      if (found === undefined && names.length >= most) throw full(folder);
      const name = found ?? `${digest}-${randomBytes(16).toString('hex')}`;
      const file = fileOf(name);
      if (found === undefined) create(file, maxAmount);
      const holder = { isUnderWay: true };
      holders.set(file, holder);
      return {
        idempotencyKey: name.slice(digest.length + 1),
        maxAmount: found === undefined ? maxAmount : lower(textIn(file), maxAmount),
        mayBeUsed: found !== undefined,
        forget() {
          if (holders.get(file) !== holder) return;
          holders.delete(file);
          rmSync(file, { force: true });
        },
        forgetLater() {
          holder.isUnderWay = false;
          age(file, keptMs - repeatedWithinMs);
        },
        release: () => void (holder.isUnderWay = false),
      };
    },
  };
};

/** On disk when it returns. */
const create = (file: string, text: string): void => {
  const opened = openSync(file, 'wx', 0o600);
  writeSync(opened, text);
  fsyncSync(opened);
  closeSync(opened);
  syncFolder(dirname(file));
};

/** Empty when another program has just forgotten the key. */
const textIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const lower = (first: string, asked: string): string => {
  if (first === '' || asked === '') return first || asked;
  return (parseUsdc(asked) ?? 0n) < (parseUsdc(first) ?? 0n) ? asked : first;
};

/** Makes it at least as old as this, and never younger. It may be gone: another program has forgotten the key. */
const age = (file: string, ms: number): void => {
  const at = (Date.now() - ms) / 1_000;
  if (isOlderThan(file, ms)) return;
  try {
    utimesSync(file, at, at);
  } catch {}
};

const isOlderThan = (file: string, ms: number): boolean => {
  try {
    return Date.now() - statSync(file).mtimeMs > ms;
  } catch {
    return true;
  }
};

const full = (folder: string): TreasuryError =>
  new TreasuryError(
    'keys_full',
    `${folder} holds the keys of ${most} paid requests whose answers were never read to their end. Nothing was sent.`,
  );
