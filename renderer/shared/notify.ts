// Short notices in the corner, for results that the screen itself does not show.
import { notifications } from '@mantine/notifications';

const closeButtonProps = { 'aria-label': 'Close this notice' };

export const notifyDone = (message: string): void => {
  notifications.show({ color: 'teal', message, closeButtonProps });
};

/** For `.catch`: says what was not done and why, and stays until it is dismissed. */
export const notifyFailure =
  (notDone: string) =>
  (error: unknown): undefined => {
    const message = error instanceof Error ? error.message : String(error);
    notifications.show({ color: 'red', title: notDone, message, autoClose: false, closeButtonProps });
    return undefined;
  };
