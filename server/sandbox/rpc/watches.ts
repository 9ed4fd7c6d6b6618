// Watches for clients: signatures, accounts, logs, slots. A watcher is notified of a commitment when it is reached, or at
// once if it was reached before.
import bs58 from 'bs58';

import { mintDecimals, sameKey } from '../chain/account.ts';
import type { Landed } from '../chain/bank.ts';
import type { Chain } from '../chain/chain.ts';
import { isSkipped, type Commitment } from '../chain/clock.ts';
import { keyText } from '../../lib/solana/wire.ts';
import { renderAccount } from '../views/account-view.ts';
import { accountShape } from './account-shape.ts';
import { withContext } from './context.ts';
import { invalidParams } from './errors.ts';
import {
  addressParam,
  commitmentOf,
  configParam,
  flag,
  listParam,
  signatureParam,
  type Params,
} from './params.ts';
import type { Schedule } from './schedule.ts';

interface Watcher {
  tell(result: unknown): void;
  /** Tells, and ends the watch. */
  tellLast(result: unknown): void;
  afterAnswer(run: () => void): void;
}

type Stop = () => void;
/** Starts a watch. Returns a function that stops it. */
type Watch = (params: Params, watcher: Watcher) => Stop;

export const watchKinds = ['signature', 'account', 'logs', 'slot', 'root'] as const;
export type WatchKind = (typeof watchKinds)[number];
export type Watches = Readonly<Record<WatchKind, Watch>>;

type Listener = (landed: Landed) => void;

interface Watching {
  chain: Chain;
  schedule: Schedule;
  /** Listeners for one signature, by its text. */
  onSignature: Map<string, Set<Listener>>;
  onAny: Set<Listener>;
}

export const createWatches = (chain: Chain, schedule: Schedule): Watches => {
  const watching: Watching = { chain, schedule, onSignature: new Map(), onAny: new Set() };
  const { onSignature, onAny } = watching;
  chain.bank.onLanded((landed) => {
    for (const listener of onSignature.get(keyText(landed.signature)) ?? []) listener(landed);
    for (const listener of onAny) listener(landed);
  });
  return {
    signature: (params, watcher) => watchSignature(watching, params, watcher),
    account: (params, watcher) => watchAccount(watching, params, watcher),
    logs: (params, watcher) => watchLogs(watching, params, watcher),
    slot: (_, watcher) =>
      watchSlots(watching, 'processed', (slot) =>
        watcher.tell({
          slot,
          parent: isSkipped(slot - 1) ? slot - 2 : slot - 1,
          root: chain.clock.slot('finalized'),
        }),
      ),
    root: (_, watcher) => watchSlots(watching, 'finalized', (slot) => watcher.tell(slot)),
  };
};

const watchSignature = (
  { chain, schedule, onSignature }: Watching,
  [signatureText, configParams]: Params,
  watcher: Watcher,
): Stop => {
  const { clock, ledger } = chain;
  const bytes = signatureParam(signatureText);
  const config = configParam(configParams);
  const commitment = commitmentOf(config);
  const isReceivedWanted = flag(config['enableReceivedNotification']);
  let isLanded = false;
  let callOff = nothing;
  const settle = (atMs: number, err: unknown): void => {
    isLanded = true;
    callOff = schedule.at(atMs + clock.lagMs[commitment], () =>
      watcher.tellLast(withContext(clock.slot(commitment), { err })),
    );
  };
  const stop = listen(onSignature, keyText(bytes), ({ slot, atMs, err }) => {
    if (isReceivedWanted) watcher.tell(withContext(slot, 'receivedSignature'));
    settle(atMs, err);
  });
  watcher.afterAnswer(() => {
    const row = isLanded ? undefined : ledger.status(bytes);
    if (row) settle(row.atMs, row.err === null ? null : JSON.parse(row.err));
  });
  return () => {
    stop();
    callOff();
  };
};

const watchAccount = (watching: Watching, [address, configParams]: Params, watcher: Watcher): Stop => {
  const { accounts } = watching.chain;
  const key = addressParam(address);
  const config = configParam(configParams);
  const shape = accountShape(config);
  const decimalsOf = (mint: Uint8Array): number | null => mintDecimals(accounts.read(mint, 'processed'));
  return watchLandings(watching, commitmentOf(config), watcher, ({ keys, slot }) => {
    if (!keys.some((loaded) => loaded.writable && sameKey(loaded.key, key))) return null;
    const newest = accounts.read(key, 'processed') ?? closedAccount;
    return withContext(slot, renderAccount(newest, shape, decimalsOf));
  });
};

const watchLogs = (watching: Watching, [filter, configParams]: Params, watcher: Watcher): Stop => {
  const mentioned = mentions(filter);
  const commitment = commitmentOf(configParam(configParams));
  return watchLandings(watching, commitment, watcher, ({ signature, slot, err, logs, keys }) => {
    const isWanted = mentioned === null || keys.some(({ key }) => sameKey(key, mentioned));
    return isWanted ? withContext(slot, { signature: bs58.encode(signature), err, logs }) : null;
  });
};

/** Reports every landed transaction for which `resultOf` returns a result, when its commitment is reached. */
const watchLandings = (
  { chain, schedule, onAny }: Watching,
  commitment: Commitment,
  watcher: Watcher,
  resultOf: (landed: Landed) => object | null,
): Stop => {
  const listener: Listener = (landed) => {
    const result = resultOf(landed);
    if (result) schedule.at(landed.atMs + chain.clock.lagMs[commitment], () => watcher.tell(result));
  };
  onAny.add(listener);
  return () => void onAny.delete(listener);
};

const watchSlots = (
  { chain, schedule }: Watching,
  commitment: Commitment,
  tell: (slot: number) => void,
): Stop => {
  const { clock } = chain;
  let announced = clock.slot(commitment);
  let callOff = nothing;
  const tick = (): void => {
    const slot = clock.slot(commitment);
    if (slot > announced) tell(slot);
    announced = slot;
    callOff = schedule.at(clock.now() + clock.slotMs, tick);
  };
  callOff = schedule.at(clock.now() + clock.slotMs, tick);
  return () => callOff();
};

const listen = (map: Map<string, Set<Listener>>, key: string, listener: Listener): Stop => {
  const listeners = map.get(key) ?? new Set();
  map.set(key, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) map.delete(key);
  };
};

const mentions = (filter: unknown): Uint8Array | null => {
  if (filter === 'all' || filter === 'allWithVotes') return null;
  const [address] = listParam(configParam(filter)['mentions'], 1);
  if (address === undefined) throw invalidParams('Invalid Request: Only 1 address supported');
  return addressParam(address);
};

const closedAccount = {
  lamports: 0n,
  owner: new Uint8Array(32),
  executable: false,
  data: new Uint8Array(),
};
const nothing = (): void => {};
