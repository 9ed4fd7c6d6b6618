// One request to a model, read once: the most tokens that it can cost, and the body that leaves. Nothing of the client's own
// bytes is sent, so what was bounded is what runs.
import { fieldError } from '../../../errors.ts';
import { digestOf } from '../../../lib/token.ts';
import { isObject, readJson, type Json, type JsonObject } from './json.ts';
import { tokensOf } from './measure.ts';
import { askedOutput, refuseFields, thinkingBudget, toBody, wholeField } from './read-fields.ts';
import { joined, readItem, readParts, readTools, type Part, type Reading } from './read-parts.ts';
import { perMessage, perTool, wireFacts, type Wire } from './wires.ts';

/** The beginning of a conversation, so that a later request is bounded by what the supplier reported for it. */
export interface Prefix {
  /** Of system and tools, and of so many leading messages. */
  digest: string;
  /** The most tokens of the messages after it, pictures apart. */
  rest: number;
  /** Pictures in the messages after it. */
  images: number;
}

export interface ModelRequest {
  wire: Wire;
  /** As the client wrote it: an id, or `supplier/id`. */
  model: string;
  streams: boolean;
  /** The most input tokens by the bytes of the request, pictures apart. */
  inputBound: number;
  /** Pictures, each to be priced at the model's most. */
  images: number;
  /** The most output tokens of one choice that the client asked for; null where it left that to the model. */
  askedOutput: number | null;
  /** The output's bound counts once for each. */
  choices: number;
  /** Output tokens that the client reserves for thinking; 0 without a budget. */
  thinkingBudget: number;
  /** From system and tools alone to all messages; empty where the supplier may leave out a part of them. */
  parts: readonly Prefix[];
  /** Whether the client expects the usage in the stream. */
  wantsUsage: boolean;
  /** A response whose tokens come on top of `inputBound`. */
  previousResponseId: string | null;
  body: JsonObject;
}

export interface ReadOptions {
  /** Names that the owner allowed for this supplier, as `field_unbounded` named them. */
  extraFields: readonly string[];
  /** False for a supplier that has no tiers and refuses fields which it does not know. */
  setsTier?: boolean;
}

const perRequest = 1_024;
const leastAnswer = 1_024;
/** Reading so many takes a tenth of a second, in which nothing else is done. */
const mostItems = 20_000;

/**
 * Reads and bounds a request as the supplier will run it. Input bound = UTF-8 bytes of the text, after NFKC where that is larger,
 * and 16 tokens a message, 64 a tool, 1,024 a request.
 *
 * @param optionsFor asked once, with the model that the request names; what it throws is thrown
 * @throws AppError `bad_request` or `too_large` as readJson; `field_unbounded` for a field, a tool or a value that may
 *   change the price; `input_unbounded` for input that cannot be counted. Each names its field in `details.fields`
 */
export const readModelRequest = (
  wire: Wire,
  body: Uint8Array,
  optionsFor: (model: string) => ReadOptions,
): ModelRequest => {
  const facts = wireFacts[wire];
  // A field that is null is a field that is absent, in both APIs.
  const given = Object.fromEntries(Object.entries(readJson(body)).filter(([, value]) => value !== null));
  const { model } = given;
  if (typeof model !== 'string' || model === '') throw fieldError('model', 'must name a model');
  const options = optionsFor(model);
  const reading: Reading = { facts, allowed: new Set(options.extraFields), largestTool: 0 };
  refuseFields(reading, given);
  const streams = given['stream'] ?? false;
  if (typeof streams !== 'boolean') throw fieldError('stream', 'must be true or false');
  const isEmbedding = wire === 'openai-embeddings';
  const { head, messages } = isEmbedding ? readTexts(given['input']) : readPrompt(reading, given);
  const prefixes = prefixesOf(wire, head, messages);
  const choices = wholeField(given, 'n', 1) ?? 1;
  if (choices > 128) throw fieldError('n', 'must be at most 128');
  const { stream_options: streamOptions, previous_response_id: previous } = given;
  if (previous !== undefined && typeof previous !== 'string')
    throw fieldError('previous_response_id', 'must be the id of a response');
  const asksUsage = isObject(streamOptions) && streamOptions['include_usage'] === true;
  return {
    wire,
    model,
    streams,
    inputBound: perRequest + head.tokens + (prefixes[0]?.rest ?? 0),
    images: head.images + (prefixes[0]?.images ?? 0),
    askedOutput: isEmbedding ? 0 : askedOutput(wire, given),
    choices,
    thinkingBudget: thinkingBudget(given['thinking']),
    parts: isEmbedding || given['truncation'] === 'auto' ? [] : prefixes,
    wantsUsage: wire !== 'openai-chat' || !streams || asksUsage,
    previousResponseId: previous ?? null,
    body: toBody(wire, given, options.setsTier ?? true),
  };
};

