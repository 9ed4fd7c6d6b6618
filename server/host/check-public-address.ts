// Whether the owner's tunnel leads here: this host asks itself through its public address, and proves to itself that it
// answered.
import { randomBytes } from 'node:crypto';
import { treasuryRequest, Unanswered } from '../client/treasury-request.ts';
import { healthProof } from '../contract/health-proof.ts';
import { done } from '../engine/calls/call.ts';
import type { Operation } from '../engine/ports.ts';
import { AppError } from '../errors.ts';
import type { PageTickets } from '../http/page-tickets.ts';

const withinMs = 10_000;

export const publicAddressCheck =
  (publicUrl: () => string | null, tickets: Pick<PageTickets, 'hashOf'>): Operation<'checkPublicAddress'> =>
  async () => {
    const url = publicUrl();
    return done({ url, problem: url === null ? null : await problemOf(url, tickets) });
  };

/** Null when the answer is this host's own. */
const problemOf = async (url: string, { hashOf }: Pick<PageTickets, 'hashOf'>): Promise<string | null> => {
  const [page, nonce] = [randomBytes(16).toString('base64url'), randomBytes(16).toString('hex')];
  const proof = healthProof(hashOf(page, { name: 'public', url }), nonce, url);
  try {
    const health = new URL(`/v1/health?nonce=${nonce}&page=${page}`, url);
    const { body } = await treasuryRequest({ method: 'GET', url: health, withinMs });
    if ((body as { proof?: unknown } | null)?.proof === proof) return null;
    return `${url} leads to another treasury or program, or the tunnel replaces the Host header. Point it at this machine’s port, and pass the header on.`;
  } catch (error) {
    if (error instanceof Unanswered) return error.message;
    if (error instanceof AppError) return `${url} refuses: ${error.message}`;
    throw error;
  }
};
