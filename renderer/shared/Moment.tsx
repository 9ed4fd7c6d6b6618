// A point in time: short to look at, whole on hover and for a screen reader.
import { Text, type TextProps } from '@mantine/core';
import { momentOf, whenOf } from './time.ts';

interface MomentProps extends TextProps {
  iso: string;
}

export const Moment = ({ iso, ...text }: MomentProps) => (
  <Text span inherit {...text}>
    <time dateTime={iso} title={momentOf(iso)}>
      {whenOf(iso)}
    </time>
  </Text>
);
