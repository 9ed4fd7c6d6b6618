// The gate's file. Whatever is wrong with it is named with its line; secrets come from the environment and are in no message.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isMap, isScalar, LineCounter, parseDocument, visit, type Document } from 'yaml';
import { z } from 'zod';
import { readOptions } from '../paywall/options.ts';
import { routeSchema } from '../paywall/read-route.ts';
import type { GrantStore, KeySigner, PaywallOptions } from '../paywall/types.ts';
import { shapeOf } from './target.ts';

/** What is wrong, a line for each fault. */
export class FileFault extends Error {}

const httpOrigin = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^https?:\/\/[^/?#@]+\/?$/.test(text),
    'must be scheme and host, such as http://127.0.0.1:9000, without path, user name and password',
  );
const like = (pattern: RegExp, rule: string) =>
  z
    .union([z.int().transform(String), z.string()], rule)
    .transform((text) => pattern.exec(text))
    .refine((found) => found !== null, rule);
const statuses = like(/^([1-5]\d\d)(?:-([1-5]\d\d))?$/, 'must be a status or a range, such as 500-599')
  // The first and the last.
  .transform(([, from, to = from]) => [Number(from), Number(to)] as const);

const ownPaths: readonly string[] = ['/healthz', '/openapi.json', '/llms.txt'];
const routeOfFile = routeSchema
  .extend({
    price: z.union([z.string(), z.number().transform(String)]).optional(),
    free: z.literal(true).optional(),
    refundOn: z.array(statuses, 'must be a list, such as [500-599]').default([]),
  })
  .refine(({ price, free }) => (price === undefined) === (free === true), 'needs either price or free: true')
  .refine(({ path }) => !ownPaths.includes(path), `is one of the gate's own: ${ownPaths.join(', ')}`);

/** Options of a paywall, which reads them itself. */
const passedOn =
  `recipient network rpcUrl service origin invoiceSeconds maxAgeSeconds confirmedUpTo maxBodyBytes`.split(
    ' ',
  );

const headers = z.record(
  z.string().regex(/^[\w-]+$/, 'is not the name of a header'),
  z.string().regex(/^[\t\x20-\x7e]*$/, 'must be printable ASCII on one line'),
);

const fileSchema = z.strictObject(
  {
    ...Object.fromEntries(passedOn.map((name) => [name, z.unknown().optional()])),
    about: z
      .partialRecord(z.enum(['title', 'version', 'description', 'contact', 'guidance']), z.string())
      .optional(),
    /** `self`, or the URL of a facilitator. */
    settle: z.string().optional(),
    facilitatorHeaders: headers.optional(),
    feePayerKey: z.string().default('fee-payer.json'),
    mostLamportsPerDay: z.unknown().optional(),
    store: z.string().default('grants.db'),
    upstream: httpOrigin.transform((text) => new URL(text)),
    upstreamHeaders: headers.default({}),
    listen: like(/^(?:\[?(.+?)\]?:)?(\d{1,5})$/, 'must be host and port, such as 127.0.0.1:8402')
      .transform(([, host = '127.0.0.1', port]) => ({ host, port: Number(port) }))
      .default({ host: '127.0.0.1', port: 8402 }),
    /** Origins of web pages that may read answers. */
    cors: z.union([z.literal('*'), z.array(httpOrigin)], `must be '*' or a list of origins`).optional(),
    refundKey: z.string().optional(),
    routes: z.array(routeOfFile).min(1, 'must have at least one route'),
  },
  'must have fields such as recipient, upstream and routes',
);
export type GateFile = z.output<typeof fileSchema>;

/** Those of its paywalls. @param feePayer for `settle: self` */
export const optionsOf = (
  file: GateFile,
  feePayer: KeySigner | null,
): Omit<PaywallOptions, 'price' | 'route' | 'store'> => {
  const given = Object.entries(file).filter(
    ([name, value]) => passedOn.includes(name) && value !== undefined,
  );
  return { ...Object.fromEntries(given), ...settleOf(file, feePayer) } as ReturnType<typeof optionsOf>;
};

export const settlesItself = ({ settle }: Pick<GateFile, 'settle'>): boolean => settle === 'self';

const settleOf = (file: GateFile, feePayer: KeySigner | null): object => {
  const { settle, mostLamportsPerDay, facilitatorHeaders } = file;
  if (settle === undefined) return {};
  if (!settlesItself(file))
    return { facilitator: settle, ...(facilitatorHeaders === undefined ? {} : { facilitatorHeaders }) };
  const limit = mostLamportsPerDay === undefined ? {} : { mostLamportsPerDay };
  return feePayer === null ? {} : { settle: { feePayer, ...limit } };
};

