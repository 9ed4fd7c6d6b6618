// Where the focus is in the inbox: at its opening on the first request's heading, where no key decides anything, and after
// a decision on the heading of the next one.
import { useEffect, useRef, type FocusEvent } from 'react';

const cardsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>('article')];
const headingOf = (card: HTMLElement | undefined): HTMLElement | null =>
  card?.querySelector<HTMLElement>('h2') ?? null;

/** @param arrangement changes whenever a request comes or goes */
export const useCardFocus = (arrangement: string) => {
  const list = useRef<HTMLDivElement>(null);
  const hasOpened = useRef(false);
  /** The card that had the focus last, and its place. */
  const last = useRef<{ card: HTMLElement; index: number } | null>(null);
  useEffect(() => {
    if (list.current === null) return;
    const cards = cardsIn(list.current);
    if (!hasOpened.current) {
      hasOpened.current = true;
      headingOf(cards[0])?.focus({ preventScroll: true });
      return;
    }
    const { card, index } = last.current ?? {};
    // An owner who is typing or reading elsewhere keeps the focus.
    if (card === undefined || index === undefined || card.isConnected) return;
    if (document.activeElement !== document.body) return;
    last.current = null;
    (headingOf(cards[Math.min(index, cards.length - 1)]) ?? list.current).focus();
  }, [arrangement]);
  return {
    list,
    onFocus({ target }: FocusEvent<HTMLElement>): void {
      const card = target.closest<HTMLElement>('article');
      last.current =
        card === null || list.current === null ? null : { card, index: cardsIn(list.current).indexOf(card) };
    },
  };
};
