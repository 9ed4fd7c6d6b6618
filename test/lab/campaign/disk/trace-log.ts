// Reads the output of `strace -xx -y`: with every string in hex, each call is one line.
import { readFileSync } from 'node:fs';

export interface SystemCall {
  thread: number;
  name: string;
  /** The target of the first argument's descriptor: a path, `TCP:[...]`, ...; null when it is no descriptor. */
  target: string | null;
  args: string;
  /** All of its bytes, joined. */
  data: Buffer;
  /** Null when it did not return. */
  result: number | null;
  injected: boolean;
  /** The line of its return; its place in the list is that of its beginning. */
  line: number;
  returnedLine: number;
}

const begun = /^(?:(\d+) +)?(\w+)\(/;
const resumed = /^(?:(\d+) +)?<\.\.\. (\w+) resumed>/;
const returned = /^(-?\d+|\?)(.*)$/;
const unfinished = ' <unfinished ...>';

/** A line's parts before and after ` = `. It is searched from the end: the beginning can be long. */
const halves = (text: string): { before: string; end: Pick<SystemCall, 'result' | 'injected'> | null } => {
  const at = text.lastIndexOf(' = ');
  const [, result, rest = ''] = at < 0 ? [] : (returned.exec(text.slice(at + 3)) ?? []);
  if (result === undefined) return { before: text, end: null };
  return {
    before: text.slice(0, at).trimEnd().replace(/\)$/, ''),
    end: { result: result === '?' ? null : Number(result), injected: rest.includes('(INJECTED)') },
  };
};

/** Every call in the order in which they began. */
export const readTrace = (file: string): SystemCall[] => {
  const calls: SystemCall[] = [];
  const open = new Map<number, SystemCall>();
  readFileSync(file, 'latin1')
    .split('\n')
    .forEach((text, line) => {
      const again = resumed.exec(text);
      if (again !== null) {
        const call = open.get(Number(again[1] ?? 0));
        if (call === undefined || call.name !== again[2]) return;
        open.delete(call.thread);
        Object.assign(call, { ...halves(text).end, returnedLine: line });
        return;
      }
      const [opening = '', thread, name] = begun.exec(text) ?? [];
      const { before, end } = halves(text);
      if (name === undefined || (end === null && !before.endsWith(unfinished))) return;
      const args = before.slice(opening.length, end === null ? -unfinished.length : undefined);
      const call = {
        thread: Number(thread ?? 0),
        name,
        target: targetOf(args),
        args,
        data: dataOf(args),
        line,
        returnedLine: line,
        ...(end ?? { result: null, injected: false }),
      };
      if (end === null) open.set(call.thread, call);
      calls.push(call);
    });
  return calls;
};

const targetOf = (args: string): string | null => {
  const found = /^\d+<(.*?)>(?=,|$)/.exec(args)?.[1];
  return found === undefined ? null : plain(found).toString();
};

const dataOf = (args: string): Buffer => {
  const parts = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => plain(hex));
  return Buffer.concat(parts);
};

/** The strings among its arguments, such as paths. */
export const stringsOf = ({ args }: Pick<SystemCall, 'args'>): string[] =>
  [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, hex = '']) => plain(hex).toString());

/** Decodes strace's hex; other text, such as `TCP:[`, stays. */
const plain = (text: string): Buffer =>
  text.includes('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1');
