// What a command of a random life is made of.
import type { Arbitrary, AsyncCommand } from 'fast-check';
import type { Life } from '../life.ts';
import type { Ask } from '../judge/notes.ts';

/** The commands' own state: the keys that were used. */
export interface Memory {
  asks: Ask[];
}
export type Command = AsyncCommand<Memory, Life>;

const named = (name: string, run: (memory: Memory, life: Life) => Promise<void>): Command => ({
  check: () => true,
  run,
  toString: () => name,
});

/** An arbitrary of one kind of command, shown with its values. */
export const of = <T>(
  name: string,
  values: Arbitrary<T>,
  run: (values: T, memory: Memory, life: Life) => Promise<void>,
): Arbitrary<Command> =>
  values.map((drawn) => named(`${name} ${shown(drawn)}`, (memory, life) => run(drawn, memory, life)));

const shown = (value: unknown): string =>
  value === null
    ? ''
    : JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));
