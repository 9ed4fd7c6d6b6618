// The sellers of a world, and the facilitator of some: they ask for money in our own protocol and in x402, and cheat as
// they are told to. What they answer reaches the real reading of 402s.
import { createHash, sign } from 'node:crypto';
import { usdcMints } from '../../server/contract/treasury/networks.ts';
import { AppError } from '../../server/errors.ts';
import { formatUsdc, usdc } from '../../server/money.ts';
import { addressOf, privateKeyOfSeed } from '../../server/vault/keys.ts';
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../server/x402/outbound.ts';
import { payeeOf, serviceIds } from './keys.ts';
import { turn } from './sim-time.ts';
import { readTx, type TrueChain } from './true-chain.ts';
import type { Listener, Process } from './wire.ts';

/** What a seller does when it is shown a payment; `honest`: it settles, then delivers. */
export const manners = [
  'honest',
  'cuts before settling',
  'errs before settling',
  'asks again before settling',
  'cuts after settling',
  'errs after settling',
  'asks again after settling',
  'delivers without settling',
  'settles late',
] as const;
export type Manner = (typeof manners)[number];

export interface Shops {
  behave(service: string, manner: Manner): void;
  /** Settles what was to be settled late. */
  settleLate(): void;
  /** The way to the shops for one process of the treasury. */
  outbound(mine: Process): Outbound;
}

interface Deps {
  chain: TrueChain;
  listener: Listener;
  /** The payment that these bytes were signed for. */
  idOf(message: Buffer): string | undefined;
}

const facilitator = privateKeyOfSeed(createHash('sha256').update('facilitator').digest());
const x402 = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The address of what is sold: its price and the protocol are in it. */
export const urlOf = (
  service: string,
  { amount, via, key }: { amount: bigint; via: string; key: string },
): string => `https://${service}.example/api?price=${amount}&via=${via}&item=${key}`;

const offer = (url: URL, service: string): Omit<OutboundAnswer, 'bytes'> & { body: string } => {
  const price = BigInt(url.searchParams.get('price') ?? '1');
  if (url.searchParams.get('via') === 'receipt') {
    const terms = { amount: formatUsdc(usdc(price)), currency: 'USDC', recipient: payeeOf(service) };
    return { status: 402, headers: { 'content-type': 'application/json' }, body: JSON.stringify(terms) };
  }
  const accepted = {
    scheme: 'exact',
    network: x402,
    amount: String(price),
    asset: usdcMints.sandbox,
    payTo: payeeOf(service),
    extra: { feePayer: addressOf(facilitator) },
  };
  const required = { x402Version: 2, resource: { url: url.href }, accepts: [accepted] };
  return { status: 402, headers: { 'payment-required': base64(required) }, body: '{}' };
};

export const createShops = ({ chain, listener, idOf }: Deps): Shops => {
  const of = new Map<string, Manner>();
  let late: Buffer[] = [];

  const settle = (wire: Buffer): void => {
    const message = wire.subarray(1 + (wire[0] ?? 0) * 64);
    const whole = Buffer.from(wire);
    sign(null, message, facilitator).copy(whole, 1);
    const id = idOf(message);
    if (id === undefined) throw new Error('a seller was shown bytes that nobody signed');
    chain.send(readTx(whole, id));
  };

  const paid = (wire: Buffer | null, service: string, url: URL): ReturnType<typeof offer> | null => {
    const manner = of.get(service) ?? 'honest';
    if (manner === 'settles late' && wire !== null) late.push(wire);
    else if (manner === 'honest' || manner.endsWith('after settling')) {
      if (wire !== null) settle(wire);
    }
    if (manner.startsWith('cuts') || manner === 'settles late') return null;
    if (manner.startsWith('errs')) return { status: 500, headers: {}, body: '{}' };
    if (manner.startsWith('asks again')) return offer(url, service);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{"sun":true}' };
  };

  const answer = async (request: OutboundRequest, mine: Process): Promise<OutboundAnswer> => {
    const gone = new Promise<never>(() => {});
    if (!mine.alive) return gone;
    const url = new URL(request.url);
    const service = serviceIds.find((id) => url.hostname === `${id}.example`) ?? 'maps';
    const { beforeSending, headers = {}, goods } = request;
    listener.onMoment('a seller asked');
    if (!mine.alive) return gone;
    mine.inFlight += 1;
    try {
      await turn();
      if (!mine.alive) return await gone;
      // The bytes leave in this turn.
      beforeSending?.();
      const credential = headers['PAYMENT-SIGNATURE'];
      const wire = typeof credential === 'string' ? wireIn(credential) : null;
      if (wire !== null) {
        const id = idOf(wire.subarray(1 + (wire[0] ?? 0) * 64));
        listener.onWire({ ...readTx(wire, id ?? ''), wire });
      }
      listener.note(request.url, headers);
      const said = beforeSending === undefined ? offer(url, service) : paid(wire, service, url);
      await turn();
      listener.onMoment('a seller answered');
      if (!mine.alive) return await gone;
      if (said === null) throw new AppError('not_available', 'The seller cut the connection.');
      const { status, headers: told, body } = said;
      if (status >= 400 || goods === undefined) return { status, headers: told, bytes: Buffer.from(body) };
      goods.into.begin?.({ status, headers: told });
      await goods.into.write(Buffer.from(body));
      return { status, headers: told, bytes: Buffer.alloc(0) };
    } finally {
      mine.inFlight -= 1;
    }
  };

  return {
    behave: (service, manner) => void of.set(service, manner),
    settleLate() {
      for (const wire of late.splice(0)) settle(wire);
      late = [];
    },
    outbound: (mine) => (request) => answer(request, mine),
  };
};

const wireIn = (credential: string): Buffer => {
  const { payload } = JSON.parse(Buffer.from(credential, 'base64').toString('utf8')) as {
    payload: { transaction: string };
  };
  return Buffer.from(payload.transaction, 'base64');
};
