// Whether the owner's tunnel leads here: this host asks itself through its public address, and proves to itself that it
// answered. And whether the tunnel leads to the local door too, for a client that names the local address.
import { randomBytes } from 'node:crypto';
import { treasuryRequest, Unanswered } from '../client/treasury-request.ts';
import { healthProof } from '../contract/health-proof.ts';
import { done } from '../engine/calls/call.ts';
import type { Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { PageTickets } from '../http/page-tickets.ts';
import type { Door } from '../lib/public-url.ts';

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
    if (!(await leadsTo(tunnel, { name: 'public', url: publicUrl })))
      return `${publicUrl} leads to another treasury or program, or the tunnel replaces the Host header. Point it at this machine’s port, and pass the header on.`;
  } catch (error) {
    if (error instanceof Unanswered) return error.message;
    if (error instanceof AppError) return `${publicUrl} refuses: ${error.message}`;
    throw error;
  }
  // A refusal, or none of our answers, is as it should be.
  if (await leadsTo(tunnel, { name: 'local', url: localUrl }).catch(() => false))
    return `${publicUrl} lets other machines in as if they were this one: the tunnel passes on any Host, and adds no header of its own. Close it, and let it pass on requests for its own name alone.`;
  return null;
};

/** Whether this host answers at that door to a request through the tunnel that names the door as its host. */
const leadsTo = async ({ publicUrl, tickets }: Tunnel, door: Door): Promise<boolean> => {
  const [page, nonce] = [randomBytes(16).toString('base64url'), randomBytes(16).toString('hex')];
  const { body } = await treasuryRequest({
    method: 'GET',
    url: new URL(`/v1/health?nonce=${nonce}&page=${page}`, publicUrl),
    headers: { Host: new URL(door.url).host },
    withinMs,
  });
  const proof = healthProof(tickets.hashOf(page, door), nonce, door.url);
  return (body as { proof?: unknown } | null)?.proof === proof;
};
