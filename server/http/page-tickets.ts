// A ticket for each page of the dashboard that this host serves to a browser's own navigation. The host proves itself to the
// page by it, as long as it runs, and a tab that is signed in can let the page in. A page of another program that had the port for a while is at the same origin, and has none. It can
// get one from a program of its own, or open a page of the host and read that: security.md says what is not promised.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { hashOfKey } from '../contract/health-proof.ts';

export interface PageTickets {
  /** `ID.PROOF`: pages tell each other the id alone. Empty for what is not a navigation. */
  issue(request: Pick<Request, 'headers'>): string;
  /** The page's id; null for a ticket of another host, or of an earlier start. */
  pageOf(ticket: string): string | null;
  /** Of the ticket of this page, for the proof of this host. */
  hashOf(pageId: string): string;
}

export const createPageTickets = (): PageTickets => {
  const key = randomBytes(32);
  const proofOf = (id: string): Buffer => createHmac('sha256', key).update(id).digest();
  const ticketOf = (id: string): string => `${id}.${proofOf(id).toString('base64url')}`;
  return {
    issue({ headers }) {
      if (headers['sec-fetch-mode'] !== 'navigate' || headers['sec-fetch-dest'] !== 'document') return '';
      return ticketOf(randomBytes(16).toString('base64url'));
    },
    pageOf(ticket) {
      const [, id, proof] = /^([\w-]{22})\.([\w-]{43})$/.exec(ticket) ?? [];
      if (id === undefined || proof === undefined) return null;
      return timingSafeEqual(Buffer.from(proof, 'base64url'), proofOf(id)) ? id : null;
    },
    hashOf: (pageId) => hashOfKey(ticketOf(pageId)),
  };
};
