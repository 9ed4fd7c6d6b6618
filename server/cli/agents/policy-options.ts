// The options of the fields of a policy, by the table of fields, and their values as the command prints them.
import { Option } from 'commander';
import { hoursText, type Hours } from '../../contract/limits/hours.ts';
import { serviceLimitsText, type ServiceLimits } from '../../contract/limits/service-limits.ts';
import {
  byKind,
  limitEntries,
  type FieldEntry,
  type PolicyField,
  type StatedLimits,
  type StatedPolicy,
} from '../../contract/limits/policy-fields.ts';
import { dateOrTime, limit, limitsAtServices, weekHours, wholeNumber } from '../arguments.ts';
import { flagOf } from '../command-row.ts';

const models = (text: string): string[] => text.split(',').map((one) => one.trim());
const services = (text: string): string[] => (text === 'any' ? [] : text.split(',').map((one) => one.trim()));

/** Commander treats a parsed null as a missing value, so `none` stays a word until it is sent. */
const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text);

export const optionOf = (name: PolicyField, field: FieldEntry): Option => {
  const { help } = field.command;
  const taking = (what: string, read?: (text: string) => unknown): Option => {
    const option = new Option(`${flagOf(name)} <${what}>`, help);
    if (read !== undefined) option.argParser(field.mayBeNone === true ? orNone(read) : read);
    return option;
  };
  return byKind(field, {
    amount: () => taking('usdc', limit),
    seconds: () => taking('n', wholeNumber),
    count: () => taking('n', wholeNumber),
    services: () => taking('ids', services),
    models: () => taking('models', models),
    choice: ({ options }) =>
      taking('what').choices([...Object.keys(options), ...(field.mayBeNone === true ? ['none'] : [])]),
    time: () => taking('time', dateOrTime),
    hours: () => taking('hours', weekHours),
    serviceLimits: () => taking('limits', limitsAtServices),
  });
};

/** The options of the limits of a group, of a delegated key or of the treasury. */
export const limitOptions = Object.fromEntries(
  limitEntries.map(([name, field]) => {
    const { help } = field.command;
    const mayBeNone = /, or (none|any)$/.test(help) ? help : `${help}, or none`;
    return [name, optionOf(name, { ...field, command: { ...field.command, help: mayBeNone } })];
  }),
);

/** The change that the options ask for. */
export const changeIn = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === 'none' ? null : value]));

/** The limits that are set, by their labels. */
export const setLimits = (limits: StatedLimits): (readonly [string, string])[] =>
  limitEntries.flatMap(([name, field]) => {
    const value = limits[name];
    const isNone = value === null || (Array.isArray(value) && value.length === 0);
    return isNone ? [] : [[field.command.label, printed(field, value)] as const];
  });

export const printed = (field: FieldEntry, value: StatedPolicy[PolicyField]): string => {
  if (value === null) return 'none';
  const text = String(value);
  return byKind(field, {
    amount: () => `${text} USDC`,
    seconds: () => `${text} s`,
    count: ({ short }) => `${text} ${short}`,
    services: () => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'any'),
    models: () => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'none'),
    choice: () => text,
    time: () => text,
    hours: () => hoursText(value as Hours),
    serviceLimits: () => serviceLimitsText(value as ServiceLimits<string>),
  });
};
