// Answers of the owner from phones: their routes, and sentences about phones.
import { owner, type Route } from '../route.ts';

export const phoneRoutes = {
  listPhoneWallets: owner(
    'GET /v1/phone-wallets',
    'The wallets on the owner’s phones that may approve up to their limits, decline and freeze, and the request that freezes',
  ),
  phoneWalletText: owner(
    'POST /v1/phone-wallets/text',
    'A text for a wallet to sign, and a request for it to pay: either proves that the owner has it',
  ),
  registerPhoneWallet: owner(
    'POST /v1/phone-wallets',
    'Register a wallet; it denies and freezes at once, and approves from 24 hours later',
  ),
  setPhoneWalletLimits: owner(
    'POST /v1/phone-wallets/:phoneWalletId',
    'Change its limits; lower ones count at once, and after a raise it approves nothing for 24 hours',
  ),
  removePhoneWallet: owner(
    'DELETE /v1/phone-wallets/:phoneWalletId',
    'Remove a phone, such as a lost one: the treasury ignores it from now on, also while everything is frozen',
  ),
  listPhoneWords: owner(
    'GET /v1/phone-words',
    'Every word from a registered wallet, newest first: obeyed, or the reason why not',
  ),
  phoneRequests: owner(
    'GET /v1/approvals/:approvalId/phone',
    'The Solana Pay requests by which a phone answers this approval; show them to nobody else',
  ),
} as const satisfies Record<string, Route>;

/** The most that a stolen phone could do, until it is removed. Decimal USDC. */
export const stolenPhone = ({ perApproval, perDay }: { perApproval: string; perDay: string }): string[] => [
  isNothing(perApproval) || isNothing(perDay)
    ? 'A thief with this phone could approve nothing.'
    : `A thief with this phone could approve what your agents ask for: up to ${perApproval} USDC at once, and ${perDay} USDC in 24 hours.`,
  'The thief could decline requests and freeze everything, which you lift here.',
  'The thief could never raise a limit, unfreeze, withdraw, or link a machine.',
];

const isNothing = (amount: string): boolean => !/[1-9]/.test(amount);
