// A facilitator's list of paid APIs (`/discovery/resources`), page by page. It is untrusted text: nothing here believes
// an item, or that the list is as long as it says.
import { z } from 'zod';
import { AppError } from '../errors.ts';
import type { Outbound, OutboundAnswer } from '../x402/outbound.ts';
import { jsonIn } from '../lib/base64-json.ts';

export interface BazaarPage {
  /** As they came; `readItem` parses each. */
  items: readonly unknown[];
  /** Offset of the next page. */
  next: number;
  /** The total that the list claims. */
  total: number | null;
  /** Items that were too large to fetch. */
  skipped: number;
  /** Null: there are more. `why`: we stop here, but have not seen the whole list. */
  end: null | { isWhole: true } | { isWhole: false; why: string };
}

interface ListOptions {
  outbound: Outbound;
  /** The facilitator's, without a trailing slash. */
  url: string;
  /** Where to begin. */
  offset: number;
  signal?: AbortSignal;
  /** Most items that are read of a list, however long it is. */
  most?: number;
}

/** How many items are asked for at once: fewer when so many are too large for one answer. */
const limits = [100, 50, 20, 5, 1] as const;
/** After this many pages in a row, larger ones are tried again. */
const patience = 4;
const mostItems = 100_000;
/** Give up on a list with more oversized items than this. */
const mostSkipped = 20;

const pageSchema = z.object({
  items: z.array(z.unknown()),
  pagination: z.object({ total: z.number().int().nonnegative().optional().catch(undefined) }).catch({}),
});

/**
 * Reads a list from `offset` to its end, one request at a time; the next page is asked for when one was taken.
 * @throws AppError `not_available` when an answer is missing or not a list: it can be continued from the last `next`
 */
export const readList = async function* ({
  outbound,
  url,
  offset,
  signal,
  most = mostItems,
}: ListOptions): AsyncGenerator<BazaarPage, void> {
  let [size, had, skipped] = [0, 0, 0];
  let before = '';
  for (let at = offset; ; had += 1) {
    if (size > 0 && had >= patience) [size, had] = [size - 1, 0];
    const limit = limits[size] ?? 1;
    const asked = `${url}/discovery/resources?type=http&limit=${limit}&offset=${at}`;
    const request = { url: asked, headers: { accept: 'application/json' }, ...(signal && { signal }) };
    const answer = await outbound(request).catch(tooLarge);
    if (answer === null && limit > 1) {
      [size, had] = [size + 1, -1];
    } else if (answer === null) {
      skipped += 1;
      at += 1;
      if (skipped > mostSkipped) throw new AppError('not_available', `${url} says more than can be read.`);
      yield { items: [], next: at, total: null, skipped: 1, end: null };
    } else {
      const { items, total } = read(answer, url);
      const same = outlineOf(items, url);
      const isAgain = items.length > 0 && same === before;
      const shown = isAgain ? [] : items.slice(0, Math.max(most - at, 0));
      const next = at + shown.length;
      const end = endOf({ items, total, at, next, most, isAgain });
      yield { items: shown, next, total, skipped: 0, end };
      if (end !== null) return;
      before = same;
      at = next;
    }
  }
};

/** Null for an answer that asking for fewer items makes smaller; rethrows any other failure. */
const tooLarge = (error: unknown): null => {
  if (error instanceof AppError && /says more than/.test(error.message)) return null;
  throw error;
};

const read = ({ status, bytes }: OutboundAnswer, url: string): { items: unknown[]; total: number | null } => {
  const { origin } = new URL(url);
  if (status >= 300 && status < 400)
    throw new AppError(
      'not_available',
      `${origin} redirects to another address (${status}): add that one instead.`,
    );
  if (status !== 200)
    throw new AppError('not_available', `${origin} answered ${status}, and not with a list.`, { status });
  const page = pageSchema.safeParse(jsonIn(bytes.toString('utf8')));
  if (!page.success) throw new AppError('not_available', `${origin} did not answer with a list.`);
  return { items: page.data.items, total: page.data.pagination.total ?? null };
};

/** What distinguishes a page from the one before. */
const outlineOf = (items: readonly unknown[], url: string): string => {
  try {
    return JSON.stringify([items[0], items.at(-1), items.length]);
  } catch (error) {
    throw new AppError(
      'not_available',
      `${new URL(url).origin} answered with items that are nested too deeply to read.`,
      {},
      { cause: error },
    );
  }
};

interface Reached {
  items: readonly unknown[];
  total: number | null;
  at: number;
  next: number;
  most: number;
  /** The page repeats the one before. */
  isAgain: boolean;
}

const endOf = ({ items, total, at, next, most, isAgain }: Reached): BazaarPage['end'] => {
  const missing = total !== null && at < total;
  if (isAgain)
    return missing
      ? { isWhole: false, why: `It gives the same items again at ${at} of ${total}.` }
      : { isWhole: true };
  if (items.length === 0)
    return missing ? { isWhole: false, why: `It has nothing at ${at} of ${total}.` } : { isWhole: true };
  if (total !== null && next >= total) return { isWhole: true };
  return next >= most
    ? { isWhole: false, why: `It lists more than ${most} items: those after were not read.` }
    : null;
};
