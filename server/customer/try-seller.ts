// Buys from a seller in each protocol that it offers, and says in sentences what is wrong.
import { dialectFacts, dialects } from '../contract/payments/dialects.ts';
import { AppError } from '../errors.ts';
import { formatUsdc, type Usdc } from '../money.ts';
import { parseObject } from '../lib/base64-json.ts';
import type { Offer } from '../engine/ports.ts';
import { whyUnpayable } from '../paywall/payable.ts';
import { associatedTokenAccount } from '../paywall/token-account.ts';
import type { Protocol, SellerResponse } from '../x402/dialects/protocol.ts';
import { createProtocols } from '../x402/dialects/protocols.ts';
import { inert, quoted } from '../x402/dialects/words.ts';
import { payFor } from './pay.ts';
import type { Purse } from './wallet.ts';

export interface Trial {
  url: string;
  method: string;
  body: string | null;
  /** The most that is paid in each protocol. */
  most: Usdc;
}

export interface Line {
  /** `no`: the protocol is not offered, which is the seller's choice. */
  verdict: 'ok' | 'no' | 'wrong';
  text: string;
}

/** Those that every seller can offer come first. */
const inOrder = dialects.toSorted(
  (a, b) => Number(dialectFacts[a].hasFacilitator) - Number(dialectFacts[b].hasFacilitator),
);

/** One finding for each protocol at least, or one alone without a 402. @throws Error when the URL cannot be reached */
export const trySeller = async (purse: Purse, trial: Trial): Promise<Line[]> => {
  const protocols = createProtocols({ network: purse.network, mint: purse.mint, now: Date.now });
  const first = await ask(trial, {});
  if (first.status !== 402) return [{ verdict: 'wrong', text: not402(first.status) }];
  const lines: Line[] = [];
  if (first.header('cache-control')?.includes('no-store') !== true)
    lines.push(wrong('the 402', 'has no Cache-Control: no-store, so a cache may answer others with it'));
  const withheld = parsed(first.json?.['notOffered']);
  if (withheld !== null)
    lines.push(wrong('x402', `a facilitator is set, and x402 is not offered: ${withheld}`));
  for (const dialect of inOrder) lines.push(...(await tryProtocol(purse, trial, protocols[dialect])));
  if (lines.every(({ verdict }) => verdict !== 'ok'))
    lines.push({ verdict: 'wrong', text: 'Nothing could be bought in any protocol.' });
  return lines;
};

/** What our paywall says of a protocol that it would offer. */
const parsed = (notOffered: unknown): string | null =>
  typeof notOffered === 'object' && notOffered !== null && 'x402' in notOffered
    ? inert(String(notOffered.x402))
    : null;

const not402 = (status: number): string =>
  status < 300
    ? `Without a payment it answers ${status}: nothing is sold at this URL.`
    : `Without a payment it answers ${status}, not 402.`;

/** Each protocol asks for an offer of its own: an invoice is good for one payment. */
const tryProtocol = async (purse: Purse, trial: Trial, protocol: Protocol): Promise<Line[]> => {
  const { label: name } = dialectFacts[protocol.dialect];
  const quote = await ask(trial, {});
  const reading = protocol.read(quote, trial.url);
  if (reading === null) return [{ verdict: 'no', text: `${name}: not offered.` }];
  const faults = reading.faults.map(({ path, message }) => wrong(name, `${path} ${message}`.trim()));
  const [offer] = reading.offers;
  if (offer === undefined) return faults.length > 0 ? faults : [wrong(name, 'the offer is empty')];
  if (offer.amount > trial.most)
    return [...faults, wrong(name, `asks for ${formatUsdc(offer.amount)} USDC, more than --max allows`)];
  try {
    const account = associatedTokenAccount(purse.mint, offer.payee);
    const payee = { network: purse.network, recipient: offer.payee, account };
    const unpayable = await whyUnpayable(purse.reader, payee);
    if (unpayable !== null) return [...faults, wrong(name, `could not be paid: ${unpayable}`)];
    return [...faults, ...(await buy(purse, trial, { protocol, offer, quote }))];
  } catch (error) {
    return [...faults, wrong(name, `could not be paid: ${reasonOf(error)}`)];
  }
};

interface Deal {
  protocol: Protocol;
  offer: Offer;
  quote: SellerResponse;
}

const buy = async (purse: Purse, trial: Trial, { protocol, offer, quote }: Deal): Promise<Line[]> => {
  const { label: name } = dialectFacts[protocol.dialect];
  const service = quote.json?.['service'];
  const credential = await payFor(
    purse,
    protocol,
    offer,
    typeof service === 'string' ? service : new URL(trial.url).origin,
  );
  const headers = { [credential.name]: credential.value };
  const bought = await ask(trial, headers);
  if (bought.status >= 300) return [wrong(name, `was paid, and not served: ${answerOf(bought)}`)];
  const lines: Line[] = [
    {
      verdict: 'ok',
      text: `${name}: bought for ${formatUsdc(offer.amount)} USDC, answered ${bought.status}.`,
    },
  ];
  if (protocol.dialect !== 'receipt' && protocol.settlement(bought).success !== true)
    lines.push(wrong(name, 'the answer has no header that confirms the payment'));
  const again = await ask(trial, headers);
  if (again.status < 300) lines.push(wrong(name, 'the same payment was served a second time'));
  return lines;
};

const wrong = (name: string, text: string): Line => ({ verdict: 'wrong', text: `${name}: ${text}.` });

const answerOf = ({ status, json }: SellerResponse): string => {
  const said = json?.['error'] ?? json?.['detail'];
  return said === undefined ? String(status) : `${status} ${quoted(said)}`;
};

const reasonOf = (error: unknown): string => {
  const cause = error instanceof AppError ? (error.cause ?? error) : error;
  return inert(cause instanceof Error ? cause.message : String(cause));
};

const ask = async (
  { url, method, body }: Trial,
  headers: Record<string, string>,
): Promise<SellerResponse> => {
  const response = await fetch(url, { method, headers, body, redirect: 'manual' }).catch((error: Error) => {
    throw new Error(`${url} cannot be reached: ${reasonOf(error.cause ?? error)}`);
  });
  const json = parseObject(await response.text());
  return { status: response.status, header: (name) => response.headers.get(name) || null, json };
};
