// Chooses one of a seller's offers, and turns it into an intent for the policy.
import { hash, randomBytes } from 'node:crypto';
import { dialectFacts } from '../../contract/payments/dialects.ts';
import { AppError } from '../../errors.ts';
import { formatUsdc, type Usdc } from '../../money.ts';
import type { EngineContext } from '../calls/call.ts';
import type { Agent, Intent, Offer, Purchase, SellerRequest } from '../ports.ts';

type Asked = Pick<SellerRequest, 'method' | 'url' | 'body'>;

/** The cheapest offer that we can pay; of equal ones the first. @throws AppError `not_available`, `max_per_payment` */
export const choose = (
  { store }: Pick<EngineContext, 'store'>,
  offers: readonly Offer[],
  headers: SellerRequest['headers'],
  maxAmount: Usdc | undefined,
): Offer => {
  const isOurs = (address: string | null): boolean =>
    address !== null && store.wallets.get(address) !== undefined;
  const isTaken = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  const [cheapest] = offers
    .filter((offer) => ![offer.feePayer, offer.payee, ...offer.splits.map(({ payee }) => payee)].some(isOurs))
    .filter(({ dialect }) => dialectFacts[dialect].header !== 'authorization' || !isTaken)
    .toSorted((a, b) => Number(a.amount - b.amount));
  if (cheapest === undefined)
    throw new AppError(
      'not_available',
      'The seller’s offer cannot be paid: it names a wallet of this treasury, or wants the Authorization header that the request already has. Nothing was paid.',
    );
  if (maxAmount === undefined || cheapest.amount <= maxAmount) return cheapest;
  throw new AppError(
    'max_per_payment',
    `The seller asks for ${formatUsdc(cheapest.amount)} USDC, more than the maxAmount of ${formatUsdc(maxAmount)}. Nothing was paid.`,
    { rule: 'maxAmount', limit: formatUsdc(maxAmount), amount: formatUsdc(cheapest.amount) },
  );
};

/** The intent to pay this offer. The service is the catalog's entry for the URL, or else the URL's origin. */
export const intentOf = (
  { store }: Pick<EngineContext, 'store'>,
  agent: Agent,
  { asked, offer, carrier }: { asked: Asked; offer: Offer; carrier: Purchase['carrier'] },
): Intent => {
  const { origin, pathname, host } = new URL(asked.url);
  const service = store.services.at(origin, pathname);
  return {
    kind: 'payment',
    agentId: agent.agentId,
    walletIndex: agent.walletIndex,
    wallet: agent.wallet,
    payee: offer.payee,
    asset: 'USDC',
    amount: offer.amount,
    serviceId: service?.id ?? origin,
    serviceName: service?.name ?? host,
    description: `${asked.method} ${origin}${pathname}`.trim().slice(0, 280),
    invoice: offer.invoice,
    purchase: {
      dialect: offer.dialect,
      feePayer: offer.feePayer,
      memo: offer.memo ?? (dialectFacts[offer.dialect].hasOwnMemo ? randomBytes(16).toString('hex') : null),
      splits: offer.splits,
      terms: offer.terms,
      carrier,
      method: asked.method,
      url: asked.url,
      requestHash: hashOf(asked),
      txSignature: null,
      delivery: 'open',
      evidence: null,
    },
  };
};

const hashOf = ({ method, url, body }: Asked): string =>
  hash('sha256', `${method}\n${url}\n${hash('sha256', body ?? '')}`);
