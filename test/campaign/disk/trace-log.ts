// Reads what `strace -xx -y` wrote: with every string in hex, each call is one line whatever it carried.
import { readFileSync } from 'node:fs';

export interface SystemCall {
  thread: number;
  name: string;
  /** What the first argument's descriptor points to: a path, `TCP:[...]`, ...; null where it is none. */
  target: string | null;
  args: string;
  /** All that it carried, joined. */
  data: Buffer;
  /** Null: it did not return. */
  result: number | null;
  injected: boolean;
  /** The line of its return; its own place in the list is that of its beginning. */
  line: number;
  returnedLine: number;
}

const begun = /^(?:(\d+) +)?(\w+)\((.*?)(?: <unfinished \.\.\.>|\)?\s+= (-?\d+|\?)(.*))$/;
const resumed = /^(?:(\d+) +)?<\.\.\. (\w+) resumed>.*?\)?\s+= (-?\d+|\?)(.*)$/;

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
        Object.assign(call, { ...endOf(again[3], again[4]), returnedLine: line });
        return;
      }
      const [, thread, name, args, result, rest] = begun.exec(text) ?? [];
      if (name === undefined || args === undefined) return;
      const call = {
        thread: Number(thread ?? 0),
        name,
        target: targetOf(args),
        args,
        data: dataOf(args),
        line,
        returnedLine: line,
        ...endOf(result, rest),
      };
      if (result === undefined) open.set(call.thread, call);
      calls.push(call);
    });
  return calls;
};

const endOf = (result: string | undefined, rest = ''): Pick<SystemCall, 'result' | 'injected'> => ({
  result: result === undefined || result === '?' ? null : Number(result),
  injected: rest.includes('(INJECTED)'),
});

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

/** Hex as strace writes it; what it leaves as it is, such as `TCP:[`, stays. */
const plain = (text: string): Buffer =>
  text.includes('\\x') ? Buffer.from(text.replaceAll('\\x', ''), 'hex') : Buffer.from(text, 'latin1');
