// Both Memo programs: the current one writes signers and text to the log, the first one only checks the text.
import { isUtf8 } from 'node:buffer';
import bs58 from 'bs58';

import type { Call } from './instruction.ts';
import { spendSteps, spendUnits } from './instruction.ts';
import type { Program } from './program.ts';
import { Refusal, refuse } from './refusal.ts';
import { utf8Fault } from './utf8-fault.ts';

/** The least that a line of the log costs, and what each of its bytes beyond that costs. */
const lineUnits = 100;

export const memoProgram: Program = {
  kind: 'deployed',
  run: (call) => {
    spendSteps(call, 10);
    if (call.parties.length > 0) logSigners(call);
    spendSteps(call, 22);
    log(call, `Memo (len ${call.data.length})`);
    const fault = utf8Fault(call.data);
    spendUnits(call, Math.max(lineUnits, call.data.length));
    if (fault !== null)
      throw new Refusal('ProgramFailedToComplete', `${fault}: [${[...call.data].join(', ')}]`);
    call.machine.log.add(`Program log: ${Buffer.from(call.data).toString()}`);
    return undefined;
  },
};

/** An account that is passed twice is named once. */
const logSigners = (call: Call): void => {
  log(call, 'Signed by:');
  const seen = new Set<number>();
  let isMissing = false;
  for (const { index, key, signer } of call.parties) {
    if (!seen.has(index)) {
      if (signer) log(call, bs58.encode(key));
      else isMissing = true;
    }
    seen.add(index);
  }
  if (isMissing) refuse('MissingRequiredSignature');
};

const log = (call: Call, line: string): void => {
  spendUnits(call, Math.max(lineUnits, Buffer.byteLength(line)));
  call.machine.log.add(`Program log: ${line}`);
};

export const memoV1Program: Program = {
  kind: 'deployed',
  run: (call) => {
    spendSteps(call, 232 + call.data.length);
    return isUtf8(call.data) ? undefined : refuse('InvalidInstructionData');
  },
};
