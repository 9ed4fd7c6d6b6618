// The register of conditions: all that holds now and the owner should know, each said once. The banners, the overview's
// "For you", the tray, the command and the doctor read it, so that all of them say the same. It is a pure function of facts.
// Notices are no part of it: they are events, written when they happen. Times in a text are ISO 8601; each reader shows them
// in its own way. Agents are told nothing of it. After Tailscale's health package.
import type { ConditionFacts, Entry, Severity, Words } from './facts.ts';
import { money } from './money.ts';
import { reminders } from './reminders.ts';
import { stops } from './stops.ts';

/** In the order in which they are shown. */
const register = { ...stops, ...money, ...reminders };

export type ConditionCode = keyof typeof register;
export const conditionCodes = Object.keys(register) as [ConditionCode, ...ConditionCode[]];

export interface Condition extends Words {
  code: ConditionCode;
  severity: Severity;
  isEverywhere: boolean;
}

export const severityOf = (code: ConditionCode): Severity => register[code].severity;
/** The consequences that are not shown beside it. */
export const hiddenBy = (code: ConditionCode): readonly string[] => (register[code] as Entry).hides ?? [];

/** Those in force, without the consequences of others. */
export const conditionsOf = (facts: ConditionFacts): Condition[] => {
  const found = conditionCodes.flatMap((code): Condition[] => {
    const entry: Entry = register[code];
    const words = entry.find(facts);
    return [words || []]
      .flat()
      .map((one) => ({ code, severity: entry.severity, isEverywhere: entry.isEverywhere === true, ...one }));
  });
  const hidden = new Set(found.flatMap(({ code }) => hiddenBy(code)));
  return found.filter(({ code }) => !hidden.has(code));
};
