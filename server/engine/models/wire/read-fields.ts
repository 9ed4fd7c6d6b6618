// The fields of a request beside its messages: which pass, what they limit, and what is sent where one is absent.
import { fieldError } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { refuseLongCache, unboundedField, unboundedInput, type Reading } from './read-parts.ts';
import { isAnthropic, plainEdits, wireFacts, type Wire } from './wires.ts';

/** @throws AppError `field_unbounded` or `input_unbounded` for the first field that may not pass */
export const refuseFields = (reading: Reading, given: JsonObject): void => {
  const { facts, allowed } = reading;
  for (const name of Object.keys(given)) {
    if (facts.elsewhere.includes(name)) throw unboundedInput(name);
    if (!facts.told.includes(name) && !facts.silent.includes(name) && !allowed.has(name))
      throw unboundedField(name);
  }
  for (const [name, values] of Object.entries(facts.only)) {
    const [field = '', inner] = name.split('.');
    const outer = given[field];
    const value = inner === undefined ? outer : isObject(outer) ? outer[inner] : undefined;
    const isUsual =
      (value ?? null) === null || values.some((one) => JSON.stringify(one) === JSON.stringify(value));
    if (!isUsual && !allowed.has(name)) throw unboundedField(name);
  }
  refuseLongCache(reading, given['cache_control']);
  const management = given['context_management'];
  const edits = (isObject(management) ? management['edits'] : null) ?? [];
  const name = 'context_management.edits';
  if (!(Array.isArray(edits) && edits.every(isPlainEdit)) && !allowed.has(name)) throw unboundedField(name);
};

const isPlainEdit = (edit: Json): boolean => isObject(edit) && plainEdits.includes(edit['type'] ?? null);

/** No model has as many tokens, and sums of as many are still exact. */
const mostTokens = 1_000_000_000;

/** @throws AppError `bad_request` for what is no whole number from `least` to a billion; null where it is absent */
export const wholeField = (given: JsonObject, name: string, least: number): number | null => {
  const value = given[name] ?? null;
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least)
    throw fieldError(name, `must be a whole number of at least ${least}`);
  if (value > mostTokens) throw fieldError(name, 'must be at most 1,000,000,000');
  return value;
};

/** Tokens; where two fields name a limit, the first of the wire's names counts. Anthropic's 0 only fills its cache. */
export const askedOutput = (wire: Wire, given: JsonObject): number | null => {
  const asked = wireFacts[wire].output.map((name) => wholeField(given, name, isAnthropic(wire) ? 0 : 1));
  return asked.find((limit) => limit !== null) ?? null;
};

/** Tokens; 0 without a budget. */
export const thinkingBudget = (thinking: Json | undefined): number =>
  isObject(thinking) && thinking['type'] === 'enabled' ? (wholeField(thinking, 'budget_tokens', 0) ?? 0) : 0;

/** The body with what is set for the client: the usual tier, and the usage at the end of a stream of OpenAI's chat. */
export const toBody = (wire: Wire, given: JsonObject, setsTier: boolean): JsonObject => {
  const options = given['stream_options'] ?? {};
  if (!isObject(options)) throw fieldError('stream_options', 'must be an object');
  const asksUsage = wire === 'openai-chat' && given['stream'] === true;
  return {
    ...(setsTier ? wireFacts[wire].tier : {}),
    ...given,
    ...(asksUsage ? { stream_options: { ...options, include_usage: true } } : {}),
  };
};
