// A link session that is over: the reason, and the next step.
import { Code, Text } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { Notice } from '../../shared/Notice.tsx';

export const Ended = ({ wasDenied }: { wasDenied: boolean }) => (
  <>
    <Notice
      color={wasDenied ? 'red' : 'yellow'}
      icon={<IconLinkOff aria-hidden />}
      title={wasDenied ? 'This request was declined' : 'This link is no longer valid'}
    >
      {wasDenied
        ? 'The owner declined it in the treasury. Nothing was linked.'
        : 'A link lasts ten minutes, and works once.'}
    </Notice>
    <Text size="sm">
      {wasDenied ? 'If that was a mistake, run ' : 'Run '}
      <Code>treasury link</Code> again and open the new address.
    </Text>
  </>
);
