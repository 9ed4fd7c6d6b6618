import { createPublicKey, verify } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import bs58 from 'bs58';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeReceipt,
  encodeReceipt,
  receiptPayload,
  verifyReceiptSignature,
} from '../../server/lib/solana/receipt.ts';
import { base64Json, sampleReceipt, signReceipt } from '../x402/keys.ts';

const payer = Keypair.generate();
const unsigned = sampleReceipt(payer);
const receipt = signReceipt({ ...unsigned, invoice: 'inv-1' }, payer);
const encode = (text: string) => `v1.${Buffer.from(text, 'utf8').toString('base64')}`;

describe('a receipt as a header', () => {
  test('reads back what was written', () => {
    expect(decodeReceipt(encodeReceipt(receipt))).toEqual(receipt);
    expect(decodeReceipt(encodeReceipt(signReceipt(unsigned, payer)))).not.toHaveProperty('invoice');
  });

  test('is the prefix and the canonical JSON in base64', () => {
    const header = encodeReceipt(receipt);
    expect(header).toMatch(/^v1\.[A-Za-z0-9+/]+=*$/);
    const json = Buffer.from(header.slice(3), 'base64').toString();
    expect(Object.keys(JSON.parse(json))).toEqual(Object.keys(receipt).toSorted());
  });

  test('may have spaces and any order of keys', () => {
    const reversed = Object.fromEntries(Object.entries(receipt).toReversed());
    expect(decodeReceipt(encode(JSON.stringify(reversed, null, 2)))).toEqual(receipt);
  });

  const json = JSON.stringify(receipt);
  const changed = (change: Record<string, unknown>) => `v1.${base64Json({ ...receipt, ...change })}`;
  test.each<[string, string]>([
    ['no prefix', encodeReceipt(receipt).slice(3)],
    ['another version', encodeReceipt(receipt).replace('v1.', 'v2.')],
    ['a prefix alone', 'v1.'],
    ['an upper-case prefix', encodeReceipt(receipt).replace('v1.', 'V1.')],
    ['a space before it', ` ${encodeReceipt(receipt)}`],
    ['base64 with a line break', encodeReceipt(receipt).replace(/(.{40})/, '$1\n')],
    [
      'base64url',
      encode(JSON.stringify({ ...receipt, service: '???>>>' }))
        .replaceAll('/', '_')
        .replaceAll('+', '-'),
    ],
    ['base64 without its padding', encode(`${json}${' '.repeat(4 - (json.length % 3))}`).replace(/=+$/, '')],
    ['two headers joined into one', `${encodeReceipt(receipt)}, ${encodeReceipt(receipt)}`],
    [
      'bytes that are not UTF-8',
      `v1.${Buffer.from(json.replace('sandbox-weather', 'sandbox\xff'), 'latin1').toString('base64')}`,
    ],
    ['a byte order mark', encode(`\ufeff${json}`)],
    ['JSON cut short', encode(json.slice(0, -1))],
    ['an array', encode(`[${json}]`)],
    ['null', encode('null')],
    ['an unknown field', changed({ extra: 'x' })],
    ['the same key twice', encode(json.replace('{', '{"amount":"9.00",'))],
    ['the same key twice, once escaped', encode(json.replace('{', '{"\\u0061mount":"9.00",'))],
    ['a field of __proto__', encode(json.replace('{', '{"__proto__":{},'))],
    ['more than 4 KiB', encode(`${json}${' '.repeat(4096)}`)],
    ['a number as amount', changed({ amount: 0.01 })],
    ['an amount of zero', changed({ amount: '0.00' })],
    ['an amount in hexadecimal', changed({ amount: '0x10' })],
    ['an amount with an exponent', changed({ amount: '1e3' })],
    ['an amount with a space', changed({ amount: ' 1' })],
    ['a negative amount', changed({ amount: '-1' })],
    ['seven decimal places', changed({ amount: '0.0000001' })],
    ['another currency', changed({ currency: 'EURC' })],
    ['a time with an offset', changed({ timestamp: '2026-11-02T10:00:00+01:00' })],
    ['a time in seconds', changed({ timestamp: '1762077600' })],
    ['a recipient of 31 bytes', changed({ recipient: bs58.encode(Buffer.alloc(31, 9)) })],
    ['a recipient outside base58', changed({ recipient: '0OIl'.repeat(10) })],
    ['a transaction signature of 63 bytes', changed({ txSignature: bs58.encode(Buffer.alloc(63, 9)) })],
    ['a payment id with a colon', changed({ paymentId: 'a:b' })],
    ['an invoice of 65 characters', changed({ invoice: 'x'.repeat(65) })],
    ['an invoice of null', changed({ invoice: null })],
    ['an unknown network', changed({ network: 'testnet' })],
    ['half a surrogate pair', changed({ service: '\ud800' })],
    ['a signature of 63 bytes', changed({ signature: Buffer.alloc(63).toString('base64') })],
    ['a signature in hexadecimal', changed({ signature: 'ab'.repeat(64) })],
    ...Object.keys(unsigned).map((field): [string, string] => [
      `no ${field}`,
      changed({ [field]: undefined }),
    ]),
  ])('is refused with %s', (_, header) => {
    expect(decodeReceipt(header)).toBeNull();
  });

  test('is never read from noise, and noise never throws', () => {
    const noise = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.base64String({ maxLength: 300 }).map((text) => `v1.${text}`),
      fc.json().map(encode),
      fc.string({ unit: 'binary' }).map(encode),
      fc.tuple(fc.nat(json.length), fc.string({ maxLength: 3 })).map(([at, text]) => {
        const damaged = json.slice(0, at) + text + json.slice(at + 1);
        return encode(damaged);
      }),
    );
    const property = fc.property(noise, (header) => {
      const read = decodeReceipt(header);
      return (
        read === null || !verifyReceiptSignature(read) || receiptPayload(read) === receiptPayload(receipt)
      );
    });
    fc.assert(property, { numRuns: 20_000 });
  });
});

