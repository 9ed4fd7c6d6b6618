// How much more or less it is than before, in words.
import { Amount } from '../../shared/Amount.tsx';
import { changeOf } from './changes.ts';

interface ChangeWordsProps {
  now: string;
  before: string;
  /** The period of `before`, in words. */
  words: string;
}

export const ChangeWords = ({ now, before, words }: ChangeWordsProps) => {
  const { way, by, percent } = changeOf(now, before);
  if (way === 'same') return <>As much as in {words}</>;
  return (
    <>
      <Amount value={by} /> {way}
      {percent === null
        ? `; there was nothing in ${words}`
        : ` than in ${words} (${percent.toLocaleString('en')} %)`}
    </>
  );
};
