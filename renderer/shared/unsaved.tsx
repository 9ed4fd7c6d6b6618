// Edits that are not saved yet. Leaving their screen asks first, whether by a link, by the browser's buttons, from the
// tray, or by closing the page.
import { modals } from '@mantine/modals';
import { useEffect } from 'react';
import type { RouterObject } from 'wouter';
import { bridge } from '../api/desktop.ts';
import { navigate } from './hooks/use-hash-location.ts';
import { withoutTab } from './screen-at.ts';
import { confirmFirst } from './ui/confirm-first.tsx';

interface Guard {
  /** The name of the edits: `the policy of Scout`. */
  what: string;
  /** The address of their screen. */
  url: string;
}

let guard: Guard | null = null;

const dialog = 'unsaved';

const askToLeave = ({ what }: Guard, leave: () => void): void => {
  modals.close(dialog);
  confirmFirst({
    modalId: dialog,
    title: 'Leave without saving?',
    means: `Your changes to ${what} are not saved. If you leave, they are lost.`,
    confirm: 'Leave without saving',
    cancel: 'Stay here',
    isRed: true,
    run() {
      guard = null;
      leave();
    },
  });
};

const pathOf = (hash: string): string => withoutTab(hash.replace(/^#?\/?/, '/').replace(/\?.*$/, ''));
const isElsewhere = ({ url }: Guard, hash: string): boolean => pathOf(new URL(url).hash) !== pathOf(hash);

/** For the router, which calls it for links and for the page's own steps. */
export const askBeforeLeaving: RouterObject['aroundNav'] = (go, to, options) => {
  if (guard === null || !isElsewhere(guard, to)) go(to, options);
  else askToLeave(guard, () => go(to, options));
};

/** Opens a place that was chosen outside the page, such as in the tray. */
export const openPlace = (path: string): void => askBeforeLeaving(navigate, path);

/**
 * For the browser's buttons and a typed address, which have changed the address already: it is put back. The router
 * looks at it only after this event.
 */
const stayUntilAsked = (): void => {
  if (guard === null || !isElsewhere(guard, location.hash)) return;
  const to = location.href;
  history.pushState(null, '', guard.url);
  askToLeave(guard, () => {
    history.pushState(null, '', to);
    dispatchEvent(new HashChangeEvent('hashchange', { newURL: to }));
  });
};

const stayOpen = (event: BeforeUnloadEvent): void => event.preventDefault();

/** Guards the screen while `what` is not saved; null when there is nothing to save. */
export const useUnsaved = (what: string | null): void => {
  useEffect(() => {
    if (what === null) return;
    guard = { what, url: location.href };
    addEventListener('popstate', stayUntilAsked);
    // A desktop's window would not close, and would not say why.
    if (bridge === undefined) addEventListener('beforeunload', stayOpen);
    return () => {
      guard = null;
      removeEventListener('popstate', stayUntilAsked);
      removeEventListener('beforeunload', stayOpen);
    };
  }, [what]);
};
