// Messages, their parts and tools: what passes, how many tokens it can become, and its digest's text.
import { fieldError, type AppError } from '../../../errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { tokensOf } from './measure.ts';
import { cacheKeys, type PartRule, type WireFacts } from './wires.ts';

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

export const unboundedField = (name: string): AppError =>
  fieldError(
    name,
    'may change the price, and the owner has not allowed it for this supplier',
    'field_unbounded',
  );

export const unboundedInput = (path: string): AppError =>
  fieldError(path, 'stands for input that cannot be counted before it is sent', 'input_unbounded');

/** Longer lives in a cache cost more than the price of a cache write says. */
export const refuseLongCache = ({ allowed }: Reading, mark: Json | undefined): void => {
  const ttl = isObject(mark) ? mark['ttl'] : undefined;
  const name = 'cache_control.ttl';
  if (ttl !== undefined && ttl !== null && ttl !== '5m' && !allowed.has(name)) throw unboundedField(name);
};

/** @throws AppError `input_unbounded`, `field_unbounded`, or `bad_request` for what is neither a text nor a list */
export const readParts = (reading: Reading, value: Json, path: string): Part => {
  if (isObject(value)) throw fieldError(path, 'must be a text or a list');
  if (!Array.isArray(value)) return { tokens: tokensOf(value), images: 0, plain: value };
  const parts = value.map((one, at) => readPart(reading, reading.facts.parts, one, `${path}.${at}`));
  return {
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 2),
    images: parts.reduce((sum, { images }) => sum + images, 0),
    plain: parts.map(({ plain }) => plain),
  };
};

/** Reads a message or another item of the list. @throws as readParts */
export const readItem = (reading: Reading, item: Json, path: string): Part =>
  readPart(reading, reading.facts.items, isObject(item) ? { type: 'message', ...item } : item, path);

const readPart = (
  reading: Reading,
  rules: Readonly<Record<string, PartRule>>,
  part: Json,
  path: string,
): Part => {
  if (!isObject(part)) throw fieldError(path, 'must be an object');
  const type = part['type'];
  const rule = typeof type === 'string' && Object.hasOwn(rules, type) ? rules[type] : undefined;
  if (typeof type !== 'string' || rule === undefined) throw unboundedInput(`${path}.type`);
  if (rule.needs !== undefined && typeof part[rule.needs] !== 'string')
    throw unboundedInput(`${path}.${rule.needs}`);
  if (rule.image !== undefined && !isPicture(part[rule.image])) throw unboundedInput(`${path}.${rule.image}`);
  let tokens = type === 'tool_reference' ? reading.largestTool : 0;
  let images = rule.image === undefined ? 0 : 1;
  const plain: [string, Json][] = [];
  for (const [key, value] of Object.entries(part)) {
    if (cacheKeys.has(key)) {
      refuseLongCache(reading, value);
      continue;
    }
    if (value === null) continue;
    const isAllowed = key === 'type' || rule.keys.includes(key) || reading.allowed.has(`${type}.${key}`);
    if (reading.facts.elsewhere.includes(key)) throw unboundedInput(`${path}.${key}`);
    if (!isAllowed) throw unboundedField(`${type}.${key}`);
    const inside = key === rule.inside ? readParts(reading, value, `${path}.${key}`) : null;
    plain.push([key, inside?.plain ?? value]);
    images += inside?.images ?? 0;
    if (key === rule.image) continue;
    tokens += inside?.tokens ?? tokensOf(value, rule.printed?.includes(key));
    tokens += tokensOf(key) + 2;
  }
  return { tokens, images, plain: Object.fromEntries(plain) };
};

/** A picture's bytes, or its address: a document or a sound by the same door would have no most. */
const isPicture = (value: Json | undefined): boolean => {
  const source: JsonObject = isObject(value) ? value : { url: value ?? null };
  const { url, data, media_type: mediaType } = source;
  if (source['type'] === 'base64')
    return typeof data === 'string' && typeof mediaType === 'string' && mediaType.startsWith('image/');
  return typeof url === 'string' && /^(https?:\/\/|data:image\/)/i.test(url);
};

export interface Tools {
  tokens: number;
  largest: number;
  plain: Json;
}

/** Reads the list of tools. @throws AppError `field_unbounded` for a type whose calls cost more than tokens */
export const readTools = (reading: Reading, value: Json | undefined, usual: string | null): Tools => {
  if (value !== undefined && !Array.isArray(value)) throw fieldError('tools', 'must be a list');
  const tools = (value ?? []).map((tool) => readTool(reading, tool, usual));
  return {
    tokens: tools.reduce((sum, { tokens }) => sum + tokens, 0),
    largest: tools.reduce((most, { tokens }) => Math.max(most, tokens), 0),
    plain: tools.map(({ plain }) => plain),
  };
};

const readTool = (reading: Reading, tool: Json, usual: string | null): Part => {
  if (!isObject(tool)) throw fieldError('tools', 'must be a list of objects');
  const type = tool['type'] ?? usual;
  if (typeof type !== 'string') throw fieldError('tools.type', 'must be a text');
  const isKnown = Object.hasOwn(reading.facts.tools, type);
  if (!isKnown && !reading.allowed.has(`tools.${type}`)) throw unboundedField(`tools.${type}`);
  refuseLongCache(reading, tool['cache_control']);
  const plain = Object.fromEntries(Object.entries(tool).filter(([key]) => !cacheKeys.has(key)));
  const inside = type === 'namespace' ? readTools(reading, tool['tools'], null).tokens : 0;
  const own = reading.facts.tools[type] ?? Math.max(0, ...Object.values(reading.facts.tools));
  return { tokens: own + inside + tokensOf(plain, true), images: 0, plain };
};
