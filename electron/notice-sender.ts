// Shows notices on the desktop.
import type { Notification } from 'electron';
import type { Notice } from './notifications.ts';

/** Shows a notice and holds the object until it is gone; garbage collection would lose its click. */
export const createNoticeSender = (
  NotificationClass: typeof Notification,
  open: (path: string) => void,
): ((notice: Notice) => void) => {
  const shown = new Set<Notification>();
  return ({ title, body, path }) => {
    if (!NotificationClass.isSupported()) return;
    const one = new NotificationClass({ title, body });
    const gone = (): void => void shown.delete(one);
    one.on('click', () => {
      gone();
      open(path);
    });
    one.on('close', gone);
    one.on('failed', gone);
    shown.add(one);
    if (shown.size > 50) shown.delete([...shown][0] ?? one);
    one.show();
  };
};
