// How much more or less it is than in the month before, in words. A month that still runs is not compared with a whole one.
import { Amount } from '../../shared/Amount.tsx';
import { changeOf } from './changes.ts';

interface ChangeWordsProps {
  now: string;
  before: string;
  /** The name of the month before. */
  name: string;
  isRunning: boolean;
}

export const ChangeWords = ({ now, before, name, isRunning }: ChangeWordsProps) => {
  if (isRunning)
    return (
      <>
        <Amount value={before} /> in all of {name}
      </>
    );
  const { way, by, percent } = changeOf(now, before);
  if (way === 'same') return <>As much as in {name}</>;
  return (
    <>
      <Amount value={by} /> {way}
      {percent === null
        ? `; there was nothing in ${name}`
        : ` than in ${name} (${percent.toLocaleString('en')} %)`}
    </>
  );
};
