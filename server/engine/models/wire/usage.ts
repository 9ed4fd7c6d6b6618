// The usage that a supplier reports, and what a whole answer says. Suppliers' words are read leniently: a number that
// cannot be one counts as none.
import { isObject, type JsonObject } from './json.ts';
import { isAnthropic, type Wire } from './wires.ts';

/** Tokens. */
export interface Usage {
  /** All input, cached tokens included. */
  input: number;
  /** The part of it that was read from a cache. */
  cachedInput: number;
  /** The part of it that was written into a cache. */
  cacheWrite: number;
  /** All output, reasoning included. */
  output: number;
  reasoning: number;
  /** Base units of USDC, rounded up, which a router says that it charged in US dollars; null where it says nothing. */
  costMicros: bigint | null;
  /** Whether the supplier reports no more than this for the request. */
  complete: boolean;
}

const countIn = (value: unknown): number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? Math.ceil(value) : 0;

/** The first of these fields that is a count; 0 where none is. */
const count = (from: unknown, ...names: readonly string[]): number =>
  isObject(from) ? names.reduce((found, name) => (found > 0 ? found : countIn(from[name])), 0) : 0;

/**
 * Reads the field `usage` of an answer or an event.
 *
 * @param complete whether the answer or event is the last that reports usage
 * @returns null where there is none
 */
export const usageOf = (wire: Wire, usage: unknown, complete: boolean): Usage | null => {
  if (!isObject(usage)) return null;
  const input = count(usage, 'prompt_tokens', 'input_tokens');
  const inputDetails = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  const outputDetails = usage['completion_tokens_details'] ?? usage['output_tokens_details'];
  const cost = usage['cost'];
  const isCost = typeof cost === 'number' && cost >= 0 && cost < 1e9;
  const rest = {
    reasoning: count(outputDetails, 'reasoning_tokens', 'thinking_tokens'),
    costMicros: isCost ? BigInt(Math.ceil(cost * 1e6)) : null,
    complete,
  };
  const reported = count(usage, 'completion_tokens', 'output_tokens');
  if (isAnthropic(wire)) {
    // Anthropic counts cached tokens beside the input, OpenAI within it.
    const [cachedInput, cacheWrite] = [
      count(usage, 'cache_read_input_tokens'),
      count(usage, 'cache_creation_input_tokens'),
    ];
    return { input: input + cachedInput + cacheWrite, cachedInput, cacheWrite, output: reported, ...rest };
  }
  const cacheWrite = Math.min(input, count(inputDetails, 'cache_write_tokens'));
  const cachedInput = Math.min(input - cacheWrite, count(inputDetails, 'cached_tokens'));
  // Some suppliers leave reasoning out of the output, and not out of the total.
  const output = Math.max(reported, count(usage, 'total_tokens') - input);
  return { input, cachedInput, cacheWrite, output, ...rest };
};

/** Of two reports for one request, the larger of each count and never their sum (decision 9). */
export const largerUsage = (earlier: Usage | null, later: Usage | null): Usage | null => {
  if (earlier === null || later === null) return later ?? earlier;
  const { input, cachedInput, cacheWrite } = later.input >= earlier.input ? later : earlier;
  const costs = [earlier.costMicros, later.costMicros].filter((cost) => cost !== null);
  return {
    input,
    cachedInput,
    cacheWrite,
    output: Math.max(earlier.output, later.output),
    reasoning: Math.max(earlier.reasoning, later.reasoning),
    costMicros: costs.reduce<bigint | null>(
      (most, cost) => (most === null || cost > most ? cost : most),
      null,
    ),
    complete: earlier.complete || later.complete,
  };
};

/** The report of a whole answer or of a stream so far. */
export interface AnswerFacts {
  usage: Usage | null;
  /** Bytes of output that came, at least one for each token that is not hidden. */
  outputBytes: number;
  /** The model that answered, as the supplier names it. */
  model: string | null;
  responseId: string | null;
  /** Whether the supplier reports an error, in its API's own shape. */
  failed: boolean;
}

export const textField = (from: JsonObject, name: string): string | null => {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Reads an answer that is not streamed, of any status. Anything but an object of JSON reports nothing. */
export const readAnswer = (wire: Wire, body: Uint8Array): AnswerFacts => {
  const answer = answerIn(body);
  return {
    usage: usageOf(wire, answer['usage'], true),
    outputBytes: body.byteLength,
    model: textField(answer, 'model'),
    responseId: textField(answer, 'id'),
    failed: isSupplierError(wire, answer) || answer['status'] === 'failed',
  };
};

/** An error as the API's SDK reads it; a gateway's page is none. */
export const isSupplierError = (wire: Wire, answer: JsonObject): boolean => {
  const { error } = answer;
  return (
    isObject(error) &&
    textField(error, 'message') !== null &&
    (!isAnthropic(wire) || (answer['type'] === 'error' && textField(error, 'type') !== null))
  );
};

/** Google wraps an error into a list. */
const answerIn = (body: Uint8Array): JsonObject => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(body).toString());
    const answer: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
};
