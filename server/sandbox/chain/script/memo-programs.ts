// Both Memo programs: the current one writes signers and text to the log, the first one only checks the text.
import { isUtf8 } from 'node:buffer';
import bs58 from 'bs58';
import { type Call, spendSteps, spendUnits } from './instruction.ts';
import type { Program } from './program.ts';
import { Refusal, refuse } from './refusal.ts';

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

// Where and how a text breaks off being UTF-8, in the words of the programs' own language.

/** Null for a text that is UTF-8. */
const utf8Fault = (bytes: Uint8Array): string | null => {
  if (isUtf8(bytes)) return null;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    const valid = validPrefix(bytes, at, length);
    if (length > 0 && valid === length) at += length;
    else if (length > 0 && at + valid === bytes.length)
      return `incomplete utf-8 byte sequence from index ${at}`;
    else return `invalid utf-8 sequence of ${Math.max(1, valid)} bytes from index ${at}`;
  }
  return null;
};

/** Bytes of the sequence that begins here; 0 when none can. */
const sequenceLength = (bytes: Uint8Array, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
};

/** How many bytes from here fit the sequence: the second has limits of its own. */
const validPrefix = (bytes: Uint8Array, at: number, length: number): number => {
  const least = { 0xe0: 0xa0, 0xf0: 0x90 }[bytes[at] ?? 0] ?? 0x80;
  const most = { 0xed: 0x9f, 0xf4: 0x8f }[bytes[at] ?? 0] ?? 0xbf;
  for (let offset = 1; offset < length; offset += 1) {
    const byte = bytes[at + offset] ?? -1;
    const fits = offset === 1 ? byte >= least && byte <= most : byte >= 0x80 && byte <= 0xbf;
    if (!fits) return offset;
  }
  return length;
};
