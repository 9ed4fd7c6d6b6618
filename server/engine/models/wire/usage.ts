// The usage that a supplier reports, and what a whole answer says. Suppliers' words are read leniently: a number that
// cannot be one counts as none.
import type { TokenCounts } from '../../ports.ts';
import { isObject, objectIn, type JsonObject } from './json.ts';
import { isAnthropic, type Wire } from './wires.ts';

export interface Usage extends TokenCounts {
  /** Base units of USDC, rounded up, which a router says that it charged in US dollars; null where it says nothing. */
  costMicros: bigint | null;
  /** Whether the supplier reports no more than this for the request. */
  complete: boolean;
}

/** No answer has as many tokens. */
const mostTokens = 1_000_000_000;

/** The first of these fields that is a count; 0 where none is. */
const count = (from: unknown, ...names: readonly string[]): number => {
  const counts = isObject(from) ? names.map((name) => Number(from[name])) : [];
  return Math.ceil(counts.find((one) => one > 0 && one <= mostTokens) ?? 0);
};

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
    const cachedInput = count(usage, 'cache_read_input_tokens');
    const cacheWrite = count(usage, 'cache_creation_input_tokens');
    return { input: input + cachedInput + cacheWrite, cachedInput, cacheWrite, output: reported, ...rest };
  }
  const cacheWrite = Math.min(input, count(inputDetails, 'cache_write_tokens'));
  const cachedInput = Math.min(input - cacheWrite, count(inputDetails, 'cached_tokens'));
  // Some suppliers leave reasoning out of the output, and not out of the total.
  const output = Math.max(reported, count(usage, 'total_tokens') - input);
  return { input, cachedInput, cacheWrite, output, ...rest };
};

/** Of two reports for one request, the larger of each count and never their sum: reports in a stream are totals. */
export const largerUsage = (earlier: Usage | null, later: Usage | null): Usage | null => {
  if (earlier === null || later === null) return later ?? earlier;
  const { input, cachedInput, cacheWrite } = later.input >= earlier.input ? later : earlier;
  return {
    input,
    cachedInput,
    cacheWrite,
    output: Math.max(earlier.output, later.output),
    reasoning: Math.max(earlier.reasoning, later.reasoning),
    costMicros: (later.costMicros ?? 0n) > (earlier.costMicros ?? 0n) ? later.costMicros : earlier.costMicros,
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
  /** The supplier's id of the answer. */
  id: string | null;
  /** Whether the supplier reports an error, in its API's own shape. */
  failed: boolean;
}

export const nothing: AnswerFacts = { usage: null, outputBytes: 0, model: null, id: null, failed: false };

/** A text that is not empty; null where there is none. */
export const textField = (from: JsonObject, name: string): string | null => {
  const value = from[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** Reads an answer that is not streamed, of any status. Anything but an object of JSON reports nothing. */
export const readAnswer = (wire: Wire, body: Uint8Array): AnswerFacts => {
  // Google wraps an error into a list.
  const text = Buffer.from(body).toString().trim();
  const answer = objectIn(text.replace(/^\[([^]*)\]$/, '$1')) ?? {};
  return {
    usage: usageOf(wire, answer['usage'], true),
    outputBytes: body.byteLength,
    model: textField(answer, 'model'),
    id: textField(answer, 'id'),
    failed: isSupplierError(wire, answer) || answer['status'] === 'failed',
  };
};

/** An error as the API's SDK reads it; a gateway's page is none. */
const isSupplierError = (wire: Wire, { type, error }: JsonObject): boolean =>
  isObject(error) && textField(error, 'message') !== null && (!isAnthropic(wire) || type === 'error');
