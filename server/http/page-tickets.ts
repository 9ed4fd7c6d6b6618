// A ticket for each page of the dashboard that this host serves to a browser's own navigation. The host proves itself to the
// page by it, as long as it runs, and a tab that is signed in can let the page in. A page of another program that had the port for a while is at the same origin, and has none. It can
// get one from a program of its own, or open a page of the host and read that: security.md says what is not promised.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { hashOfKey } from '../contract/host/health-proof.ts';
import type { Door } from '../lib/net/public-url.ts';

export interface PageTickets {
  /** `ID.PROOF`: pages tell each other the id alone. Empty for what is not a navigation. */
  issue(request: Pick<Request, 'headers'>, door: Door): string;
  /** The page's id; null for a ticket of another host or door, or of an earlier start. */
  pageOf(ticket: string, door: Door): string | null;
  /** Of the ticket of this page, for the proof of this host. */
  hashOf(pageId: string, door: Door): string;
}

export const createPageTickets = (): PageTickets => {
  const key = randomBytes(32);
  const proofOf = (id: string, { url }: Door): Buffer =>
    createHmac('sha256', key).update(`${id} ${url}`).digest();
  const ticketOf = (id: string, door: Door): string => `${id}.${proofOf(id, door).toString('base64url')}`;
  return {
    issue({ headers }, door) {
      if (headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document') return '';
      return ticketOf(randomBytes(16).toString('base64url'), door);
    },
    pageOf(ticket, door) {
      const [, id, proof] = /^([\w-]{22})\.([\w-]{43})$/.exec(ticket) ?? [];
      if (id === undefined || proof === undefined) return null;
      return timingSafeEqual(Buffer.from(proof, 'base64url'), proofOf(id, door)) ? id : null;
    },
    hashOf: (pageId, door) => hashOfKey(ticketOf(pageId, door)),
  };
};
