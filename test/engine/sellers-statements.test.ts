// A receipt that a seller signed is held against the transaction that paid, once that is known.
import { expect, it } from 'vitest';
import { shownEvidence } from '../../server/engine/calls/statements.ts';

const receipt = { signedBy: 'did:key:z', signature: 'a.b.c', transaction: 'ours', why: null };
const why = (
  transaction: string | null,
  txSignature: string | null,
  before: string | null = null,
): unknown => {
  const evidence = {
    shown: 1,
    statements: { offer: null, receipt: { ...receipt, transaction, why: before } },
  };
  const shown = shownEvidence(evidence, txSignature) as { statements: { receipt: { why: unknown } } };
  return shown.statements.receipt.why;
};

it.each([
  ['that names no transaction holds', null, 'ours', null],
  ['that names the transaction that paid holds', 'ours', 'ours', null],
  ['that names another does not', 'other', 'ours', 'It names another transaction.'],
  [
    'is not known to hold before the transaction is',
    'ours',
    null,
    'The transaction that paid is not known yet.',
  ],
])('one %s', (_case, named, paid, told) => {
  expect(why(named, paid)).toBe(told);
});

it('one that is wrong for another reason keeps that reason', () => {
  expect(why('other', 'ours', 'Its signature is false.')).toBe('Its signature is false.');
});

it('evidence without statements is shown as it is', () => {
  expect(shownEvidence(null, 'ours')).toBeNull();
  expect(shownEvidence({ shown: 1 }, 'ours')).toEqual({ shown: 1 });
});
