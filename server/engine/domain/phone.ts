// The owner's word from a phone: approvals, denials and freezes that arrive over the chain. Times are Unix milliseconds.
import { hash } from 'node:crypto';
import bs58 from 'bs58';
import { formatSol, lamports, parseUsdc, type Usdc } from '../../money.ts';
import type { Approval } from './approval.ts';

/** A wallet on a phone of the owner's. Without limits it may deny and freeze, and approves nothing. */
export interface PhoneWallet {
  id: string;
  name: string;
  address: string;
  perApproval: Usdc;
  perDay: Usdc;
  registeredAt: number;
  /** Its approvals count from then on; its denials and freezes at once. */
  approvesFrom: number;
  removedAt: number | null;
}

/** The secrets of one approval by which a phone answers it; only the owner sees them. */
export interface PhoneRequest {
  approvalId: string;
  /** Of what the owner was shown. */
  hash: string;
  reference: string;
  code: string;
}

/** A transaction that names an address, as an RPC lists it. */
export interface MailboxLine {
  signature: string;
  slot: number;
  /** Of its block, where the RPC has it. */
  at: number | null;
}
/** A page of lines that is shorter is the last. */
export const linesOnPage = 1_000;
/** What a word is asked to bring to the treasury; its wallet may send more. */
export const wordLamports = 1_000n;

/** What the only signer of a transaction says: read from the bytes that it signed. */
export interface RemoteWord {
  signature: string;
  wallet: string;
  memo: string;
  /** In their order. */
  references: readonly string[];
}

/** A word on record. */
export interface PhoneWord {
  signature: string;
  walletId: string;
  memo: string;
  approvalId: string | null;
  /** What it approved; 0 when it approved nothing. */
  amount: Usdc;
  /** Null: it was obeyed. */
  whyNot: string | null;
  at: number;
}

export const freezeMemo = 'at:freeze';
/** A word that changes nothing: it shows that the wallet works. */
export const testMemo = 'at:test';
/** A phone may answer for at least this long. */
export const leastMinutes = 5;
/** A code is shown no longer than until this long before the deadline: the word still has to become final. */
export const codeEndsMs = 30_000;
/** A new wallet's approvals, and raised limits, count after this long. */
export const waitMs = 24 * 3_600_000;

/** The address that every word names: the same for the life of a treasury, also after a restore. Nobody has its key. */
export const mailboxOf = (treasury: string): string =>
  bs58.encode(hash('sha256', `agent-treasury mailbox v1\n${treasury}`, 'buffer'));

/** One proof that the owner has a wallet: fresh, for one treasury and wallet, and used once. */
export interface Possession {
  treasury: string;
  network: string;
  address: string;
  nonce: string;
  expiresAt: number;
}

/** The text whose signature is that proof. It begins as no transaction that fits a packet can. */
export const possessionText = ({ treasury, network, address, nonce, expiresAt }: Possession): string =>
  [
    'Agent Treasury: register this wallet as a phone',
    '',
    'It may then answer for the owner of the treasury: approve up to limits, deny, and freeze.',
    '',
    `Treasury: ${treasury}`,
    `Network: ${network}`,
    `Wallet: ${address}`,
    `Nonce: ${nonce}`,
    `Expires: ${new Date(expiresAt).toISOString()}`,
  ].join('\n');

/** The memo of the payment that proves it instead. */
export const registerMemo = (nonce: string): string => `at:register ${nonce}`;

/** What a phone would approve, in USDC; null for an approval that no phone may grant. */
export const approvable = ({ kind, shown }: Pick<Approval, 'kind' | 'shown'>): Usdc | null => {
  if (kind !== 'payment' && kind !== 'allocate') return null;
  if (kind === 'payment' && shown['currency'] !== 'USDC') return null;
  return parseUsdc(String(shown['amount']));
};

/** Its first and last four characters. */
const short = (address: string): string => `${address.slice(0, 4)}..${address.slice(-4)}`;

/** The payee, or each recipient with its part; and whether the service has changed its payees. */
const recipientsOf = ({ payee, payeeGets, splits, because }: Approval['shown']): string => {
  const parts = Array.isArray(splits) ? (splits as Record<string, unknown>[]) : [];
  const all =
    parts.length === 0
      ? short(String(payee))
      : [{ payee, amount: payeeGets }, ...parts]
          .map((one) => `${String(one.amount)} ${short(String(one.payee))}`)
          .join(' ');
  return because === 'payee_changed' ? `${all} (payee changed)` : all;
};

/** The exact memo of a word on an approval: the phone shows it. */
export const answerMemo = (
  verb: 'approve' | 'deny',
  { id, kind, agentId, shown }: Pick<Approval, 'id' | 'kind' | 'agentId' | 'shown'>,
  code: string,
): string => {
  const what =
    kind === 'payment'
      ? `${String(shown['amount'])} ${String(shown['currency'])} to ${recipientsOf(shown)} for ${placeOf(shown)}`
      : kind === 'allocate'
        ? `${String(shown['amount'])} USDC to ${agentId}`
        : `${kind} of ${agentId}`;
  return `at:${verb} ${what} ${id} ${code}`;
};

/** The origin that a purchase goes to, whole, since its end names the owner of the host; else the service. */
const placeOf = (shown: Approval['shown']): string => {
  const request = shown['request'];
  const url = typeof request === 'string' ? URL.parse(request.split(' ').at(-1) ?? '') : null;
  const place = url === null ? inAscii(String(shown['service'])) : url.origin;
  return shown['saidByAgent'] === true ? `(agent says) ${place}` : place;
};

/** A letter of another alphabet may look like one of ours: it stands as its code. */
const inAscii = (text: string): string =>
  text.replace(/[^\x20-\x7e]/gu, (letter) => `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`);

/** A Solana Pay transfer request. https://docs.solanapay.com/spec */
export const payRequest = (treasury: string, references: readonly string[], memo: string): string => {
  const named = references.map((one) => `&reference=${one}`).join('');
  return `solana:${treasury}?amount=${formatSol(lamports(wordLamports))}${named}&memo=${encodeURIComponent(memo)}`;
};
