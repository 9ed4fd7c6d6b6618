// Every route of /v1. Free of zod, since the renderer and the bridge import it too.
import { agentRoutes } from './agents/agents.ts';
import { approvalRoutes } from './approvals/approvals.ts';
import { bookRoutes } from './books/books.ts';
import { catalogRoutes } from './catalog/catalog.ts';
import { hostRoutes } from './host/host.ts';
import { limitRoutes } from './limits/limits.ts';
import { modelRoutes } from './models/models.ts';
import { noticeRoutes } from './notices/notices.ts';
import { paymentRoutes } from './payments/payments.ts';
import { phoneRoutes } from './phones/phones.ts';
import { signInRoutes } from './sign-in/sign-in.ts';
import { treasuryRoutes } from './treasury/treasury.ts';
import { watchRoutes } from './watch/watch.ts';
import type { Route } from './route.ts';

export { needsOwner, urlOf } from './route.ts';
export type { Access, Route } from './route.ts';

export const routes = {
  ...hostRoutes,
  ...signInRoutes,
  ...catalogRoutes,
  ...modelRoutes,
  ...agentRoutes,
  ...limitRoutes,
  ...watchRoutes,
  ...paymentRoutes,
  ...approvalRoutes,
  ...phoneRoutes,
  ...treasuryRoutes,
  ...bookRoutes,
  ...noticeRoutes,
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
