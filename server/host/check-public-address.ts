// Whether the owner's tunnel leads here: this host asks itself through its public address, and proves to itself that it
// answered. And whether the tunnel leads to the local door too, for a client that names the local address.
import { randomBytes } from 'node:crypto';
import { treasuryRequest, Unanswered } from '../client/treasury-request.ts';
import { healthProof } from '../contract/host/health-proof.ts';
import { done } from '../engine/calls/call.ts';
import type { Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { PageTickets } from '../http/page-tickets.ts';
import type { Door } from '../lib/net/public-url.ts';

const withinMs = 10_000;

interface Tunnel {
  publicUrl: string;
  /** The host's own address. */
  localUrl: string;
  tickets: Pick<PageTickets, 'hashOf'>;
}

export const publicAddressCheck =
  ({
    publicUrl,
    ...rest
  }: Omit<Tunnel, 'publicUrl'> & { publicUrl: () => string | null }): Operation<'checkPublicAddress'> =>
  async () => {
    const url = publicUrl();
    return done({ url, problem: url === null ? null : await problemOf({ ...rest, publicUrl: url }) });
  };

const problemOf = async (tunnel: Tunnel): Promise<string | null> => {
  const { publicUrl, localUrl } = tunnel;
  try {
    const door = await doorBehind(tunnel, publicUrl);
    if (door === null)
      return `${publicUrl} leads to another treasury or program. Point it at this machine’s port, and pass the Host header on.`;
    const byLocalName = door === 'local' ? door : await doorBehind(tunnel, localUrl).catch(unlessAnswered);
    return byLocalName === 'local' ? asIfHere(publicUrl) : null;
  } catch (error) {
    if (error instanceof Unanswered) return error.message;
    if (error instanceof AppError) return `${publicUrl} refuses: ${error.message}`;
    throw error;
  }
};

/** Refused, or answered by something else: as it should be. @throws what leaves it open */
const unlessAnswered = (error: unknown): null => {
  if (error instanceof AppError || (error instanceof Unanswered && !error.isLate)) return null;
  throw error;
};

const asIfHere = (publicUrl: string): string =>
  `${publicUrl} lets other machines in as if they were this one. Close it now. Then set it to pass the Host header on, and to accept requests for its own name only.`;

/** The door at which this host answers a request through the tunnel; null: another program answers. @param named the Host */
const doorBehind = async (
  { publicUrl, localUrl, tickets }: Tunnel,
  named: string,
): Promise<Door['name'] | null> => {
  const [page, nonce] = [randomBytes(16).toString('base64url'), randomBytes(16).toString('hex')];
  const { body } = await treasuryRequest({
    method: 'GET',
    url: new URL(`/v1/health?nonce=${nonce}&page=${page}`, publicUrl),
    headers: { Host: new URL(named).host },
    withinMs,
  });
  const { proof } = (body ?? {}) as { proof?: unknown };
  const doors: Door[] = [
    { name: 'public', url: publicUrl },
    { name: 'local', url: localUrl },
  ];
  const isBehind = (door: Door): boolean =>
    proof === healthProof(tickets.hashOf(page, door), nonce, door.url);
  return doors.find(isBehind)?.name ?? null;
};
