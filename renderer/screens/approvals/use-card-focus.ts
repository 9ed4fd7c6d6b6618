// Where the focus is in the inbox: at its opening on the heading of a request, where no key decides anything, and after a
// decision on the heading of the next one.
import { useEffect, useRef, type FocusEvent } from 'react';

export const cardsIn = (list: HTMLElement): HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>('article'),
];
export const headingOf = (card: HTMLElement | undefined): HTMLElement | null =>
  card?.querySelector<HTMLElement>('h2') ?? null;
const idOf = (item: HTMLElement): string | undefined => item.dataset['request'];

/** How many cards stand above it. */
const placeOf = (item: HTMLElement, list: HTMLElement): number =>
  cardsIn(list).filter(
    (card) => (item.compareDocumentPosition(card) & Node.DOCUMENT_POSITION_PRECEDING) !== 0,
  ).length;

/**
 * @param arrangement changes whenever a request comes or goes
 * @param opensAt the request that has the focus at the opening; '': the first one; null: none
 */
export const useCardFocus = (arrangement: string, opensAt: string | null) => {
  const list = useRef<HTMLDivElement>(null);
  const hasOpened = useRef(false);
  /** The request that had the focus last, and its place. */
  const last = useRef<{ item: HTMLElement; place: number } | null>(null);
  useEffect(() => {
    if (list.current === null) return;
    const cards = cardsIn(list.current);
    if (!hasOpened.current) {
      hasOpened.current = true;
      if (opensAt === null) return;
      const asked = cards.find((card) => idOf(card) === opensAt);
      // Of one that is gone, no other takes the place.
      const isGone = opensAt !== '' && asked === undefined;
      (isGone ? list.current : headingOf(asked ?? cards[0]))?.focus({ preventScroll: true });
      // After the page has gone to its top, as for each screen.
      if (asked !== undefined) requestAnimationFrame(() => asked.scrollIntoView());
      return;
    }
    // An owner who is typing or reading elsewhere keeps the focus.
    if (last.current === null || last.current.item.isConnected) return;
    if (document.activeElement !== document.body) return;
    const { item, place } = last.current;
    last.current = null;
    // A denial that was undone brings the same request back.
    const next = cards.find((card) => idOf(card) === idOf(item)) ?? cards[Math.min(place, cards.length - 1)];
    (headingOf(next) ?? list.current).focus();
  }, [arrangement]);
  return {
    list,
    onFocus({ target, currentTarget }: FocusEvent<HTMLElement>): void {
      const item = target.closest<HTMLElement>('[data-request]');
      last.current = item === null ? null : { item, place: placeOf(item, currentTarget) };
    },
  };
};
