// The runtime in TypeScript alone: for systems where LiteSVM has no binary. It knows the programs that the treasury,
// its sellers and their clients use (programs.ts), and refuses every other by its name.
import type { Outcome, Runtime, Simulation } from '../runtime.ts';
import { loadTransaction, type LoadedTransaction } from './loading.ts';
import { createMachine, runTransaction } from './processing.ts';
import { TransactionRefusal } from './refusal.ts';
import { rentExemption } from './rent.ts';
import { createWorld, type World } from './world.ts';

export const createScriptRuntime = (): Runtime => {
  const world = createWorld();
  return {
    read: world.read,
    lamports: (address) => world.read(address)?.lamports ?? 0n,
    readOwnedBy: (address, isOwner) => {
      const account = world.read(address);
      return account && isOwner(account.owner) ? account : null;
    },
    write: world.write,
    programAccounts: world.ownedBy,
    execute: (wire) => execute(world, wire),
    simulate: (wire, verifySignatures) => simulate(world, wire, verifySignatures),
    setTime: world.setTime,
    setSlotHashes: (hashes) => void (world.recentSlots = new Set(hashes.map(({ slot }) => slot))),
    rentExemption: (bytes) => Number(rentExemption(bytes)),
  };
};

interface Run {
  readonly outcome: Outcome;
  /** Null for a transaction that nobody is charged for. */
  readonly loaded: LoadedTransaction | null;
}

const run = (world: World, wire: Uint8Array, verifiesSignatures: boolean): Run => {
  let loaded: LoadedTransaction;
  try {
    loaded = loadTransaction(world, wire, verifiesSignatures);
  } catch (error) {
    if (!(error instanceof TransactionRefusal)) throw error;
    return { outcome: { err: error.error, logs: [], units: 0, inner: [], returned: null }, loaded: null };
  }
  const machine = createMachine(loaded);
  const units = machine.unitsLeft;
  const err = runTransaction(machine, loaded);
  const { returned } = machine;
  const outcome = {
    err,
    logs: [...machine.log.lines],
    units: units - machine.unitsLeft,
    inner: [...machine.inner.entries()].filter(([, calls]) => calls.length > 0),
    returned: returned.data.length > 0 ? returned : null,
  };
  return { outcome, loaded: err === 'InvalidProgramForExecution' ? null : loaded };
};

const execute = (world: World, wire: Uint8Array): Outcome => {
  const { outcome, loaded } = run(world, wire, true);
  if (loaded === null) return outcome;
  if (outcome.err === null) {
    for (const { address, account } of writtenBy(loaded)) world.write(address, account);
    return outcome;
  }
  const [payer, before] = [loaded.keys[0], loaded.before[0]];
  if (payer && before) world.write(payer, { ...before, lamports: before.lamports - loaded.fee });
  return outcome;
};

const simulate = (world: World, wire: Uint8Array, verifySignatures: boolean): Simulation => {
  const { outcome, loaded } = run(world, wire, verifySignatures);
  const written = outcome.err === null && loaded ? writtenBy(loaded) : [];
  return { ...outcome, written: written.filter(({ account }) => account.lamports > 0n) };
};

/** Copies, so that no account keeps the bytes of a whole transaction alive. */
const writtenBy = ({ keys, accounts, before, writable }: LoadedTransaction): WrittenAccount[] =>
  accounts.flatMap((account, index) => {
    const address = keys[index];
    if (!address || !writable[index]) return [];
    const { owner, data } = account;
    const old = before[index];
    const copy = {
      ...account,
      owner: old?.owner === owner ? owner : Uint8Array.from(owner),
      data: old?.data === data ? data : Uint8Array.from(data),
    };
    return [{ address, account: copy }];
  });

type WrittenAccount = Simulation['written'][number];
