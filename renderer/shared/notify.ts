// Short notices in the corner, for results that the screen itself does not show.
import { notifications } from '@mantine/notifications';

const closeButtonProps = { 'aria-label': 'Close this notice' };
const failureMs = 20_000;
const failures = new Set<string>();

export const notifyDone = (message: string): void => {
  notifications.show({ color: 'teal', message, closeButtonProps });
};

/** For `.catch`: says what was not done and why, until it has been read, or its screen is left. */
export const notifyFailure =
  (notDone: string) =>
  (error: unknown): undefined => {
    const message = error instanceof Error ? error.message : String(error);
    failures.add(
      notifications.show({ color: 'red', title: notDone, message, autoClose: failureMs, closeButtonProps }),
    );
    return undefined;
  };

/** When a screen is left, or the session ends: what failed there is not to be read anywhere else. */
export const clearFailures = (): void => {
  for (const id of failures) notifications.hide(id);
  failures.clear();
};