describe('the payer’s signature', () => {
  test('is over the canonical JSON after one line that names its purpose', () => {
    const canonical = JSON.stringify(
      Object.fromEntries(
        Object.entries({ ...unsigned, invoice: 'inv-1' }).toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    );
    expect(receiptPayload(receipt)).toBe(canonical);
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: payer.publicKey.toBuffer().toString('base64url') },
      format: 'jwk',
    });
    const bytes = Buffer.from(`agent-treasury receipt v1\n${canonical}`);
    expect(verify(null, bytes, key, Buffer.from(receipt.signature, 'base64'))).toBe(true);
  });

  test('holds for the receipt it was made for', () => {
    expect(verifyReceiptSignature(receipt)).toBe(true);
  });

  test.each(Object.entries({ ...unsigned, invoice: 'inv-1' }))(
    'does not hold with another %s',
    (field, value) => {
      const other: Record<string, string> = {
        network: 'mainnet',
        currency: 'EURC',
        payer: unsigned.recipient,
      };
      expect(verifyReceiptSignature({ ...receipt, [field]: other[field] ?? `${value}1` })).toBe(false);
    },
  );

  test('does not hold without the invoice, nor with one that was not signed', () => {
    const { invoice: _, ...without } = receipt;
    expect(verifyReceiptSignature(without)).toBe(false);
    expect(verifyReceiptSignature({ ...signReceipt(unsigned, payer), invoice: 'inv-1' })).toBe(false);
  });

  test('does not hold with any bit of it changed', () => {
    const bytes = Buffer.from(receipt.signature, 'base64');
    for (let bit = 0; bit < 512; bit++) {
      const damaged = Buffer.from(bytes);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(verifyReceiptSignature({ ...receipt, signature: damaged.toString('base64') })).toBe(false);
    }
  });

  test('has only one form: the same signature plus the group’s order is refused', () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const bytes = Buffer.from(receipt.signature, 'base64');
    let scalar = 0n;
    for (let at = 63; at >= 32; at--) scalar = (scalar << 8n) | BigInt(bytes.readUInt8(at));
    scalar += order;
    for (let at = 32; at < 64; at++, scalar >>= 8n) bytes.writeUInt8(Number(scalar & 255n), at);
    expect(verifyReceiptSignature({ ...receipt, signature: bytes.toString('base64') })).toBe(false);
  });

  test('is never the signature of a transaction, whatever the receipt holds', () => {
    const first = Buffer.from('agent-treasury receipt v1\n');
    const [required, readonlySigned] = [first[0] ?? 0, first[1] ?? 0];
    // A legacy message: its header has to leave at least one writable signer.
    expect(required < 128 && readonlySigned >= required).toBe(true);
  });
});
