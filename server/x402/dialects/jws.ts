// Signatures of sellers: compact JWS whose key its own name holds, as did:key and did:jwk do. A did:web would have to be
// fetched, and is not. https://www.rfc-editor.org/rfc/rfc7515 https://w3c-ccg.github.io/did-key-spec/
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import bs58 from 'bs58';
import { decodeObject, isObject, type JsonObject } from '../../lib/base64-json.ts';
import { inert, quoted } from './words.ts';

export interface Jws {
  payload: JsonObject;
  /** The name of the key, as the signature has it; empty: it names none. */
  signedBy: string;
  /** Why it is not known to be that key's signature; null: it is. */
  why: string | null;
}

/** Null for anything but a compact JWS over a JSON object. */
export const readJws = (text: string): Jws | null => {
  const [head = '', body = '', signature = '', ...more] = text.split('.');
  const header = decodeObject(head, 'base64url');
  const payload = decodeObject(body, 'base64url');
  if (header === null || payload === null || signature === '' || more.length > 0) return null;
  const { alg, kid, crit } = header;
  const signedBy = typeof kid === 'string' ? inert(kid) : '';
  const refused = (why: string): Jws => ({ payload, signedBy, why });
  if (crit !== undefined) return refused('It uses extensions of JWS that are not known here.');
  const key = typeof kid === 'string' ? keyOf(kid) : null;
  if (key === null) return refused('Its key is not in its name: only did:key and did:jwk are read.');
  const algorithm = algorithms.find(({ name, fits }) => name === alg && fits(key));
  if (algorithm === undefined) return refused(`Its algorithm ${quoted(alg)} is not that of its key.`);
  const signed = Buffer.from(`${head}.${body}`);
  const isTrue = verify(
    algorithm.digest,
    signed,
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  return isTrue ? { payload, signedBy, why: null } : refused('Its signature is false.');
};

const isCurve =
  (name: string) =>
  ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean =>
    asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === name;

const algorithms = [
  { name: 'EdDSA', digest: null, fits: (key: KeyObject) => key.asymmetricKeyType === 'ed25519' },
  { name: 'ES256', digest: 'sha256', fits: isCurve('prime256v1') },
  { name: 'ES256K', digest: 'sha256', fits: isCurve('secp256k1') },
] as const;

/** The key that a DID holds itself; null for any other. */
const keyOf = (kid: string): KeyObject | null => {
  const [, method, identifier = ''] = /^did:(key|jwk):([A-Za-z0-9_-]{1,1000})(?:#.*)?$/s.exec(kid) ?? [];
  try {
    const jwk = method === 'key' ? jwkOfDidKey(identifier) : decodeObject(identifier, 'base64url');
    if (!isObject(jwk) || Object.hasOwn(jwk, 'd')) return null;
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return null;
  }
};

const curves = { 'P-256': p256, secp256k1 } as const;

/** Multibase base58, then a multicodec's two bytes, then the key. */
const jwkOfDidKey = (identifier: string): JsonObject | null => {
  if (!identifier.startsWith('z')) return null;
  const bytes = Buffer.from(bs58.decode(identifier.slice(1)));
  const key = bytes.subarray(2);
  switch (bytes.readUInt16BE(0)) {
    case 0xed01:
      return { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
    case 0xe701:
      return pointOf('secp256k1', key);
    case 0x8024:
      return pointOf('P-256', key);
    default:
      return null;
  }
};

const pointOf = (crv: keyof typeof curves, compressed: Buffer): JsonObject => {
  const point = Buffer.from(curves[crv].Point.fromHex(compressed.toString('hex')).toBytes(false));
  const [x, y] = [point.subarray(1, 33), point.subarray(33)];
  return { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') };
};
