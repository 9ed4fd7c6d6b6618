// The snapshot that every screen draws: treasury, agents, open requests, stops. It is read whole after each event.
// Screens send commands and wait for the next snapshot.
import { create } from 'zustand';
import type { Reply } from '../../server/contract/schemas.ts';
import { ask } from '../api/owner.ts';

export type Snapshot = Reply<'dashboard'>;
export type AgentSummary = Snapshot['agents'][number];

/** The number of requests that wait for the owner. */
export const waitingIn = ({ pendingApprovals, pendingLogins, pendingLinks }: Snapshot): number =>
  pendingApprovals + pendingLogins + pendingLinks;

interface TreasuryState {
  snapshot: Snapshot | null;
  /** Why it could not be read. */
  error: Error | null;
}

export const useTreasury = create<TreasuryState>(() => ({ snapshot: null, error: null }));

const none: readonly AgentSummary[] = [];
/** Those in use; none until the first snapshot. */
export const useAgents = (): readonly AgentSummary[] =>
  useTreasury(({ snapshot }) => snapshot?.agents) ?? none;

const coalesceMs = 100;
/** The window of 24 hours moves without any event. */
const longestMs = 60_000;
let timer: ReturnType<typeof setTimeout> | undefined;
let reading: Promise<void> | null = null;
let again = false;
let isSoon = false;

const read = async (): Promise<void> => {
  try {
    useTreasury.setState({ snapshot: await ask('dashboard'), error: null });
  } catch (error) {
    useTreasury.setState({ error: error instanceof Error ? error : new Error(String(error)) });
  }
};

/** Reads the snapshot now; a call during a reading starts one more after it. */
export const refresh = async (): Promise<void> => {
  if (reading !== null) {
    again = true;
    return reading;
  }
  do {
    again = false;
    reading = read();
    await reading;
    reading = null;
  } while (again);
  if (!isSoon) schedule(longestMs);
};

/** Reads the snapshot soon, once for a burst of events; a steady flow of them does not delay it. */
export const refreshSoon = (): void => {
  if (!isSoon) schedule(coalesceMs);
  isSoon = true;
};

const schedule = (ms: number): void => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    isSoon = false;
    void refresh();
  }, ms);
};

export const forget = (): void => {
  clearTimeout(timer);
  isSoon = false;
  useTreasury.setState({ snapshot: null, error: null });
};
