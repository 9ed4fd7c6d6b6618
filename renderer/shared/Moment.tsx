// A point in time that has passed: how long ago, and in full on hover.
import { Text, type TextProps } from '@mantine/core';
import { agoOf, momentOf } from './time.ts';
import { useMinute } from './use-minute.ts';

interface MomentProps extends TextProps {
  iso: string;
}

export const Moment = ({ iso, ...text }: MomentProps) => {
  const now = useMinute();
  return (
    <Text span inherit {...text}>
      <time dateTime={iso} title={momentOf(iso)}>
        {agoOf(iso, now)}
      </time>
    </Text>
  );
};