/**
 * The output tokens of one choice that the request leaves with: the least of the client's number and the owner's;
 * null where there is neither, so that the model's own most holds.
 *
 * @param maxOutput the owner's, or null
 * @throws AppError `bad_request` where less than 1,024 tokens of it would be left beside the thinking budget
 */
export const outputOf = (
  { askedOutput: asked, thinkingBudget: thinking }: ModelRequest,
  maxOutput: number | null,
): number | null => {
  if (maxOutput === null || (asked !== null && asked <= maxOutput)) return asked;
  if (thinking > 0 && maxOutput < thinking + leastAnswer)
    throw fieldError(
      'thinking.budget_tokens',
      `must be at most ${Math.max(0, maxOutput - leastAnswer)}: the owner allows ${maxOutput} output tokens, of which ${leastAnswer} are for the answer`,
    );
  return maxOutput;
};

export interface SendOptions {
  /** The owner's most output tokens for this model, or null. */
  maxOutput: number | null;
  /** The supplier's id of the model, where the client named the supplier too. */
  model?: string;
  /** The one name that a supplier of OpenAI's chat knows; without it, the client's own. */
  outputField?: 'max_tokens' | 'max_completion_tokens';
}

/** The exact text that leaves, with the output's limit under the wire's own name. @throws AppError as outputOf */
export const toSend = (request: ModelRequest, { maxOutput, model, outputField }: SendOptions): string => {
  const names = wireFacts[request.wire].output;
  const usual = names.find((name) => name in request.body) ?? names[0];
  const name = names.includes(outputField ?? '') ? outputField : usual;
  const rest = Object.entries(request.body).filter(([key]) => !names.includes(key));
  const output = outputOf(request, maxOutput);
  const limit: [string, Json][] = name === undefined || output === null ? [] : [[name, output]];
  return JSON.stringify(Object.fromEntries([...rest, ...limit, ['model', model ?? request.model]]));
};

interface Prompt {
  /** All that the model reads before the messages. */
  head: Part;
  messages: readonly Part[];
}

const readPrompt = (reading: Reading, given: JsonObject): Prompt => {
  const { list: field, told, tools: types } = reading.facts;
  const tools = readTools(reading, given['tools'] ?? [], 'function' in types ? null : 'custom');
  const system = readParts(reading, given['system'] ?? null, 'system');
  const others = [...told, ...reading.allowed].filter(
    (name) => name in given && !['tools', 'system'].includes(name),
  );
  const plain = Object.fromEntries(others.map((name) => [name, given[name] ?? null]));
  const legacyTools = Array.isArray(given['functions']) ? given['functions'].length : 0;
  const rest = { tokens: tokensOf(plain, true) + perTool * legacyTools, images: 0, plain };
  const list = given[field] ?? (field === 'input' ? [] : null);
  const items = field === 'input' && typeof list === 'string' ? [{ role: 'user', content: list }] : list;
  if (!Array.isArray(items)) throw fieldError(field, 'must be a list');
  if (items.length > mostItems) throw fieldError(field, `must have at most ${mostItems} entries`);
  const largestTool = tools.reduce((most, { tokens }) => Math.max(most, tokens), 0);
  const messages = items.map((item, at) => readItem({ ...reading, largestTool }, item, `${field}.${at}`));
  return { head: joined([...tools, system, rest]), messages };
};

/** Each digest covers the one before it, so that equal digests mean equal beginnings. */
const prefixesOf = (wire: Wire, head: Part, messages: readonly Part[]): readonly Prefix[] => {
  let { tokens: rest, images } = joined(messages);
  let digest = digestOf(wire + JSON.stringify(head.plain)).toString('base64url');
  const first = { digest, rest, images };
  const later = messages.map(({ plain, ...message }) => {
    rest -= message.tokens;
    images -= message.images;
    digest = digestOf(digest + JSON.stringify(plain)).toString('base64url');
    return { digest, rest, images };
  });
  return [first, ...later];
};

const readTexts = (input: Json | undefined): Prompt => ({
  head: { tokens: tokensOfTexts(input), images: 0, plain: null },
  messages: [],
});

/** Text by its bytes; a list of tokens by its length. */
const tokensOfTexts = (input: Json | undefined): number => {
  if (typeof input === 'string') return tokensOf(input) + perMessage;
  if (!Array.isArray(input)) throw fieldError('input', 'must be a text, or a list of texts or tokens');
  if (input.every((one) => typeof one === 'number')) return input.length + perMessage;
  return input.reduce((sum: number, one) => sum + tokensOfTexts(one), 0);
};
