// The vault's records: the marker, which is no secret, and the root, bare (in a keychain) or sealed.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { refuse } from './errors.ts';

const protections = ['keychain', 'keychain+seal', 'passphrase-file', 'key-file'] as const;
export type Protection = (typeof protections)[number];

const base64 = z.base64().max(1024);

const identitySchema = z.strictObject({
  vaultId: z.string().regex(/^[0-9a-f]{32}$/),
  network: z.enum(['sandbox', 'devnet', 'mainnet']),
  protection: z.enum(protections),
  treasuryAddress: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
  createdAt: z.iso.datetime(),
});

// These bounds keep a tampered file from asking for all memory: 2^20 * 16 * 128 B is 2 GiB.
const sealSchema = z.strictObject({
  kdf: z.literal('scrypt'),
  N: z
    .int()
    .min(2)
    .max(2 ** 20)
    .refine((n) => Number.isInteger(Math.log2(n))),
  r: z.int().min(1).max(16),
  p: z.int().min(1).max(16),
  salt: base64,
  cipher: z.literal('aes-256-gcm'),
  nonce: base64,
});

const markerSchema = z.strictObject({
  format: z.literal('agent-treasury vault v1'),
  ...identitySchema.shape,
});

const rootSchema = z.strictObject({
  format: z.literal('agent-treasury root v1'),
  ...identitySchema.shape,
  seal: sealSchema.nullable(),
  /** The root secret; with a seal, its ciphertext and tag. */
  root: base64,
  checksum: z.string(),
});

/** Which vault this is. The marker has these fields, and so has the root's record, where a seal authenticates them. */
export type Identity = z.infer<typeof identitySchema>;
export type Seal = z.infer<typeof sealSchema>;
export type RootRecord = Identity & { seal: Seal | null; root: string };

const identityOf = ({ vaultId, network, protection, treasuryAddress, createdAt }: Identity): Identity => ({
  vaultId,
  network,
  protection,
  treasuryAddress,
  createdAt,
});

export const printMarker = (identity: Identity): string =>
  `${JSON.stringify({ format: 'agent-treasury vault v1', ...identityOf(identity) }, null, 2)}\n`;

/** @throws AppError (reason `damaged`) naming `where` when the text is no marker */
export const parseMarker = (text: string, where: string): Identity =>
  identityOf(parse(markerSchema, text, where));

export const printRoot = (record: RootRecord): string => {
  const body = rootBody(record);
  return `${JSON.stringify({ ...body, checksum: checksumOf(body) })}\n`;
};

/**
 * The checksum is against accidents only: it tells a broken file from a wrong passphrase; the cipher cannot.
 * @throws AppError (reason `damaged`) naming `where`
 */
export const parseRoot = (text: string, where: string): RootRecord => {
  const record = parse(rootSchema, text, where);
  if (checksumOf(rootBody(record)) !== record.checksum) throw damaged(where);
  return record;
};

/** The header that a seal authenticates: whose root it is, and how it was sealed. */
export const sealedHeader = (identity: Identity, seal: Seal): Buffer => {
  const { kdf, N, r, p, salt, cipher, nonce } = seal;
  return Buffer.from(JSON.stringify([identityOf(identity), { kdf, N, r, p, salt, cipher, nonce }]));
};

export const damaged = (where: string, cause?: unknown): Error =>
  refuse(
    'damaged',
    `${where} is damaged or not the treasury's. Nothing has been changed. ` +
      'Put a copy of it back, or restore from the recovery phrase.',
    cause,
  );

const rootBody = (record: RootRecord) => ({
  format: 'agent-treasury root v1',
  ...identityOf(record),
  seal: record.seal,
  root: record.root,
});

const checksumOf = (body: object): string => createHash('sha256').update(JSON.stringify(body)).digest('hex');

// The cause is not passed on: a parser's error may quote its input.
const parse = <T>(schema: z.ZodType<T>, text: string, where: string): T => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged(where);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged(where);
  return parsed.data;
};
