// The sellers that an agent uses, and what happens to its requests: prices, failures, tries again, refusals.
import { usdc } from '../../../server/money.ts';
import type { Dice } from '../../harness/dice.ts';
import { between, countOf, logBetween, longTailed, minuteMs, secondMs } from './chances.ts';
import type { Event } from './trace.ts';

export interface Offer {
  service: string;
  payee: string;
  /** In micro-USDC; of the median request where requests differ. */
  price: number;
  /** 0: each request costs the same. Otherwise the spread of a long tail, as with prices by the token. */
  spread: number;
  /** The share of requests that are paid and bring nothing. */
  faults: number;
}

export interface Request {
  at: number;
  offer: Offer;
}

export interface Market {
  readonly offers: readonly Offer[];
  /** A seller that the agent has not used before, at one of these prices in USDC. */
  find(prices: readonly [number, ...number[]], spread?: number): Offer;
}

/** The prices of small things: a page, a lookup, a search. Sellers ask for round ones. */
export const small = [0.001, 0.002, 0.002, 0.005, 0.01] as const;
/** Of larger ones: a report, a picture, a long answer. */
export const large = [0.02, 0.03, 0.04, 0.05, 0.08, 0.1] as const;

export const createMarket = (dice: Dice): Market => {
  const offers: Offer[] = [];
  return {
    offers,
    find(prices, spread = 0) {
      const number = offers.length + 1;
      // One request in two hundred fails at a usual API. Most sellers settle after they have served, so that a failure
      // costs something only when it comes in between.
      const faults = longTailed(dice, 0.001, 1);
      // One in ten is another service of a seller that the agent knows.
      const seller = dice.isLucky(0.1) ? offers[Math.floor(dice.roll() * offers.length)] : undefined;
      const offer: Offer = {
        service: `service-${number}`,
        payee: seller?.payee ?? `payee-${number}`,
        price: dice.pick(prices) * 1e6,
        spread,
        faults,
      };
      offers.push(offer);
      return offer;
    },
  };
};

/** One request at each of the times. */
export const buy = (times: readonly number[], offer: Offer | (() => Offer)): Request[] =>
  times.map((time) => ({ at: time, offer: typeof offer === 'function' ? offer() : offer }));

/** A program that calls a few services, one of them most of the time. */
export const oneMostly = (dice: Dice, offers: readonly [Offer, ...Offer[]], share: number) => (): Offer =>
  dice.isLucky(share) ? offers[0] : dice.pick(offers);

/** Sellers change a price about three times a year: mostly by a fifth or so, now and then to another tariff. */
export const reprice = (dice: Dice, { offers }: Market): void => {
  for (const offer of offers)
    if (dice.isLucky(0.008))
      offer.price = Math.max(100, offer.price * longTailed(dice, 1.05, dice.isLucky(0.1) ? 0.6 : 0.15));
};

/** In micro-USDC. One request in a hundred carries a whole document, where the price is by size. */
export const priceOf = (dice: Dice, { price, spread }: Offer): number =>
  spread === 0
    ? Math.round(price)
    : Math.max(
        1,
        Math.round(longTailed(dice, price, spread) * (dice.isLucky(0.01) ? between(dice, 3, 8) : 1)),
      );

/** Most refusals are about the service, a budget or the time; three in ten are about the amount itself. */
export const refusedPriceOf = (dice: Dice, offer: Offer): number =>
  Math.round(priceOf(dice, offer) * (dice.isLucky(0.3) ? logBetween(dice, 3, 50) : 1));

export const eventOf = ({ at, offer }: Request, price: number, outcome: Event['outcome']): Event => ({
  at: Math.round(at),
  service: offer.service,
  payee: offer.payee,
  amount: usdc(BigInt(price)),
  outcome,
});

/** The events of a day's requests, oldest first. What falls on the next day is left out. */
export const eventsOf = (dice: Dice, requests: readonly Request[], end: number): Event[] => {
  const found = requests.flatMap((request) => triesOf(dice, request));
  return [...found, ...refusalsOf(dice, requests)]
    .filter(({ at }) => at < end)
    .toSorted((a, b) => a.at - b.at);
};

/** A request that brought nothing is mostly tried again, soon, and then fails more often than a first one. */
const triesOf = (dice: Dice, request: Request): Event[] => {
  const price = priceOf(dice, request.offer);
  const found: Event[] = [];
  let { at } = request;
  for (let tries = 0; tries < 4; tries += 1) {
    const isDelivered = !dice.isLucky(tries === 0 ? request.offer.faults : 0.3);
    found.push(eventOf({ ...request, at }, price, isDelivered ? 'paid' : 'not_delivered'));
    if (isDelivered || !dice.isLucky(0.7)) break;
    at += longTailed(dice, 4 * secondMs, 1);
  }
  return found;
};

/**
 * On one day in eight the policy refuses something, such as a service that is not allowed or an amount above the most
 * per payment. A program tries that a few times before it gives up.
 */
const refusalsOf = (dice: Dice, requests: readonly Request[]): Event[] => {
  if (requests.length === 0 || !dice.isLucky(1 / 8)) return [];
  return Array.from({ length: 1 + countOf(dice, 0.5) }).flatMap(() => {
    const { at, offer } = dice.pick(requests as readonly [Request, ...Request[]]);
    const price = refusedPriceOf(dice, offer);
    let next = at + between(dice, 0, minuteMs);
    return Array.from({ length: 1 + Math.round(longTailed(dice, 2, 0.8)) }, () => {
      next += longTailed(dice, 3 * secondMs, 0.8);
      return eventOf({ at: next, offer }, price, 'refused');
    });
  });
};
