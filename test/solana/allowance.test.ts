// The account of a cold treasury. Of the allowance that a wallet signs nothing passes but what we have built, with the
// wallet's own fee and guards; and only an account that this treasury may draw on has an allowance.
import {
  AccountLayout,
  AccountState,
  createTransferCheckedInstruction,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { describe, expect, it } from 'vitest';
import { buildAllowance, signatureOn } from '../../server/solana/allowance.ts';
import { readColdAccount } from '../../server/solana/cold.ts';
import type { Rpc } from '../../server/solana/rpc/rpc.ts';
import { AppError } from '../../server/errors.ts';
import { usdc } from '../../server/money.ts';

const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const [cold, thief] = [Keypair.generate(), Keypair.generate()];
const treasury = Keypair.generate().publicKey.toBase58();
const lifetime = { blockhash: treasury, slot: 1_000, height: 900, lastValidHeight: 1_050 };

const built = (units = 50_000_000n, price = 0n, delegate = treasury): Uint8Array =>
  buildAllowance(
    { address: cold.publicKey.toBase58(), allowance: usdc(units), lifetime, salt: 0 },
    { mint, treasury: delegate, price },
  );
const instructionsOf = (wire: Uint8Array): TransactionInstruction[] =>
  TransactionMessage.decompile(VersionedTransaction.deserialize(wire).message).instructions;

interface Made {
  instructions: TransactionInstruction[];
  payer?: Keypair;
  signers?: Keypair[];
  blockhash?: string;
}
/** A transaction of the wallet's own making, signed. */
const made = ({
  instructions,
  payer = cold,
  signers = [payer],
  blockhash = lifetime.blockhash,
}: Made): Uint8Array => {
  const message = new TransactionMessage({
    payerKey: payer.publicKey,
    recentBlockhash: blockhash,
    instructions,
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign(signers);
  return transaction.serialize();
};
const ours = instructionsOf(built());
const lighthouse = (kind: number): TransactionInstruction =>
  new TransactionInstruction({
    programId: new PublicKey('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'),
    keys: [{ pubkey: cold.publicKey, isSigner: false, isWritable: false }],
    data: Buffer.from([kind, 1, 2, 3]),
  });
const price = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 7 });
const transfer = createTransferCheckedInstruction(
  cold.publicKey,
  new PublicKey(mint),
  thief.publicKey,
  cold.publicKey,
  1n,
  6,
);

describe('a wallet', () => {
  it('signs what we built, as we built it', () => {
    const transaction = VersionedTransaction.deserialize(built(0n, 5n));
    transaction.sign([cold]);
    expect(signatureOn(built(0n, 5n), transaction.serialize())).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
  });

  it('may add its network fee and guards that only assert', () => {
    const guarded = made({ instructions: [price, ...ours, lighthouse(5)] });
    expect(signatureOn(built(), guarded)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
  });

  const changed: Record<string, [Made | Uint8Array, string]> = {
    'another amount': [{ instructions: instructionsOf(built(51_000_000n)) }, 'its amount'],
    'another delegate': [
      { instructions: instructionsOf(built(50_000_000n, 0n, thief.publicKey.toBase58())) },
      'its amount, its accounts',
    ],
    'a revocation instead': [{ instructions: instructionsOf(built(0n)) }, 'its amount'],
    'a transfer more': [{ instructions: [...ours, transfer] }, 'that we did not ask for'],
    'SOL sent away': [
      {
        instructions: [
          SystemProgram.transfer({ fromPubkey: cold.publicKey, toPubkey: thief.publicKey, lamports: 1n }),
          ...ours,
        ],
      },
      'an instruction for the program 11111111111111111111111111111111',
    ],
    'the same twice': [{ instructions: [...ours, ...ours] }, 'instructions differ'],
    'a guard that writes': [{ instructions: [...ours, lighthouse(0)] }, 'that we did not ask for'],
    nothing: [{ instructions: [] }, 'instructions differ'],
    'another payer': [{ instructions: ours, payer: thief, signers: [thief, cold] }, 'another wallet'],
    'another lifetime': [{ instructions: ours, blockhash: mint }, 'another time'],
    'no transaction': [Uint8Array.of(1, 2, 3), 'it is no transaction'],
  };
  it.each(Object.entries(changed))('that returns %s is noticed', (_name, [returned, why]) => {
    const wire = returned instanceof Uint8Array ? returned : made(returned);
    expect(() => signatureOn(built(), wire)).toThrow(why);
    expect(() => signatureOn(built(), wire)).toThrow('Nothing was sent.');
  });

  it('that did not sign is noticed', () => {
    expect(() => signatureOn(built(), built())).toThrow('did not sign');
  });

  it('that returns anything at all gets an answer', () => {
    const wire = made({ instructions: ours });
    for (let place = 0; place < wire.length; place += 1)
      for (const flip of [1, 0x7f, 0x80]) {
        const damaged = Uint8Array.from(wire);
        damaged[place] = (damaged[place] ?? 0) ^ flip;
        expect(() => signatureOn(built(), damaged), `byte ${place}`).toThrow(AppError);
      }
  });
});

const account = (more: object, program = TOKEN_PROGRAM_ID.toBase58()): unknown => {
  const data = Buffer.alloc(AccountLayout.span);
  AccountLayout.encode(
    {
      mint: new PublicKey(mint),
      owner: cold.publicKey,
      amount: 500n,
      delegateOption: 1,
      delegate: new PublicKey(treasury),
      delegatedAmount: 20n,
      state: AccountState.Initialized,
      isNativeOption: 0,
      isNative: 0n,
      closeAuthorityOption: 0,
      closeAuthority: cold.publicKey,
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
  return readColdAccount(rpc, { address: cold.publicKey.toBase58(), mint, treasury });
};

it.each([
  ['allowed', account({}), { balance: 500n, allowance: 20n, fault: null }],
  ['frozen by its issuer', account({ state: AccountState.Frozen }), { allowance: 20n, fault: 'frozen' }],
  [
    'frozen, and another’s to draw',
    account({ state: AccountState.Frozen, delegate: thief.publicKey }),
    { allowance: 0n, fault: 'frozen' },
  ],
  ['another’s to draw', account({ delegate: thief.publicKey }), { allowance: 0n, fault: 'delegate' }],
  ['revoked', account({ delegateOption: 0 }), { allowance: 0n, fault: 'delegate' }],
  ['used up', account({ delegatedAmount: 0n }), { allowance: 0n, fault: 'delegate' }],
  [
    'given to another owner',
    account({ owner: thief.publicKey }),
    { balance: 0n, allowance: 0n, fault: 'missing' },
  ],
  ['another program’s', account({}, thief.publicKey.toBase58()), { allowance: 0n, fault: 'missing' }],
  ['closed', null, { balance: 0n, allowance: 0n, fault: 'missing' }],
])('an account that is %s', async (_name, value, expected) => {
  expect(await read(value)).toMatchObject({ slot: 7, ...expected });
});
