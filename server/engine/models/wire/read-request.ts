// One request to a model, read once: the most tokens that it can cost, and the body that leaves. Nothing of the client's own
// bytes is sent, so what was bounded is what runs.
import { fieldError } from '../../../errors.ts';
import { digestOf } from '../../../lib/token.ts';
import { isObject, readJson, type Json, type JsonObject } from './json.ts';
import { tokensOf } from './measure.ts';
import {
  askedOutput,
  booleanField,
  refuseFields,
  thinkingBudget,
  toBody,
  wholeField,
  withoutNulls,
} from './read-fields.ts';
import { readItem, readParts, readTools, type Part, type Reading } from './read-parts.ts';
import { perTool, wireFacts, type Wire } from './wires.ts';

/** The beginning of a conversation, so that a later request is bounded by what the supplier reported for it (decision 3). */
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
const perMessage = 16;
const leastAnswer = 1_024;
const mostChoices = 128;

/**
 * Reads and bounds a request (decisions 4 to 7). Input bound = UTF-8 bytes of the text, after NFKC where that is larger,
 * and 16 tokens a message, 64 a tool, 1,024 a request.
 *
 * @throws AppError `bad_request` or `too_large` as readJson; `field_unbounded` for a field, a tool or a value that may
 *   change the price; `input_unbounded` for input that cannot be counted. Each names its field in `details.fields`
 */
export const readModelRequest = (wire: Wire, body: Uint8Array, options: ReadOptions): ModelRequest => {
  const facts = wireFacts[wire];
  const given = withoutNulls(readJson(body));
  const reading: Reading = { facts, allowed: new Set(options.extraFields), largestTool: 0 };
  refuseFields(reading, given);
  const { model } = given;
  if (typeof model !== 'string' || model === '') throw fieldError('model', 'must name a model');
  const streams = booleanField(given, 'stream');
  const isEmbedding = wire === 'openai-embeddings';
  const head = isEmbedding ? null : readHead(reading, given);
  const messages =
    head === null ? [] : readList({ ...reading, largestTool: head.largestTool }, given[facts.list]);
  const parts = head === null ? [] : prefixesOf(wire, head, messages);
  const choices = wholeField(given, 'n', 1) ?? 1;
  if (choices > mostChoices) throw fieldError('n', `must be at most ${mostChoices}`);
  const wantsUsage = isObject(given['stream_options']) && given['stream_options']['include_usage'] === true;
  const { previous_response_id: previous } = given;
  return {
    wire,
    model,
    streams,
    inputBound: isEmbedding
      ? perRequest + embeddedTokens(given['input'])
      : perRequest + (head?.tokens ?? 0) + (parts[0]?.rest ?? 0),
    images: (head?.images ?? 0) + (parts[0]?.images ?? 0),
    askedOutput: isEmbedding ? 0 : askedOutput(wire, given),
    choices,
    thinkingBudget: thinkingBudget(given['thinking']),
    parts: given['truncation'] === 'auto' ? [] : parts,
    wantsUsage: wire !== 'openai-chat' || !streams || wantsUsage,
    previousResponseId: typeof previous === 'string' ? previous : null,
    body: toBody(wire, given, options.setsTier ?? true),
  };
};

/**
 * The output tokens of one choice that the request leaves with: the least of the client's number and the owner's
 * (decision 4); null where there is neither, so that the model's own most holds.
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

interface Head extends Part {
  largestTool: number;
}

/** All that the model reads before the messages. */
const readHead = (reading: Reading, given: JsonObject): Head => {
  const usualTool = reading.facts.tools['function'] === undefined ? 'custom' : null;
  const tools = readTools(reading, given['tools'], usualTool);
  const system = readParts(reading, given['system'] ?? null, 'system');
  const { functions } = given;
  const others = [...reading.facts.told, ...reading.allowed].filter(
    (name) => name in given && name !== 'tools' && name !== 'system',
  );
  const told = Object.fromEntries(others.map((name) => [name, given[name] ?? null]));
  const legacyTools = Array.isArray(functions) ? perTool * functions.length : 0;
  return {
    tokens: tools.tokens + system.tokens + legacyTools + tokensOf(told, true),
    images: system.images,
    plain: [tools.plain, system.plain, told],
    largestTool: tools.largest,
  };
};

const readList = (reading: Reading, list: Json | undefined): readonly Part[] => {
  const field = reading.facts.list;
  const isOptional = field === 'input';
  const items = isOptional && typeof list === 'string' ? [{ role: 'user', content: list }] : (list ?? []);
  if (!Array.isArray(items) || (list === undefined && !isOptional)) throw fieldError(field, 'must be a list');
  return items.map((item, at) => {
    const part = readItem(reading, item, `${field}.${at}`);
    return { ...part, tokens: part.tokens + perMessage };
  });
};

/** Each digest covers the one before it, so that equal digests mean equal beginnings. */
const prefixesOf = (wire: Wire, head: Part, messages: readonly Part[]): readonly Prefix[] => {
  let rest = messages.reduce((sum, { tokens }) => sum + tokens, 0);
  let images = messages.reduce((sum, one) => sum + one.images, 0);
  let digest = wire as string;
  return [head, ...messages].map(({ plain, ...part }, at) => {
    if (at > 0) {
      rest -= part.tokens;
      images -= part.images;
    }
    digest = digestOf(`${digest} ${JSON.stringify(plain)}`).toString('base64url');
    return { digest, rest, images };
  });
};

/** Text by its bytes; a list of tokens by its length. */
const embeddedTokens = (input: Json | undefined): number => {
  if (typeof input === 'string') return tokensOf(input) + perMessage;
  if (!Array.isArray(input)) throw fieldError('input', 'must be a text, or a list of texts or tokens');
  if (input.every((one) => typeof one === 'number')) return input.length + perMessage;
  return input.reduce((sum: number, one) => sum + embeddedTokens(one), 0);
};
