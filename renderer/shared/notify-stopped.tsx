// Says at once what a stop did and what it ended for good, and offers to resume where that is possible.
import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { endedText, type Ended } from '../../server/contract/treasury/ended.ts';

const closeButtonProps = { 'aria-label': 'Close this notice' };
/** Long enough to read it, and to change one's mind. */
const shownMs = 12_000;

interface Stopped {
  /** A sentence. */
  did: string;
  ended: Ended;
  /** Only for a pause by hand; the request says itself how it went. */
  resume?: () => unknown;
}

export const notifyStopped = ({ did, ended, resume }: Stopped): void => {
  const lost = endedText(ended);
  const id = notifications.show({
    color: 'orange',
    autoClose: shownMs,
    closeButtonProps,
    message: (
      <Stack gap={6} align="flex-start">
        <Text>
          {did}
          {lost !== '' && ` ${lost}`}
        </Text>
        {resume !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => {
              notifications.hide(id);
              void resume();
            }}
          >
            {lost === '' ? 'Resume' : 'Resume; what ended stays ended'}
          </Button>
        )}
      </Stack>
    ),
  });
};
