// The request and reply of each route. Requests are strict: an unknown field is an error that names it.
import { agentsExchanges } from './agents/agents.schemas.ts';
import { anchorExchanges } from './books/anchors.schemas.ts';
import { approvalsExchanges } from './approvals/approvals.schemas.ts';
import { boostsExchanges } from './limits/boosts.schemas.ts';
import { booksExchanges } from './books/books.schemas.ts';
import { modelBooksExchanges } from './books/model-books.schemas.ts';
import { catalogExchanges } from './catalog/catalog.schemas.ts';
import { coldExchanges } from './treasury/cold.schemas.ts';
import { delegatedKeysExchanges } from './agents/delegated-keys.schemas.ts';
import { groupsExchanges } from './limits/groups.schemas.ts';
import { hostExchanges } from './host/host.schemas.ts';
import { keysExchanges } from './agents/keys.schemas.ts';
import { linksExchanges } from './sign-in/links.schemas.ts';
import { mcpServersExchanges } from './catalog/mcp-servers.schemas.ts';
import { modelsExchanges } from './models/models.schemas.ts';
import { noticesExchanges } from './notices/notices.schemas.ts';
import { paymentsExchanges } from './payments/payments.schemas.ts';
import { phonesExchanges } from './phones/phones.schemas.ts';
import { picturesExchanges } from './catalog/pictures.schemas.ts';
import { policyExchanges } from './limits/policy.schemas.ts';
import { publicUrlExchanges } from './sign-in/public-url.schemas.ts';
import { refillsExchanges } from './limits/refills.schemas.ts';
import { salesExchanges } from './books/sales.schemas.ts';
import { sessionsExchanges } from './sign-in/sessions.schemas.ts';
import { signInExchanges } from './sign-in/sign-in.schemas.ts';
import { transfersExchanges } from './payments/transfers.schemas.ts';
import { treasuryExchanges } from './treasury/treasury.schemas.ts';
import { watchExchanges } from './watch/watch.schemas.ts';
import type { Exchange } from './exchange.ts';
import type { RouteName } from './routes.ts';
import type { z } from 'zod';

export const exchanges = {
  ...agentsExchanges,
  ...anchorExchanges,
  ...approvalsExchanges,
  ...booksExchanges,
  ...modelBooksExchanges,
  ...boostsExchanges,
  ...catalogExchanges,
  ...coldExchanges,
  ...delegatedKeysExchanges,
  ...groupsExchanges,
  ...hostExchanges,
  ...keysExchanges,
  ...linksExchanges,
  ...mcpServersExchanges,
  ...modelsExchanges,
  ...noticesExchanges,
  ...paymentsExchanges,
  ...phonesExchanges,
  ...picturesExchanges,
  ...policyExchanges,
  ...publicUrlExchanges,
  ...refillsExchanges,
  ...salesExchanges,
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