type Path = readonly PropertyKey[];

/** Reads the file. @throws FileFault */
export const readGateFile = (file: string, env: NodeJS.ProcessEnv): GateFile => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new FileFault(`${file} cannot be read: ${(error as Error).message}`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number): number => lines.linePos(offset).line;
  const fail = (faults: readonly (readonly [line: number, said: string])[]): void => {
    if (faults.length > 0)
      throw new FileFault(faults.map(([line, said]) => `${file}:${line}: ${said}`).join('\n'));
  };
  fail(document.errors.map(({ pos: [at], code }) => [lineAt(at), `is not valid YAML: ${words(code)}`]));
  fail(fillIn(document, env).map(([at, said]) => [lineAt(at), said]));
  const at = (path: Path): number => lineAt(offsetOf(document, path));

  const read = fileSchema.safeParse(valueOf(document, file));
  if (!read.success) return fail(faultsOf(read.error).map(([path, said]) => [at(path), said])) as never;
  fail(misfits(read.data).map(([path, said]) => [at(path), `${path.join('.')}: ${said}`]));
  const beside = (name: string): string => resolve(dirname(file), name);
  const { store, refundKey, feePayerKey } = read.data;
  return {
    ...read.data,
    store: beside(store),
    feePayerKey: beside(feePayerKey),
    refundKey: refundKey && beside(refundKey),
  };
};

/** @throws FileFault for too many aliases */
const valueOf = (document: Document, file: string): unknown => {
  try {
    return document.toJS();
  } catch {
    throw new FileFault(`${file}: has more aliases than are read here`);
  }
};

/** A code of the parser, such as BAD_INDENT; its sentences quote the file, which may hold a secret after all. */
const words = (code: string): string => code.toLowerCase().replaceAll('_', ' ');

/** Puts the environment's variables in; only values can name them. */
const fillIn = (document: Document, env: NodeJS.ProcessEnv): (readonly [offset: number, said: string])[] => {
  const faults: (readonly [number, string])[] = [];
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) === undefined)
        faults.push([node.range?.[0] ?? 0, 'the alias names nothing']);
    },
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string') return;
      node.value = node.value.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
        if (!env[name]) faults.push([node.range?.[0] ?? 0, `the environment has no ${name}`]);
        return env[name] ?? '';
      });
    },
  });
  return faults;
};

/** Where a field begins, or the nearest thing around it that is there. */
const offsetOf = (document: Document, path: Path): number => {
  for (let length = path.length; length > 0; length -= 1) {
    const parent = document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === last)
      : undefined;
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    const place = (node as { range?: readonly number[] } | undefined)?.range;
    if (place?.[0] !== undefined) return place[0];
  }
  return 0;
};

const faultsOf = ({ issues }: z.ZodError): (readonly [Path, string])[] =>
  issues.flatMap((issue): (readonly [Path, string])[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [
          [...issue.path, key],
          `${[...issue.path, key].join('.')}: there is no such field`,
        ])
      : [
          [
            issue.path,
            `${issue.path.join('.') || 'the file'}: ${missing(issue) ? 'is missing' : wordsOf(issue)}`,
          ],
        ],
  );
/** Of a key of a record, what is wrong with it. */
const wordsOf = (issue: z.core.$ZodIssue): string =>
  (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
const missing = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' && /received (undefined|null)$/.test(issue.message);

/** Has all that a store can have. */
const anyStore = new Proxy({}, { get: () => () => undefined }) as GrantStore;
const anyKey: KeySigner = { address: '1'.repeat(32), sign: () => Buffer.alloc(64) };

/** What the paywall would refuse, and what does not fit together. */
const misfits = (file: GateFile): (readonly [Path, string])[] => {
  const faults: (readonly [Path, string])[] = [];
  const shapes = new Set<string>();
  for (const [at, { price, free: _, refundOn, ...route }] of file.routes.entries()) {
    if (shapes.has(shapeOf(route)))
      faults.push([['routes', at, 'path'], 'repeats the path of an earlier route']);
    shapes.add(shapeOf(route));
    if (refundOn.length > 0 && file.refundKey === undefined)
      faults.push([['routes', at, 'refundOn'], 'needs refundKey: the key file of the recipient']);
    if (price === undefined) continue;
    try {
      readOptions({ ...optionsOf(file, anyKey), price, store: anyStore });
    } catch (error) {
      const [, name = '', said = ''] = /^paywall: ([\w.]+): (.*)$/s.exec((error as Error).message) ?? [];
      const field = name === 'facilitator' ? 'settle' : (name.split('.').at(-1) ?? name);
      faults.push([field === 'price' ? ['routes', at, field] : [field], said]);
    }
  }
  return faults;
};
