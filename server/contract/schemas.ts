// The request and reply of each route. Requests are strict: an unknown field is an error that names it.
import { agentsExchanges } from './agents.ts';
import { anchorExchanges } from './anchor.ts';
import { approvalsExchanges } from './approvals.ts';
import { boostsExchanges } from './boosts.ts';
import { booksExchanges } from './books.ts';
import { catalogExchanges } from './catalog.ts';
import { coldExchanges } from './cold.ts';
import { delegatedKeysExchanges } from './delegated-keys.ts';
import { groupsExchanges } from './groups.ts';
import { hostExchanges } from './host.ts';
import { keysExchanges } from './keys.ts';
import { linksExchanges } from './links.ts';
import { mcpServersExchanges } from './mcp-servers.ts';
import { noticesExchanges } from './notices.ts';
import { paymentsExchanges } from './payments.ts';
import { phonesExchanges } from './phones.ts';
import { picturesExchanges } from './pictures.ts';
import { policyExchanges } from './policy.ts';
import { publicUrlExchanges } from './public-url.ts';
import { refillsExchanges } from './refills.ts';
import { sessionsExchanges } from './sessions.ts';
import { signInExchanges } from './sign-in.ts';
import { transfersExchanges } from './transfers.ts';
import { treasuryExchanges } from './treasury.ts';
import { watchExchanges } from './watch.ts';
import type { Exchange } from './exchange.ts';
import type { RouteName } from './routes.ts';
import type { z } from 'zod';

export const exchanges = {
  ...agentsExchanges,
  ...anchorExchanges,
  ...approvalsExchanges,
  ...booksExchanges,
  ...boostsExchanges,
  ...catalogExchanges,
  ...coldExchanges,
  ...delegatedKeysExchanges,
  ...groupsExchanges,
  ...hostExchanges,
  ...keysExchanges,
  ...linksExchanges,
  ...mcpServersExchanges,
  ...noticesExchanges,
  ...paymentsExchanges,
  ...phonesExchanges,
  ...picturesExchanges,
  ...policyExchanges,
  ...publicUrlExchanges,
  ...refillsExchanges,
  ...sessionsExchanges,
  ...signInExchanges,
  ...transfersExchanges,
  ...treasuryExchanges,
  ...watchExchanges,
} satisfies Record<RouteName, Exchange>;

type Exchanges = typeof exchanges;
/** As a caller writes it, before parsing. */
export type Input<N extends RouteName> = {
  params?: z.input<Exchanges[N]['params']>;
  query?: z.input<Exchanges[N]['query']>;
  body?: z.input<Exchanges[N]['body']>;
};
export type Params<N extends RouteName> = z.output<Exchanges[N]['params']>;
export type Query<N extends RouteName> = z.output<Exchanges[N]['query']>;
export type Body<N extends RouteName> = z.output<Exchanges[N]['body']>;
export type Reply<N extends RouteName> = z.output<Exchanges[N]['reply']>;
export type Accepted<N extends RouteName> = Exchanges[N] extends { accepted?: infer A }
  ? A extends z.ZodType
    ? z.output<A>
    : never
  : never;
