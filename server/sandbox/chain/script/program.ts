// A program of this runtime, and its calls of others.
import bs58 from 'bs58';

import { sameKey } from '../account.ts';
import type { Call, Party } from './instruction.ts';
import { refuse } from './refusal.ts';

export interface Program {
  /** A node is built with it, or it is deployed on the chain. */
  readonly kind: 'builtin' | 'deployed';
  /**
   * Returns what keeps its changes, where it made them on copies.
   * @throws Refusal
   */
  run(call: Call): (() => void) | undefined;
}

interface CalledParty {
  readonly key: Uint8Array;
  readonly signer?: boolean;
  readonly writable?: boolean;
}

/** The call of another program, with an address of the caller's own that signs for it. */
export interface InnerCall {
  readonly program: Uint8Array;
  readonly parties: readonly CalledParty[];
  readonly data: Uint8Array;
  readonly signer?: Uint8Array;
}

/** @throws Refusal of a call that gives more rights than the caller has, and every refusal of the program */
export const invoke = (caller: Call, inner: InnerCall): void => {
  const { machine } = caller;
  const parties = innerParties(caller, inner);
  const programIndex = indexOf(caller, inner.program);
  if (!caller.parties.some(({ index }) => index === programIndex)) {
    machine.log.add(`Unknown program ${bs58.encode(inner.program)}`);
    refuse('MissingAccount');
  }
  machine.run({
    machine,
    program: inner.program,
    programIndex,
    parties,
    data: inner.data,
    depth: caller.depth + 1,
    topIndex: caller.topIndex,
  });
};

/** A party that is passed twice has, at both places, the rights of both. */
const innerParties = (caller: Call, inner: InnerCall): Party[] => {
  const indexes = inner.parties.map(({ key }) => {
    const index = indexOf(caller, key);
    if (index < 0) {
      caller.machine.log.add(`Instruction references an unknown account ${bs58.encode(key)}`);
      refuse('MissingAccount');
    }
    return index;
  });
  return indexes.map((index, at) => {
    const same = inner.parties.filter((_, other) => indexes[other] === index);
    const right = {
      signer: same.some(({ signer }) => signer === true),
      writable: same.some(({ writable }) => writable === true),
    };
    const theirs = caller.parties.find((party) => party.index === index) ?? refuse('MissingAccount');
    if (indexes.indexOf(index) === at) checkRights(caller, theirs, right, inner.signer);
    return { ...theirs, ...right };
  });
};

const checkRights = (
  { machine }: Call,
  theirs: Party,
  right: { signer: boolean; writable: boolean },
  ownSigner: Uint8Array | undefined,
): void => {
  const escalated = (what: string): never => {
    machine.log.add(`${bs58.encode(theirs.key)}'s ${what} privilege escalated`);
    return refuse('PrivilegeEscalation');
  };
  if (right.writable && !theirs.writable) escalated('writable');
  const signs = theirs.signer || (ownSigner !== undefined && sameKey(ownSigner, theirs.key));
  if (right.signer && !signs) escalated('signer');
};

const indexOf = ({ machine }: Call, address: Uint8Array): number =>
  machine.keys.findIndex((key) => sameKey(key, address));
