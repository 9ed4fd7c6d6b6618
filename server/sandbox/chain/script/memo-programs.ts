// Both Memo programs: the current one writes signers and text to the log, the first one only checks the text.
import { isUtf8 } from 'node:buffer';
import bs58 from 'bs58';

import type { Call } from './instruction.ts';
import { spendSteps, spendUnits } from './instruction.ts';
import type { Program } from './program.ts';
import { Refusal, refuse } from './refusal.ts';
import { utf8Fault } from './utf8-fault.ts';

/** The least that a line of the log costs; a longer one costs a unit for each byte. */
const lineUnits = 100;

export const memoProgram: Program = {
  kind: 'deployed',
  run: (call) => {
    const { length } = call.data;
    spendSteps(call, 4);
    if (call.parties.length > 0) logSigners(call);
    spendSteps(call, length === 0 ? 26 : 55 + 13 * String(length).length);
    log(call, `Memo (len ${length})`);
    logText(call);
    spendSteps(call, 2);
    return undefined;
  },
};

const logText = (call: Call): void => {
  spendUnits(call, Math.max(lineUnits, call.data.length));
  const fault = utf8Fault(call.data);
  if (fault !== null)
    throw new Refusal('ProgramFailedToComplete', `${fault}: [${[...call.data].join(', ')}]`);
  call.machine.log.add(`Program log: ${Buffer.from(call.data).toString()}`);
};

/** An account that is passed twice is named once. */
const logSigners = (call: Call): void => {
  spendSteps(call, 11);
  log(call, 'Signed by:');
  const seen = new Set<number>();
  let isMissing = false;
  for (const { index, key, signer } of call.parties) {
    const isNew = !seen.has(index);
    spendSteps(call, isNew ? 15 : 6);
    if (isNew && signer) log(call, bs58.encode(key));
    isMissing ||= isNew && !signer;
    seen.add(index);
  }
  if (isMissing) refuse('MissingRequiredSignature');
};

const log = (call: Call, line: string): void => {
  spendUnits(call, lineUnits);
  call.machine.log.add(`Program log: ${line}`);
};

export const memoV1Program: Program = {
  kind: 'deployed',
  run: (call) => {
    const { length } = call.data;
    spendSteps(call, 232 + 269 * call.parties.length + (length === 0 ? 0 : 60 + Math.ceil(length / 2)));
    return isUtf8(call.data) ? undefined : refuse('InvalidInstructionData');
  },
};
