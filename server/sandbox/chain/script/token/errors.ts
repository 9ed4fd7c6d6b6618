// Errors of the Token program: its own have numbers and words, and the runtime's have their names.
import { refuse, type Refusal } from '../refusal.ts';

/** In the order of their numbers. */
const own = [
  ['NotRentExempt', 'Lamport balance below rent-exempt threshold'],
  ['InsufficientFunds', 'insufficient funds'],
  ['InvalidMint', 'Invalid Mint'],
  ['MintMismatch', 'Account not associated with this Mint'],
  ['OwnerMismatch', 'owner does not match'],
  ['FixedSupply', 'the total supply of this token is fixed'],
  ['AlreadyInUse', 'account or token already in use'],
  ['InvalidNumberOfProvidedSigners', 'Invalid number of provided signers'],
  ['InvalidNumberOfRequiredSigners', 'Invalid number of required signers'],
  ['UninitializedState', 'State is uninitialized'],
  ['NativeNotSupported', 'Instruction does not support native tokens'],
  ['NonNativeHasBalance', 'Non-native account can only be closed if its balance is zero'],
  ['InvalidInstruction', 'Invalid instruction'],
  ['InvalidState', 'Invalid account state for operation'],
  ['Overflow', 'Operation overflowed'],
  ['AuthorityTypeNotSupported', 'Account does not support specified authority type'],
  ['MintCannotFreeze', 'This token mint cannot freeze accounts'],
  ['AccountFrozen', 'Account is frozen'],
  ['MintDecimalsMismatch', 'decimals different from the Mint decimals'],
  ['NonNativeNotSupported', 'Instruction does not support non-native tokens'],
] as const;

type TokenError = (typeof own)[number][0];

/** @throws Refusal with the number of this error */
export const fail = (name: TokenError): never => refuse(numbered(name));

export const numbered = (name: TokenError): { Custom: number } => ({
  Custom: own.findIndex(([other]) => other === name),
});

/** The line that the program leaves in the log. */
export const errorLine = ({ error }: Refusal): string =>
  `Error: ${typeof error === 'string' ? error : own[error.Custom]?.[1]}`;
