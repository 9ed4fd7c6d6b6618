// The owner's words from phones.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { address, decimal, limit, pageLimit, passphrase, plainText, shared, timestamp } from '../fields.ts';

const walletPath = z.object({ phoneWalletId: z.string() });
const proof = passphrase.optional().describe('the vault’s passphrase; needed where the vault has one');
const nonce = z
  .string({ error: 'must be text' })
  .regex(/^[0-9a-f]{32}$/, 'must be the nonce of a text to sign: 32 hexadecimal digits');
const limits = {
  perApproval: limit.describe(
    'the most that one approval may be for, in decimal USDC; 0: it approves nothing',
  ),
  perDay: limit.describe('the most that it approves in 24 hours, in decimal USDC; 0: it approves nothing'),
};
const walletReply = z.object({
  phoneWalletId: z.string(),
  name: z.string(),
  address: z.string(),
  perApproval: decimal,
  perDay: decimal,
  registeredAt: timestamp,
  approvesFrom: timestamp.describe('its approvals count from then on; denials and freezes at once'),
});
const request = z.string().describe('a Solana Pay transfer request, for a QR code or a link');

export const phonesExchanges = {
  listPhoneWallets: get(
    nothing,
    nothing,
    z.object({
      wallets: z.array(walletReply),
      freeze: request.describe('freezes everything when a registered wallet pays it; it never expires'),
      test: request.describe('changes nothing: its word is listed once a registered wallet has paid it'),
    }),
  ),
  phoneWalletText: post(
    nothing,
    z.strictObject({ address }),
    z.object({
      text: z.string(),
      request: request.describe('the wallet may pay this instead of signing the text'),
      nonce,
      expiresAt: shared.deadline,
    }),
  ),
  registerPhoneWallet: post(
    nothing,
    z.strictObject({
      name: plainText(40).refine((text) => text.length > 0, 'must not be empty'),
      address,
      nonce: nonce.describe('of the text that the wallet signed; it is used up'),
      signature: z
        .base64({ error: 'must be the signature in base64' })
        .optional()
        .describe(
          'by the wallet, over the text of this nonce. Without it, the wallet has to have paid the request: 409 until that is final',
        ),
      perApproval: limits.perApproval.optional(),
      perDay: limits.perDay.optional(),
      passphrase: proof,
    }),
    walletReply,
  ),
  setPhoneWalletLimits: post(
    walletPath,
    z.strictObject({
      perApproval: limits.perApproval.optional(),
      perDay: limits.perDay.optional(),
      passphrase: proof.describe('the vault’s passphrase; a raise needs it where the vault has one'),
    }),
    walletReply,
  ),
  removePhoneWallet: post(walletPath, nothing, z.object({ phoneWalletId: z.string(), removed: z.boolean() })),
  listPhoneWords: get(
    nothing,
    z.strictObject({ limit: pageLimit(500, 100) }),
    z.object({
      words: z.array(
        z.object({
          txSignature: shared.txSignature,
          phoneWalletId: z.string(),
          memo: z.string(),
          approvalId: shared.approvalId.nullable(),
          approved: decimal.describe('USDC; 0 when it approved nothing'),
          whyNot: z.string().nullable().describe('null: it was obeyed'),
          readAt: timestamp,
        }),
      ),
    }),
  ),
  phoneRequests: get(
    z.object({ approvalId: shared.approvalId }),
    nothing,
    z.object({
      approve: request.nullable().describe('null: no registered phone may approve this'),
      deny: request.nullable().describe('null: a phone can no longer answer this approval'),
      until: shared.deadline.describe('30 seconds before the deadline, since a word has to become final'),
    }),
  ),
};
