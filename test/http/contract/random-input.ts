// Input of an attacker: mostly as a JSON schema asks for it, filled with values that are worth trying, sometimes with
// a field too many, a field too few or a value of another kind. The same for the same seed.

import type { Dice } from '../../harness/dice.ts';

/** The part of JSON Schema that our contract and tools use. */
export interface Schema {
  type?: string | string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
}

/** Values that are worth trying, by the field's name. */
export type Known = Readonly<Record<string, readonly [unknown, ...unknown[]]>>;

const wrong: readonly [unknown, ...unknown[]] = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  ' ',
  '0',
  '-1',
  '1e9',
  '0.0000001',
  '999999999.999999',
  'x'.repeat(3_000),
  '__proto__',
  '../../owner',
  "' OR 1=1 --",
  '\u202e\u0000',
  [],
  [[]],
  {},
  { length: 1 },
];
const texts: readonly [string, ...string[]] = ['a', 'weather', 'Zürich', '1.00', 'x'.repeat(40), '💸'];

export const createInput = (dice: Dice, known: Known) => {
  const value = (schema: Schema, name: string): unknown => {
    if (dice.isLucky(0.04)) return dice.pick(wrong);
    const choices = known[name];
    if (schema.type !== 'object' && schema.type !== 'array' && choices !== undefined)
      return dice.pick(choices);
    if (schema.const !== undefined) return schema.const;
    const [first, ...others] = schema.enum ?? [];
    if (first !== undefined) return dice.pick([first, ...others]);
    const [one, ...more] = schema.anyOf ?? schema.oneOf ?? [];
    if (one !== undefined) return value(dice.pick([one, ...more]), name);
    return ofType(schema, name);
  };

  const ofType = (schema: Schema, name: string): unknown => {
    if (schema.type === 'object') return object(schema);
    if (schema.type === 'array')
      return Array.from({ length: dice.pick([0, 1, 1, 2]) }, () => value(schema.items ?? {}, name));
    if (schema.type === 'boolean') return dice.isLucky(0.5);
    if (schema.type === 'number' || schema.type === 'integer') return dice.pick([0, 1, 20, 500, 86_400]);
    return dice.pick(texts);
  };

  const object = ({ properties = {}, required = [] }: Schema): Record<string, unknown> => {
    const made: Record<string, unknown> = {};
    const fields = Object.entries(properties);
    // Sometimes with one optional field alone: beside others it is refused because of theirs.
    const [alone] = dice.isLucky(0.3) ? (dice.pick([fields[0], ...fields]) ?? []) : [];
    for (const [name, schema] of fields) {
      const chance = required.includes(name) ? 0.97 : alone === undefined ? 0.4 : Number(name === alone);
      if (dice.isLucky(chance)) made[name] = value(schema, name);
    }
    if (dice.isLucky(0.03)) made[dice.pick(['owner', 'role', 'agentId', 'constructor'])] = dice.pick(wrong);
    return made;
  };

  return { value, object };
};
