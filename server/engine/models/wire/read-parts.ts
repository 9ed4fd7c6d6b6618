// Messages, their parts and tools: what passes, how many tokens it can become, and what a digest of it covers.
import { fieldError, type AppError } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { tokensOf } from './measure.ts';
import { cacheKeys, perKnownTool, perMessage, type PartRule, type WireFacts } from './wires.ts';

export interface Reading {
  facts: WireFacts;
  /** Names that the owner allowed for the supplier. */
  allowed: ReadonlySet<string>;
  /** Tokens of the largest tool: a reference to a tool prints it once more. */
  largestTool: number;
}

export interface Part {
  /** The most tokens, pictures apart. */
  tokens: number;
  images: number;
  /** Without the marks of caches, which move from turn to turn. */
  plain: Json;
}

/** The refusal of a field, by the name under which the owner can allow it. */
export const unboundedField = (name: string): AppError =>
  fieldError(name, 'may change the price, and the owner has not allowed it', 'field_unbounded');

/** The refusal of input, by its place. */
export const unboundedInput = (path: string): AppError =>
  fieldError(path, 'stands for input that cannot be counted before it is sent', 'input_unbounded');

/** A longer life in the cache costs more than the price of a cache write says. */
export const refuseLongCache = ({ allowed }: Reading, mark: Json | undefined): void => {
  const ttl = isObject(mark) ? (mark['ttl'] ?? '5m') : '5m';
  if (ttl !== '5m' && !allowed.has('cache_control.ttl')) throw unboundedField('cache_control.ttl');
};

/** Parts one after another. */
export const joined = (parts: readonly Part[]): Part => ({
  tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
  images: parts.reduce((sum, { images }) => sum + images, 0),
  plain: parts.map(({ plain }) => plain),
});

/** @throws AppError `input_unbounded`, `field_unbounded`, or `bad_request` for what is neither a text nor a list */
export const readParts = (reading: Reading, value: Json, path: string): Part => {
  if (isObject(value)) throw fieldError(path, 'must be a text or a list');
  if (!Array.isArray(value)) return { tokens: tokensOf(value), images: 0, plain: value };
  return joined(value.map((one, at) => readPart(reading, reading.facts.parts, one, `${path}.${at}`)));
};

/** Reads a message or another item of the list. @throws AppError as readParts */
export const readItem = (reading: Reading, item: Json, path: string): Part =>
  readPart(reading, reading.facts.items, isObject(item) ? { type: 'message', ...item } : item, path);

type Rules = Readonly<Record<string, PartRule>>;

const readPart = (reading: Reading, rules: Rules, part: Json, path: string): Part => {
  if (!isObject(part)) throw fieldError(path, 'must be an object');
  const type = part['type'];
  const rule = typeof type === 'string' && Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (rule === undefined) throw unboundedInput(`${path}.type`);
  if (rule.needs !== undefined && typeof part[rule.needs] !== 'string')
    throw unboundedInput(`${path}.${rule.needs}`);
  if (rule.image !== undefined && !isPicture(part[rule.image])) throw unboundedInput(`${path}.${rule.image}`);
  let tokens =
    (type === 'tool_reference' ? reading.largestTool : 0) + (rules === reading.facts.items ? perMessage : 0);
  let images = rule.image === undefined ? 0 : 1;
  const plain: [string, Json][] = [];
  for (const [key, value] of Object.entries(part)) {
    if (cacheKeys.has(key)) refuseLongCache(reading, value);
    if (cacheKeys.has(key) || value === null) continue;
    const name = `${String(type)}.${key}`;
    if (reading.facts.elsewhere.includes(key)) throw unboundedInput(`${path}.${key}`);
    if (key !== 'type' && !rule.keys.includes(key) && !reading.allowed.has(name)) throw unboundedField(name);
    const inside = key === rule.inside ? readParts(reading, value, `${path}.${key}`) : null;
    plain.push([key, inside?.plain ?? value]);
    images += inside?.images ?? 0;
    const isCounted = key !== rule.image;
    if (isCounted) tokens += tokensOf(key) + (inside?.tokens ?? tokensOf(value, key === rule.printed)) + 2;
  }
  return { tokens, images, plain: Object.fromEntries(plain) };
};

/** A picture's bytes, or its address: a document or a sound by the same door would have no most. */
const isPicture = (value: Json | undefined): boolean => {
  const source: JsonObject = isObject(value) ? value : { url: value ?? null };
  const { type, url, data, media_type: mediaType } = source;
  if (type === 'base64')
    return typeof data === 'string' && typeof mediaType === 'string' && mediaType.startsWith('image/');
  return (type ?? 'url') === 'url' && typeof url === 'string' && /^(https?:\/\/|data:image\/)/i.test(url);
};

/**
 * Reads the list of tools, each counted as printed.
 *
 * @param usual the type of a tool that names none
 * @throws AppError `field_unbounded` for a type whose calls cost more than tokens
 */
export const readTools = (reading: Reading, value: Json, usual: string | null): readonly Part[] => {
  if (!Array.isArray(value)) throw fieldError('tools', 'must be a list');
  return value.map((tool) => {
    const type = isObject(tool) ? (tool['type'] ?? usual) : null;
    if (!isObject(tool) || typeof type !== 'string') throw fieldError('tools', 'must be objects with a type');
    const own = Object.hasOwn(reading.facts.tools, type) ? reading.facts.tools[type] : undefined;
    if (own === undefined && !reading.allowed.has(`tools.${type}`)) throw unboundedField(`tools.${type}`);
    refuseLongCache(reading, tool['cache_control']);
    const plain = Object.fromEntries(Object.entries(tool).filter(([key]) => !cacheKeys.has(key)));
    const inside = type === 'namespace' ? joined(readTools(reading, tool['tools'] ?? [], null)).tokens : 0;
    return { tokens: (own ?? perKnownTool) + inside + tokensOf(plain, true), images: 0, plain };
  });
};
