// A token account whose owner is itself an associated token account: its tokens go to the wallet behind both.
import { sameKey, view } from '../account.ts';
import { addressOf, callToken, log, readTokenAccount, steps, take } from './associated-token.ts';
import type { Call, Party } from './instruction.ts';
import { spendSteps } from './instruction.ts';
import { refuse, type InstructionError } from './refusal.ts';
import { isInitialized, mintAt, mintBytes } from './token/state.ts';

interface Nesting {
  readonly nested: Party;
  readonly nestedMint: Party;
  readonly destination: Party;
  readonly outer: Party;
  readonly outerMint: Party;
  readonly wallet: Party;
  readonly token: Party;
}

export const recoverNested = (call: Call): void => {
  const [nested, nestedMint, destination, outer, outerMint, wallet, token] = take(call, 7);
  const nesting = { nested, nestedMint, destination, outer, outerMint, wallet, token };
  checkAddresses(call, nesting);
  const { amount, decimals } = checkOwners(call, nesting);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(amount);
  const signer = { key: outer.key, signer: true };
  const transfer = Buffer.concat([Uint8Array.of(12), bytes, Uint8Array.of(decimals)]);
  const parties = [
    { key: nested.key, writable: true },
    { key: nestedMint.key },
    { key: destination.key, writable: true },
    signer,
  ];
  callToken(call, { token, signer: outer.key, units: steps.nestedTransfer }, parties, transfer);
  const closing = [{ key: nested.key, writable: true }, { key: wallet.key, writable: true }, signer];
  callToken(call, { token, signer: outer.key, units: steps.nestedClose }, closing, Uint8Array.of(9));
};

const checkAddresses = (call: Call, nesting: Nesting): void => {
  const { nested, nestedMint, destination, outer, outerMint, wallet, token } = nesting;
  const check = (name: string, party: Party, owner: Party, mint: Party): void => {
    if (sameKey(addressOf(call, owner.key, mint.key, token.key), party.key)) return;
    fail(call, `Error: ${name} associated address does not match seed derivation`, 'InvalidSeeds');
  };
  check('Owner', outer, wallet, outerMint);
  check('Nested', nested, outer, nestedMint);
  check('Destination', destination, wallet, nestedMint);
  if (!wallet.signer)
    fail(call, 'Wallet of the owner associated token account must sign', 'MissingRequiredSignature');
};

const wrongOwner = { Custom: 0 } as const;

const checkOwners = (call: Call, nesting: Nesting): { amount: bigint; decimals: number } => {
  const { nested, nestedMint, outer, outerMint, wallet, token } = nesting;
  const checkProgram = (party: Party, words: string): void => {
    if (!sameKey(party.account.owner, token.key)) fail(call, words, 'IllegalOwner');
  };
  spendSteps(call, steps.nestedOwners);
  checkProgram(outerMint, 'Owner mint not owned by provided token program');
  checkProgram(
    outer,
    'Owner associated token account not owned by provided token program, recreate the owner associated token account first',
  );
  if (!sameKey(readTokenAccount(outer).owner, wallet.key))
    fail(call, 'Owner associated token account not owned by provided wallet', wrongOwner);
  checkProgram(nested, 'Nested associated token account not owned by provided token program');
  const { owner, amount } = readTokenAccount(nested);
  if (!sameKey(owner, outer.key))
    fail(call, 'Nested associated token account not owned by provided associated token account', wrongOwner);
  checkProgram(nestedMint, 'Nested mint account not owned by provided token program');
  const mint = view(nestedMint.account.data);
  if (!isInitialized(mint, mintBytes, mintAt.isInitialized)) refuse('UninitializedAccount');
  return { amount, decimals: mint[mintAt.decimals] ?? 0 };
};

const fail = (call: Call, words: string, error: InstructionError): never => {
  log(call, words);
  return refuse(error);
};
