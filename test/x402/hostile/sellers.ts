// Sellers that try to be paid more, twice, for nothing, or by another wallet, or to be contacted at a forbidden place:
// one server, and a case for each path. Those that settle do it as a facilitator would, with a fee payer of their own.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Keypair, VersionedTransaction } from '@solana/web3.js';
import { rpcCall } from '../../harness/treasury.ts';
import { afterPaying } from './after-paying.ts';
import { afterSettling } from './after-settling.ts';
import { goods, honest, send } from './answers.ts';
import { bodies } from './bodies.ts';
import { empty, type Case, type Scene, type Shown } from './case.ts';
import { offers } from './offers.ts';
import { otherDialects } from './other-dialects.ts';
import { places } from './places.ts';
import { strangeOffers } from './strange-offers.ts';

export const cases: readonly Case[] = [
  ...offers,
  ...places,
  ...bodies,
  ...afterPaying,
  ...afterSettling,
  ...strangeOffers,
  ...otherDialects,
];

/** The requests in their order. */
export interface Visit {
  case: string;
  /** The server that got it: the seller's own, or the accomplice's. */
  at: 'seller' | 'accomplice';
  path: string;
  /** The payment header, if there was one. */
  shown: Shown | null;
}

export interface HostileSellers {
  url: string;
  other: string;
  forbidden: number;
  payee: string;
  feePayer: string;
  visits: Visit[];
  /** Settles what is settled late. */
  settleLate(): Promise<unknown>;
  /** Connections to the forbidden port. */
  trespasses(): number;
  /** The wallet that a case expects payments from; known once its agent is. */
  enter(name: string, people: { wallet: string; treasury: string; treasuryUrl: string }): Scene;
  close(): Promise<void>;
}

export const openHostileSellers = async (rpcUrl: string): Promise<HostileSellers> => {
  const [facilitator, owner, stranger] = [Keypair.generate(), Keypair.generate(), Keypair.generate()];
  const [feePayer, payee] = [facilitator.publicKey.toBase58(), owner.publicKey.toBase58()];
  await rpcCall(rpcUrl, 'requestAirdrop', [feePayer, 10_000_000_000]);
  for (const holder of [payee, feePayer]) await rpcCall(rpcUrl, 'sandbox_fundUsdc', [holder, '0']);
  const foreign = String(
    await rpcCall(rpcUrl, 'sandbox_fundUsdc', [stranger.publicKey.toBase58(), '1000000']),
  );
  const visits: Visit[] = [];
  const scenes = new Map<string, Scene>();
  const late: Shown[] = [];

  const settle = async ({ transaction }: Shown): Promise<string> => {
    if (transaction === null) throw new Error('no transaction was shown');
    const signed = VersionedTransaction.deserialize(Buffer.from(transaction, 'base64'));
    signed.sign([facilitator]);
    const wire = Buffer.from(signed.serialize()).toString('base64');
    return String(
      await rpcCall(rpcUrl, 'sendTransaction', [wire, { encoding: 'base64', skipPreflight: true }]),
    );
  };

  const answer = async (
    at: Visit['at'],
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const path = request.url ?? '/';
    const name = path.split('/').at(-1) ?? '';
    const shown = shownBy(request);
    visits.push({ case: name, at, path, shown });
    const scene = scenes.get(name);
    const played = cases.find((one) => one.name === name);
    if (scene === undefined || played === undefined) return send(response, 404, {});
    // The target of a redirect has a payable offer, so that paying it would be noticed.
    const stray = at === 'accomplice' || path !== `/${name}`;
    if (stray) return void honest(response, scene, empty);
    if (shown === null) return void (await played.first(response, scene, empty));
    if (played.paid === undefined) return send(response, 200, goods);
    await played.paid(response, scene, shown);
  };
  const serve = (at: Visit['at']): ReturnType<typeof createServer> =>
    // No seller closes an idle connection just when it is used again.
    createServer({ keepAliveTimeout: 300_000 }, (request, response) => {
      response.on('error', () => {});
      request.on('error', () => {});
      answer(at, request, response).catch((error: unknown) => {
        if (!response.headersSent) send(response, 500, { error: String(error) });
        else response.destroy();
      });
    });
  const [seller, accomplice] = [serve('seller'), serve('accomplice')];
  let trespasses = 0;
  const forbidden = createTcpServer((socket) => {
    trespasses += 1;
    socket.destroy();
  });
  const portOf = async (server: typeof seller | typeof forbidden, host: string): Promise<number> => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, host, resolve);
    });
    return (server.address() as AddressInfo).port;
  };
  const url = `http://127.0.0.1:${await portOf(seller, '127.0.0.1')}`;
  const other = `http://127.0.0.1:${await portOf(accomplice, '127.0.0.1')}`;
  // On every address of this machine, IPv4, and IPv6 where available.
  const forbiddenPort = await portOf(forbidden, '::').catch(() => portOf(forbidden, '0.0.0.0'));

  return {
    url,
    other,
    forbidden: forbiddenPort,
    payee,
    feePayer,
    visits,
    settleLate: () => Promise.all(late.map(settle)),
    trespasses: () => trespasses,
    enter(name, people) {
      const scene: Scene = {
        name,
        url,
        other,
        forbidden: forbiddenPort,
        payee,
        feePayer,
        settle,
        settleLate: (shown) => void late.push(shown),
        foreign,
        ...people,
        shownTimes: () => visits.filter((visit) => visit.case === name && visit.shown !== null).length,
      };
      scenes.set(name, scene);
      return scene;
    },
    async close() {
      for (const server of [seller, accomplice]) {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      }
      await new Promise((resolve) => forbidden.close(resolve));
    },
  };
};

const shownBy = ({ headers }: IncomingMessage): Shown | null => {
  for (const header of ['payment-signature', 'x-payment', 'authorization']) {
    const value = headers[header];
    if (typeof value !== 'string') continue;
    try {
      const text = Buffer.from(value.replace(/^(Payment |v1\.)/, ''), 'base64').toString('utf8');
      const { payload } = JSON.parse(text) as { payload?: { transaction?: string } };
      return { header, value, transaction: payload?.transaction ?? null };
    } catch {
      return { header, value, transaction: null };
    }
  }
  return null;
};
