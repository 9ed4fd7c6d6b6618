import { describe, expect, it } from 'vitest';
import { passphraseStrength } from '../../renderer/screens/first-run/passphrase-strength.ts';
import {
  setUpErrors,
  setUpInput,
  wordsOf,
  type SetUpValues,
} from '../../renderer/screens/first-run/setup-form.ts';

const phrase = Array.from({ length: 24 }, (_, index) => `word${String.fromCharCode(97 + index)}`).join(' ');
const values: SetUpValues = {
  network: 'mainnet',
  rpcUrl: 'https://rpc.example.com',
  way: 'create',
  phrase: '',
  passphrase: 'a long passphrase',
  again: 'a long passphrase',
};

describe('the first start', () => {
  it('needs and sends nothing for the sandbox', () => {
    const sandbox: SetUpValues = { ...values, network: 'sandbox', rpcUrl: '', way: 'import', phrase };
    expect(setUpErrors(sandbox, false)).toEqual({});
    expect(setUpInput(sandbox, false)).toEqual({ network: 'sandbox' });
  });

  it('needs an RPC, and a passphrase twice, on mainnet', () => {
    const empty = { ...values, rpcUrl: '', passphrase: '', again: '' };
    expect(Object.keys(setUpErrors(empty, false))).toEqual(['rpcUrl', 'passphrase']);
    expect(Object.keys(setUpErrors({ ...values, again: 'a long passphrasd' }, false))).toEqual(['again']);
    expect(setUpErrors(values, false)).toEqual({});
  });

  it('accepts no passphrase on devnet, but not two different ones', () => {
    const devnet: SetUpValues = { ...values, network: 'devnet', passphrase: '', again: '' };
    expect(setUpErrors(devnet, false)).toEqual({});
    expect(setUpInput(devnet, false)).toEqual({ network: 'devnet', rpcUrl: values.rpcUrl });
    expect(Object.keys(setUpErrors({ ...devnet, passphrase: 'a long passphrase' }, false))).toEqual([
      'again',
    ]);
  });

  it('accepts 24 words in any layout', () => {
    const numbered = phrase
      .toUpperCase()
      .split(' ')
      .map((word, index) => `${index + 1}. ${word}`)
      .join('\n');
    expect(wordsOf(numbered).join(' ')).toBe(phrase);
    const imported: SetUpValues = { ...values, way: 'import', phrase: numbered };
    expect(setUpErrors(imported, false)).toEqual({});
    expect(setUpInput(imported, false)).toMatchObject({ phrase });
    expect(setUpErrors({ ...imported, phrase: 'only three words' }, false).phrase).toContain('these are 3');
  });

  it('never sends a phrase to a treasury that exists already', () => {
    const imported: SetUpValues = { ...values, way: 'import', phrase };
    expect(setUpInput(imported, true)).not.toHaveProperty('phrase');
    expect(setUpErrors({ ...imported, again: '' }, true)).toEqual({});
  });

  it('sends no phrase that was typed before the owner chose to make a new one', () => {
    expect(setUpInput({ ...values, phrase }, false)).not.toHaveProperty('phrase');
  });
});

describe('the hint about a passphrase', () => {
  it.each([
    ['short', 'seven77'],
    ['weak', 'aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['weak', 'password'],
    ['fair', 'correct horse'],
    ['strong', 'Correct horse, battery staple 9'],
  ])('says %s of "%s"', (strength, text) => {
    expect(passphraseStrength(text)).toBe(strength);
  });
});
