// A point in time: short in view, in full on hover and for screen readers.
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
