// The Solana runtime itself: LiteSVM without its own blockhash check and history, since the chain keeps both. We use
// its inner class: the public one loads all of @solana/kit (0.2 s and 40 MB) for conversions that we do not need.
import type litesvm from 'litesvm/dist/internal.js';

import type { Account } from './account.ts';
import type { InnerInstruction, Outcome, Runtime } from './runtime.ts';
import { errorFromNative } from './transaction-error.ts';

type Svm = typeof litesvm;

export const createLiteSvmRuntime = (svm: Svm): Runtime => {
  const machine = new svm.LiteSvm();
  machine.setBlockhashCheck(false);
  machine.setTransactionHistory(0n);
  const empty = new Uint8Array();
  const systemProgram = new Uint8Array(32);

  const outcome = (result: NativeResult): Outcome => {
    const failed = result instanceof svm.FailedTransactionMetadata;
    const meta = failed ? result.meta() : result;
    const returned = meta.returnData();
    const data = returned.data();
    return {
      err: failed ? errorFromNative(result.err()) : null,
      logs: meta.logs(),
      units: Number(meta.computeUnitsConsumed()),
      inner: innerInstructions(meta),
      returned: data.length > 0 ? { program: returned.programId(), data } : null,
    };
  };
  return {
    read: (address) => fromNative(machine.getAccount(address)),
    lamports: (address) => machine.getBalance(address) ?? 0n,
    readOwnedBy: (address, isOwner) => {
      const account = machine.getAccount(address);
      return account && isOwner(account.owner()) ? fromNative(account) : null;
    },
    write: (address, account) => {
      const { lamports, data, owner, executable } = account ?? {
        lamports: 0n,
        data: empty,
        owner: systemProgram,
        executable: false,
      };
      machine.setAccount(address, new svm.Account(lamports, data, owner, executable, neverRent));
    },
    programAccounts: (program) =>
      machine.getProgramAccounts(program).flatMap((entry) => {
        const account = fromNative(entry.account());
        return account ? [{ address: entry.address, account }] : [];
      }),
    execute: (wire) => outcome(machine.sendVersionedTransaction(wire)),
    simulate: (wire, verifySignatures) => {
      machine.setSigverify(verifySignatures);
      const result = machine.simulateVersionedTransaction(wire);
      machine.setSigverify(true);
      if (result instanceof svm.FailedTransactionMetadata) return { ...outcome(result), written: [] };
      return {
        ...outcome(result.meta()),
        written: result.postAccounts().flatMap((entry) => {
          const account = fromNative(entry.account());
          return account ? [{ address: entry.address, account }] : [];
        }),
      };
    },
    setTime: (slot, unixSeconds) =>
      machine.setClock(new svm.Clock(BigInt(slot), 0n, 0n, 1n, BigInt(unixSeconds))),
    setSlotHashes: (hashes) => machine.setSlotHashes(hashes),
    rentExemption: (bytes) => Number(machine.minimumBalanceForRentExemption(BigInt(bytes))),
  };
};

const neverRent = 0xffff_ffff_ffff_ffffn;

type NativeMeta = InstanceType<Svm['TransactionMetadata']>;
type NativeResult = NativeMeta | InstanceType<Svm['FailedTransactionMetadata']>;

/** An account without lamports does not exist. */
const fromNative = (native: InstanceType<Svm['Account']> | null): Account | null => {
  const lamports = native?.lamports() ?? 0n;
  return native === null || lamports === 0n
    ? null
    : { lamports, owner: native.owner(), executable: native.executable(), data: native.data() };
};

const innerInstructions = (meta: NativeMeta): Outcome['inner'] =>
  meta.innerInstructions().flatMap((list, index) =>
    list.length === 0
      ? []
      : [
          [
            index,
            list.map((inner): InnerInstruction => {
              const called = inner.instruction();
              return [
                called.programIdIndex(),
                hex(called.accounts()),
                hex(called.data()),
                inner.stackHeight(),
              ];
            }),
          ],
        ],
  );

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
