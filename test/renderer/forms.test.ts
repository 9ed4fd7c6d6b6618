// The forms' handling of amounts, refusals and lost answers.
import { describe, expect, it } from 'vitest';
import { acceleratorOf, inWords } from '../../renderer/screens/settings/accelerator.ts';
import { mostOf, notSent, withdrawalErrors } from '../../renderer/screens/treasury/withdrawal.ts';
import { amountRule, limitRule } from '../../renderer/shared/amount-rule.ts';
import { fieldErrors } from '../../renderer/shared/field-errors.ts';
import { endsTransfer } from '../../renderer/shared/transfer-key.ts';
import { shareOf } from '../../renderer/shared/share.ts';
import { timeLeft } from '../../renderer/shared/time-left.ts';
import { AppError, fieldErrors as refusalOfFields } from '../../server/errors.ts';
import { fieldsOf } from '../../renderer/screens/activity/receipt-fields.ts';
import { probablyMeant } from '../../renderer/shared/comma.ts';

describe('an amount', () => {
  it('is a decimal above zero of its asset', () => {
    expect([amountRule('1.50'), amountRule(' 0.000001 '), amountRule('0.000000001', 'SOL')]).toEqual([
      null,
      null,
      null,
    ]);
    for (const wrong of ['', '0', '0.00', '1,5', '-1', '1e3', '0.0000001']) {
      expect(amountRule(wrong), wrong).not.toBeNull();
    }
  });

  it('may be zero where it is a limit', () => {
    expect([limitRule('0'), limitRule('x')]).toEqual([null, expect.any(String)]);
  });

  it('fills a bar from nothing to all, and never more', () => {
    expect([shareOf('0', '5'), shareOf('1.25', '5'), shareOf('7', '5'), shareOf('1', '0')]).toEqual([
      0, 25, 100, 100,
    ]);
    expect(shareOf('999999999.999999', '999999999.999999')).toBe(100);
  });
});

const refusal = (code: ConstructorParameters<typeof AppError>[0]): AppError => new AppError(code, 'x');

describe('the idempotency key of a transfer', () => {
  it('is dropped only when the transfer can no longer happen', () => {
    for (const code of ['bad_request', 'insufficient_balance', 'payment_failed'] as const) {
      expect(endsTransfer(refusal(code)), code).toBe(true);
    }
    for (const code of ['internal', 'halted', 'locked', 'idempotency_conflict'] as const) {
      expect(endsTransfer(refusal(code)), code).toBe(false);
    }
    expect(endsTransfer(new Error('the connection was lost'))).toBe(false);
  });

  it('keeps the form from saying that nothing was sent when that is unknown', () => {
    expect(notSent(refusal('insufficient_balance'))).toBe('Nothing was sent.');
    expect(notSent(new Error('lost'))).not.toContain('Nothing was sent');
    expect(notSent(refusal('idempotency_conflict'))).toContain('may be under way');
  });
});

describe('a refused form', () => {
  it('shows the treasury’s errors at the fields that they name', () => {
    const error = refusalOfFields({
      to: 'must be a Solana address',
      amount: 'must be greater than zero',
    });
    expect(fieldErrors(error, ['to', 'amount'])).toEqual({
      to: 'It must be a Solana address.',
      amount: 'It must be greater than zero.',
    });
  });

  it('shows other errors for the form as a whole', () => {
    expect(fieldErrors(refusalOfFields({ other: 'is wrong' }), ['to'])).toBeNull();
    expect(fieldErrors(new AppError('locked', 'to: x'), ['to'])).toBeNull();
    expect(fieldErrors(null, ['to'])).toBeNull();
  });
});

const refused = (available: unknown, unit: string): Error =>
  new AppError('insufficient_balance', 'x', { available, unit });

