// `treasury policy`: prints an agent's policy, or changes the given fields.
import { Option, type Command } from 'commander';
import {
  byKind,
  fieldEntries,
  type FieldEntry,
  type PolicyField,
  type ToldPolicy,
} from '../contract/policy-fields.ts';
import type { Reply } from '../contract/schemas.ts';
import { hoursText, type Hours } from '../contract/hours.ts';
import { dateOrTime, limit, reasonFrom, reasonOption, weekHours, wholeNumber } from './arguments.ts';
import { asAgentOrOwner, showAnswer } from './session.ts';
import { facts } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Commander derives these names from the options; they equal the API's. */
type Change = Record<string, unknown> & { reason?: string };

const services = (text: string): string[] => (text === 'any' ? [] : text.split(',').map((one) => one.trim()));

/** Commander treats a parsed null as a missing value, so `none` stays a word until it is sent. */
const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text);

/** `dailyBudget` as `--daily-budget`. */
const flagOf = (name: PolicyField): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const optionOf = (name: PolicyField, field: FieldEntry): Option => {
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
    choice: ({ options }) =>
      taking('what').choices([...Object.keys(options), ...(field.mayBeNone === true ? ['none'] : [])]),
    time: () => taking('time', dateOrTime),
    hours: () => taking('hours', weekHours),
  });
};

export const addPolicy = (program: Command, terminal: () => Terminal): void => {
  const command = program
    .command('policy <agent>')
    .description('print an agent’s policy, or change the fields that are given');
  for (const [name, field] of fieldEntries) command.addOption(optionOf(name, field));
  command
    .option(...reasonOption)
    .action((agentId: string, change: Change) => policy(terminal(), agentId, change));
};

const policy = async (terminal: Terminal, agentId: string, given: Change): Promise<void> => {
  const session = asAgentOrOwner(terminal);
  const params = { agentId };
  const { reason, ...fields } = given;
  const change = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value === 'none' ? null : value]),
  );
  const isRead = Object.keys(change).length === 0;
  if (isRead) showAnswer<'getPolicy'>(terminal, await session.ask('getPolicy', { params }), linesOf);
  else {
    const body = { ...change, ...reasonFrom(session.role, reason) };
    showAnswer<'setPolicy'>(terminal, await session.ask('setPolicy', { params, body }), linesOf);
  }
};

const linesOf = ({ policy: rules }: Reply<'setPolicy'>): string[] =>
  facts(
    fieldEntries.map(([name, field]) => {
      const { label, before = '' } = field.command;
      return [label, `${before}${printed(field, rules[name])}`];
    }),
  );

const printed = (field: FieldEntry, value: ToldPolicy[PolicyField]): string => {
  if (value === null) return 'none';
  const text = String(value);
  return byKind(field, {
    amount: () => `${text} USDC`,
    seconds: () => `${text} s`,
    count: ({ short }) => `${text} ${short}`,
    services: () => (Array.isArray(value) && value.length > 0 ? value.join(', ') : 'any'),
    choice: () => text,
    time: () => text,
    hours: () => hoursText(value as Hours),
  });
};
