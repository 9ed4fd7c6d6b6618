// J and K move between the requests. D and A go to the buttons of the request that has the focus and decide nothing: Enter
// does, once the button is ready, which after each of these keys takes a moment. So no word typed by mistake decides.
import { useState, type RefObject } from 'react';
import { useKeys } from '../../shared/keys.ts';
import { cardsIn, headingOf } from './use-card-focus.ts';

export type DecidingKey = 'a' | 'd';

const focusedCard = (): HTMLElement | null => document.activeElement?.closest('article') ?? null;

/** @returns how often D and A were pressed; the buttons are not ready for a moment after each change of it */
export const useCardKeys = (list: RefObject<HTMLElement | null>): number => {
  const [pressed, setPressed] = useState(0);
  const move = (by: 1 | -1) => () => {
    if (list.current === null) return;
    const cards = cardsIn(list.current);
    const at = cards.findIndex((card) => card === focusedCard());
    const first = by === 1 ? 0 : cards.length - 1;
    const next = at < 0 ? first : Math.min(Math.max(at + by, 0), cards.length - 1);
    headingOf(cards[next])?.focus();
    cards[next]?.scrollIntoView({ block: 'nearest' });
  };
  const goTo = (key: DecidingKey) => () => {
    const button = focusedCard()?.querySelector<HTMLElement>(`[data-key=${key}]`);
    if (button == null) return;
    setPressed((times) => times + 1);
    button.focus();
  };
  useKeys({ j: move(1), k: move(-1), d: goTo('d'), a: goTo('a') });
  return pressed;
};
