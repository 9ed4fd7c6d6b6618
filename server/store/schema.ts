// The migrations, in order. They only grow: append a new one, and never edit one that was released.
import { first } from './migrations/1-first.ts';
import { spendingByDay } from './migrations/2-spending-by-day.ts';
import { linking } from './migrations/3-linking.ts';
import { generation } from './migrations/4-generation.ts';
import { catalog } from './migrations/5-catalog.ts';
import { purchase } from './migrations/6-purchase.ts';
import { bazaar } from './migrations/7-bazaar.ts';
import { lists } from './migrations/8-lists.ts';
import { protectedKeys } from './migrations/9-protected.ts';
import { mend } from './migrations/10-mend.ts';
import { answers } from './migrations/11-answers.ts';
import { reportDelivered } from './migrations/12-report-delivered.ts';
import { denials } from './migrations/13-denials.ts';
import { desk } from './migrations/14-desk.ts';
import { blockedPayees } from './migrations/15-blocked-payees.ts';
import { limits } from './migrations/16-limits.ts';
import { nodes } from './migrations/17-nodes.ts';
import { notices } from './migrations/18-notices.ts';
import { boosts } from './migrations/19-boosts.ts';
import { watch } from './migrations/20-watch.ts';
import { refills } from './migrations/21-refills.ts';
import { serviceLimits } from './migrations/22-service-limits.ts';
import { cold } from './migrations/23-cold.ts';
import { phones } from './migrations/24-phones.ts';
import { sellerSignIns } from './migrations/25-seller-sign-ins.ts';
import { doubt } from './migrations/26-doubt.ts';
import { splits } from './migrations/27-splits.ts';
import { books } from './migrations/28-books.ts';
import { anchors } from './migrations/29-anchors.ts';
import { publicAddress } from './migrations/30-public-address.ts';
import { solIn } from './migrations/31-sol-in.ts';
import { dialectsUnchecked } from './migrations/32-dialects.ts';
import { unpayable } from './migrations/33-unpayable.ts';
import { labels } from './migrations/34-labels.ts';
import { models } from './migrations/35-models.ts';
import { modelRequests } from './migrations/36-model-requests.ts';
import { standingApprovals } from './migrations/37-standing-approvals.ts';
import { modelBooks } from './migrations/38-model-books.ts';
import { sales } from './migrations/39-sales.ts';
import { modelSpending } from './migrations/40-model-spending.ts';
import type { Db } from './db.ts';

/** SQL, or a function for what SQL cannot do. */
type Migration = string | ((db: Db) => void);

export const migrations: readonly Migration[] = [
  first,
  spendingByDay,
  linking,
  generation,
  catalog,
  purchase,
  bazaar,
  lists,
  protectedKeys,
  mend,
  answers,
  reportDelivered,
  denials,
  desk,
  blockedPayees,
  limits,
  nodes,
  notices,
  boosts,
  watch,
  refills,
  serviceLimits,
  cold,
  phones,
  sellerSignIns,
  doubt,
  splits,
  books,
  anchors,
  publicAddress,
  solIn,
  dialectsUnchecked,
  unpayable,
  labels,
  models,
  modelRequests,
  standingApprovals,
  modelBooks,
  sales,
  modelSpending,
];
