// Opens the gate to the network: at the start, or by itself once an RPC answers that did not at the start.
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { NetworkGate, NetworkWait } from '../lib/net/network-gate.ts';
import { repeat } from '../lib/repeat.ts';
import type { Log } from '../log.ts';

export interface HostGate extends NetworkGate {
  /** An RPC has shown that it serves this treasury's chain. */
  checked(): void;
  /** The rest of the start is done: from now on the treasury signs and sends. */
  open(): void;
  /** Notes why the start cannot go on, where the RPC itself is not the reason. */
  waits(error: unknown): void;
}

/**
 * Closed.
 * @param host of the RPC, with its port
 * @param why the RPC gives no answer, as a clause; null while it answers
 */
export const createGate = (host: string, why: () => string | null): HostGate => {
  let isChecked = false;
  let wait: NetworkWait | null = { since: Date.now(), host, why: 'it has not answered yet' };
  return {
    wait: () => (wait === null ? null : { ...wait, why: why() ?? wait.why }),
    isChecked: () => isChecked,
    checked() {
      isChecked = true;
    },
    open() {
      wait = null;
    },
    waits(error) {
      const message = error instanceof Error ? error.message : String(error);
      if (wait !== null) wait = { ...wait, why: message.replace(/\.$/, '') };
    },
  };
};

/** A treasury that knows its chain comes up without it after so long. */
const patienceMs = 3_000;

/**
 * Waits for the check, as long as a start does. The gate shows whether it succeeded.
 * @throws what the check throws, except `chain_unreachable`
 */
export const checkSoon = async (check: () => Promise<void>, gate: HostGate): Promise<void> => {
  const ended = new AbortController();
  const asked = check().catch((error: unknown) => {
    gate.waits(error);
    if (!(error instanceof AppError && error.code === 'chain_unreachable')) throw error;
  });
  const late = pause(patienceMs, undefined, { signal: ended.signal, ref: false }).catch(() => {});
  // A check that fails later than that is repeated, and fails again.
  asked.catch(() => {});
  return Promise.race([asked, late]).finally(() => ended.abort());
};

const retryMs = 2_000;

/** Tries the rest of the start until it succeeds. Returns a function that ends the trying, and waits for the last try. */
export const goOnOnceReached = (
  goOn: () => Promise<void>,
  gate: HostGate,
  log: Log,
): (() => Promise<void>) => {
  const trying = repeat(
    async () => {
      await goOn();
      gate.open();
      log.info('the network is reached: the start is complete');
      void trying.stop();
    },
    retryMs,
    gate.waits,
  );
  trying.start();
  return trying.stop;
};
