// The dashboard's API: the owner's routes and events, over HTTP in a browser and over IPC in the desktop. One contract,
// two thin transports.
import type { approvalReply } from './approvals/approvals.schemas.ts';
import type { sourceReply } from './catalog/catalog.schemas.ts';
import type { linkReply } from './sign-in/links.schemas.ts';
import type { taskReply } from './catalog/pictures.schemas.ts';
import type { RouteName } from './routes.ts';
import type { Input, Reply } from './schemas.ts';
import type { loginReply } from './sign-in/sessions.schemas.ts';
import type { activityReply } from './payments/transfers.schemas.ts';
import type { depositReply } from './treasury/treasury.schemas.ts';
import type { z } from 'zod';

/** Streams, documents, and routes for agents, terminals or the link page only. */
export const notForOwner = [
  'health',
  'openapi',
  'events',
  'agentEvents',
  'statement',
  'books',
  'anchoredStatement',
  'pay',
  'fetch',
  'answer',
  'received',
  'openSession',
  'endSession',
  'admitPage',
  'openLogin',
  'claimLogin',
  'openLink',
  'getLink',
  'completeLink',
  'signInMethods',
  'askWallet',
  'proveWallet',
  'askEmail',
  'proveEmail',
  'askProvider',
  'proveProvider',
  'generate',
  'listTasks',
  'taskImage',
] as const satisfies readonly RouteName[];

export type OwnerRoute = Exclude<RouteName, (typeof notForOwner)[number]>;

export type Ask<N extends OwnerRoute> = Input<N> & {
  /** The idempotency key of a request that moves money. */
  key?: string;
};

/** Each change, after its commit. */
export type OwnerEvent =
  | { type: 'transfer'; data: z.output<typeof activityReply> }
  | { type: 'approval'; data: z.output<typeof approvalReply> }
  | { type: 'login'; data: z.output<typeof loginReply> }
  | { type: 'link'; data: z.output<typeof linkReply> }
  | { type: 'task'; data: z.output<typeof taskReply> }
  /** An import's progress: at most once a second, and at its end. */
  | { type: 'catalog'; data: z.output<typeof sourceReply> }
  | { type: 'agent'; data: { agentId: string } }
  | { type: 'ceiling'; data: Record<string, never> }
  /** Its entry in the catalog, or the owner's word on it, has changed; or an agent could not pay it. */
  | { type: 'service'; data: { serviceId: string } }
  | { type: 'deposit'; data: z.output<typeof depositReply> }
  | { type: 'balance'; data: { wallet: string } }
  | { type: 'labels'; data: Record<string, never> }
  | { type: 'freeze'; data: { frozen: boolean; reason: string | null } }
  | { type: 'lock'; data: { locked: boolean } }
  /** The cold treasury, its allowance or what it holds has changed. */
  | { type: 'cold'; data: Record<string, never> }
  | { type: 'phones'; data: Record<string, never> }
  /** A notice was sent, or a channel of notices has changed. */
  | { type: 'notices'; data: Record<string, never> }
  /** The network was lost or is back: the snapshot says which. */
  | { type: 'network'; data: Record<string, never> }
  | { type: 'halted'; data: { reason: string } }
  | { type: 'warning'; data: { code: string; message: string } };

export interface OwnerApi {
  /** @throws AppError as the host refused it */
  ask<N extends OwnerRoute>(route: N, input?: Ask<N>): Promise<Reply<N>>;
  /**
   * Calls back with each event, and with `connected` whenever events start to arrive or stop. Data read before a
   * (re)connection may be out of date. Returns a function that ends the subscription.
   */
  listen(on: { event(event: OwnerEvent): void; connected(isConnected: boolean): void }): () => void;
}
