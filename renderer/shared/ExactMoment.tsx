// A point in time in full, in the owner's zone, and on hover how long ago it is.
import { useZone } from './hooks/use-zone.ts';
import { momentOf } from './time.ts';
import { Moment } from './ui/Moment.tsx';

export const ExactMoment = ({ iso }: { iso: string }) => {
  const zone = useZone();
  return <Moment iso={iso} exact={{ words: momentOf(iso, zone), zone }} />;
};
