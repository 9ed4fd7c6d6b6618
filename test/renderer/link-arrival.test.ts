// The link page's handling of its address, of a wallet's refusal, and of a request to wait.
import type { Wallet } from '@wallet-standard/base';
import { describe, expect, it } from 'vitest';
import { arrivalOf } from '../../renderer/screens/link/arrival.ts';
import { pauseAfter } from '../../renderer/screens/link/poll-pause.ts';
import { usableOf } from '../../renderer/screens/link/wallets.ts';
import { refusalBy } from '../../renderer/shared/wallets.ts';
import { AppError } from '../../server/errors.ts';

const nothing = { token: null, proof: null, problem: null };
const journey = { token: 'lnk_one', state: 'mine' };

describe('an address', () => {
  it.each([
    ['?token=lnk_one', '', null, { ...nothing, token: 'lnk_one' }],
    ['', '', null, nothing],
    ['', '', journey, nothing],
    [
      '?token=lnk_one',
      '#email=s3cret',
      null,
      { ...nothing, token: 'lnk_one', proof: { kind: 'email', secret: 's3cret' } },
    ],
    ['?token=lnk_one', '#email=', null, { ...nothing, token: 'lnk_one' }],
    [
      '?code=c&state=mine&iss=i',
      '',
      journey,
      {
        ...nothing,
        token: 'lnk_one',
        proof: { kind: 'provider', state: 'mine', callback: 'code=c&state=mine&iss=i' },
      },
    ],
    // The treasury reports the provider's refusal, and then forgets the sign-in.
    [
      '?error=access_denied&state=mine',
      '',
      journey,
      {
        ...nothing,
        token: 'lnk_one',
        proof: { kind: 'provider', state: 'mine', callback: 'error=access_denied&state=mine' },
      },
    ],
  ] as const)('%s%s leads to the right sign-in', (search, hash, kept, arrival) => {
    expect(arrivalOf(search, hash, kept)).toEqual(arrival);
  });

  it.each([
    ['?code=c&state=hers', journey, 'lnk_one'],
    ['?code=c', journey, 'lnk_one'],
    ['?error=access_denied&state=hers', journey, 'lnk_one'],
    ['?code=c&state=mine', null, null],
  ])('%s of a sign-in that this tab did not begin proves nothing', (search, kept, token) => {
    const arrival = arrivalOf(search, '', kept);
    expect([arrival.token, arrival.proof]).toEqual([token, null]);
    expect(arrival.problem).toContain('no sign-in of this tab');
  });
});

const tooSoon = (details?: Record<string, unknown>): Error =>
  new AppError('too_many_requests', 'wait', details);

describe('the pause between two polls', () => {
  it('is two and a half seconds, and longer when the treasury says so', () => {
    expect(pauseAfter(null, 0.9)).toBe(2_500);
    expect(pauseAfter(new Error('not reached'), 0.9)).toBe(2_500);
    expect(pauseAfter(tooSoon(), 0)).toBe(2_500);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 1 }), 0)).toBe(2_500);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 60 }), 0)).toBe(60_000);
    expect(pauseAfter(tooSoon({ retryAfterSeconds: 2 }), 0.5)).toBe(3_000);
  });
});

const wallet = (name: string, features: string[], chains = ['solana:mainnet']): Wallet =>
  ({
    name,
    chains,
    features: Object.fromEntries(features.map((feature) => [feature, {}])),
  }) as unknown as Wallet;

describe('wallets', () => {
  it('are shown when they can sign in on Solana, those with a sign-in feature first', () => {
    const found = usableOf([
      wallet('signs', ['standard:connect', 'solana:signMessage']),
      wallet('knows', ['solana:signIn', 'standard:connect', 'solana:signMessage']),
      wallet('elsewhere', ['solana:signIn'], ['ethereum:1']),
      wallet('cannot connect', ['solana:signMessage']),
      wallet('pays only', ['standard:connect', 'solana:signTransaction']),
    ]);
    expect(found.map(({ name }) => name)).toEqual(['knows', 'signs']);
  });

  it.each([
    { code: 4001, message: 'whatever' },
    new Error('User rejected the request.'),
    new Error('Approval Denied'),
    new Error('Plugin Closed'),
    'The user cancelled',
  ])('whose holder refused are recognised', (error) => {
    expect(refusalBy('Purse', error).message).toBe('You refused it in Purse. Nothing was signed.');
  });

  it('that failed otherwise are quoted, and the treasury’s own sentences stay', () => {
    expect(refusalBy('Purse', new Error('Device is busy.')).message).toBe(
      'Purse did not sign: Device is busy.',
    );
    const own = new AppError('not_found', 'This link session is over.');
    expect(refusalBy('Purse', own)).toBe(own);
  });
});
