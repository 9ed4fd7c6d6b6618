// What is read of a cold treasury's account: only an account that this treasury may draw on has an allowance.
import { AccountLayout, AccountState, TOKEN_PROGRAM_ID } from '@solana/spl-token';
import { Keypair } from '@solana/web3.js';
import { expect, it } from 'vitest';
import { readColdAccount } from '../../server/solana/cold.ts';
import type { Rpc } from '../../server/solana/rpc.ts';

const [owner, treasury, stranger, mint] = [1, 2, 3, 4].map(() => Keypair.generate().publicKey);

const account = (more: object, program = TOKEN_PROGRAM_ID.toBase58()): unknown => {
  const data = Buffer.alloc(AccountLayout.span);
  AccountLayout.encode(
    {
      mint,
      owner,
      amount: 500n,
      delegateOption: 1,
      delegate: treasury,
      delegatedAmount: 20n,
      state: AccountState.Initialized,
      isNativeOption: 0,
      isNative: 0n,
      closeAuthorityOption: 0,
      closeAuthority: owner,
      ...more,
    } as never,
    data,
  );
  return { owner: program, data: [data.toString('base64'), 'base64'] };
};

const read = (value: unknown) => {
  const rpc: Rpc = {
    call: async (_method, _params, result) => result.parse({ context: { slot: 7 }, value }),
    close() {},
  };
  const [address = '', mintText = '', delegate = ''] = [owner, mint, treasury].map((key) => key?.toBase58());
  return readColdAccount(rpc, { address, mint: mintText, treasury: delegate });
};

it.each([
  ['allowed', account({}), { balance: 500n, allowance: 20n, fault: null }],
  ['frozen by its issuer', account({ state: AccountState.Frozen }), { allowance: 20n, fault: 'frozen' }],
  [
    'frozen, and another’s to draw',
    account({ state: AccountState.Frozen, delegate: stranger }),
    { allowance: 0n, fault: 'frozen' },
  ],
  ['another’s to draw', account({ delegate: stranger }), { allowance: 0n, fault: 'delegate' }],
  ['revoked', account({ delegateOption: 0 }), { allowance: 0n, fault: 'delegate' }],
  ['used up', account({ delegatedAmount: 0n }), { allowance: 0n, fault: 'delegate' }],
  ['given to another owner', account({ owner: stranger }), { balance: 0n, allowance: 0n, fault: 'missing' }],
  ['another program’s', account({}, stranger?.toBase58()), { allowance: 0n, fault: 'missing' }],
  ['closed', null, { balance: 0n, allowance: 0n, fault: 'missing' }],
])('an account that is %s', async (_name, value, expected) => {
  expect(await read(value)).toMatchObject({ slot: 7, ...expected });
});
