// An agent that does its own HTTP: it asks the official sellers of x402 v1 and v2 itself, has the treasury sign their
// offers, and sends the payment. On a real network no seller of this machine can be fetched by the treasury.
import { randomUUID } from 'node:crypto';
import { startPeer, type Peer } from '../../harness/programs/peers.ts';

export interface Buyer {
  url: string;
  owner: string;
  agentId: string;
  key: string;
}

/** The seller's URL in the request to the treasury: on a real network it must be https. */
const resource = 'https://weather.example/weather';

interface Offered {
  accepts: { scheme: string; network: string }[];
  extensions?: unknown;
}

/** Protocol v2 has its offers in a header, v1 in the body. */
const offersOf = async (quoted: Response): Promise<Offered> => {
  const header = quoted.headers.get('payment-required');
  const text = header === null ? await quoted.text() : Buffer.from(header, 'base64').toString('utf8');
  return JSON.parse(text) as Offered;
};

/** Has one offer of the seller signed. Returns the header that pays for it. @throws what the treasury answers instead */
export const sign = async ({ url, owner, agentId, key }: Buyer, seller: string) => {
  const required = await offersOf(await fetch(seller));
  const offer = required.accepts.find(
    ({ scheme, network }) => scheme === 'exact' && network.startsWith('solana'),
  );
  const answer = await fetch(`${url}/v1/agents/${agentId}/pay?owner=${owner}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ x402: offer, resource, extensions: required.extensions }),
  });
  const text = await answer.text();
  const { x402, paymentId } = JSON.parse(text) as {
    x402?: { header: string; value: string };
    paymentId: string;
  };
  if (x402 === undefined) throw new Error(`${answer.status} ${text}`);
  return { x402, paymentId };
};

/** Buys once. @throws unless the seller delivers */
export const buy = async (buyer: Buyer, seller: string): Promise<void> => {
  const { x402 } = await sign(buyer, seller);
  const bought = await fetch(seller, { headers: { [x402.header]: x402.value } });
  if (bought.status !== 200) throw new Error(`${seller} answered ${bought.status}: ${await bought.text()}`);
};

export interface Sellers {
  v1: string;
  v2: string;
  end(): Promise<void>;
}

/** The official sellers, each with its official facilitator. What each sells costs 0.01 USDC. */
export const openSellers = async (rpcUrl: string): Promise<Sellers> => {
  const peers: Peer[] = [];
  const open = async (name: 'x402-v1' | 'x402-v2'): Promise<string> => {
    const facilitator = await startPeer(name, 'facilitator', { rpcUrl });
    const seller = await startPeer(name, 'seller', { rpcUrl, facilitatorUrl: facilitator.says['url'] });
    peers.push(seller, facilitator);
    return `${seller.says['url']}/weather`;
  };
  const [v1, v2] = await Promise.all([open('x402-v1'), open('x402-v2')]);
  return {
    v1,
    v2,
    end: async () => {
      for (const peer of peers) await peer.end();
    },
  };
};