describe('a withdrawal', () => {
  const own = '5vHd9y3HQec8EFBR8sr2ZLF5RsS4DbuazrtrAknpJpNo';
  const held = { USDC: '12.50', SOL: '1.00' };
  const other = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
  it('needs the address of another wallet and an amount', () => {
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '1' }, own, held)).toEqual({});
    expect(withdrawalErrors({ asset: 'SOL', to: other, amount: '0.000000001' }, own, held)).toEqual({});
    expect(
      Object.keys(withdrawalErrors({ asset: 'USDC', to: 'me', amount: '0.000000001' }, own, held)),
    ).toEqual(['to', 'amount']);
    expect(withdrawalErrors({ asset: 'USDC', to: own, amount: '1' }, own, held)['to']).toContain(
      'own address',
    );
  });

  it('is no more than the treasury holds', () => {
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '12.50' }, own, held)).toEqual({});
    expect(withdrawalErrors({ asset: 'USDC', to: other, amount: '99999999' }, own, held)).toEqual({
      amount: 'At most 12.50 USDC can go now.',
    });
    expect(withdrawalErrors({ asset: 'SOL', to: other, amount: '1.000000001' }, own, held)).toEqual({
      amount: 'At most 1.00 SOL can go now.',
    });
  });

  it('offers the amount that the treasury can send', () => {
    expect(mostOf(refused('1500000', 'micro-USDC'))).toEqual({ asset: 'USDC', amount: '1.50' });
    expect(mostOf(refused('1500000', 'lamports'))).toEqual({ asset: 'SOL', amount: '0.0015' });
    expect([mostOf(refused('0', 'lamports')), mostOf(refused('1.5', 'x')), mostOf(null)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

const pressed = (code: string, more: object = {}) =>
  acceleratorOf({
    key: '?',
    code,
    ctrlKey: false,
    altKey: false,
    shiftKey: false,
    metaKey: false,
    ...more,
  });

describe('an amount with a comma', () => {
  it('is asked about where the browser’s language writes so, and nowhere else', () => {
    expect(
      ['1,5', ' 0,000001 ', '1.500,25', '1 500,25', '007,5'].map((text) => probablyMeant(text, ',')),
    ).toEqual(['1.5', '0.000001', '1500.25', '1500.25', '7.5']);
    expect(
      ['1.5', '1,500.25', '1,', ',5', '1,5,5', '1500', 'a,b', '-1,5'].map((text) => probablyMeant(text, ',')),
    ).toEqual(Array.from({ length: 8 }, () => null));
    expect(probablyMeant('1,5', '.')).toBeNull();
  });
});

const encoded = (value: unknown): string => `v1.${Buffer.from(JSON.stringify(value)).toString('base64')}`;

describe('a receipt', () => {
  it('is read for the owner, and is shown as it is where it cannot be read', () => {
    const fields = fieldsOf(encoded({ amount: '0.10', service: 'Wetter für Köln', extra: 'x', payer: 7 }));
    expect(fields.map(({ label, value }) => [label, value])).toEqual([
      ['Amount', '0.10'],
      ['Service', 'Wetter für Köln'],
    ]);
    for (const bad of ['', 'v1.', 'v1.!!!', 'v1.e30=x', encoded([1]), encoded('text'), 'other'])
      expect(fieldsOf(bad)).toEqual([]);
  });
});

describe('a shortcut', () => {
  it('is named by the places of its keys', () => {
    expect(pressed('KeyX', { ctrlKey: true, altKey: true, shiftKey: true })).toBe('Control+Alt+Shift+X');
    expect(pressed('Digit1', { metaKey: true, shiftKey: true })).toBe('Super+Shift+1');
    expect(pressed('F12', { altKey: true })).toBe('Alt+F12');
  });

  it('needs Ctrl, Alt or Command, and another key', () => {
    expect([pressed('KeyX'), pressed('KeyX', { shiftKey: true })]).toEqual([null, null]);
    expect(pressed('ControlLeft', { ctrlKey: true })).toBeNull();
  });

  it('is shown in the system’s words', () => {
    expect(inWords('CommandOrControl+Alt+Shift+X', 'linux')).toBe('Ctrl + Alt + Shift + X');
    expect(inWords('CommandOrControl+Alt+X', 'darwin arm64')).toBe('Command + Option + X');
  });
});

describe('the time left', () => {
  it('is shown with its two largest units', () => {
    const seconds = [-1, 0.2, 59, 60, 754, 3_600, 5_430, 90_000];
    expect(seconds.map((each) => timeLeft(each * 1_000))).toEqual([
      'no time',
      '1 s',
      '59 s',
      '1 min',
      '12 min 34 s',
      '1 h',
      '1 h 30 min',
      '1 d 1 h',
    ]);
  });
});
