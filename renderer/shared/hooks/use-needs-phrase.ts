// Whether the owner still has to write down the recovery phrase.
import { useConnection } from '../../stores/connection.ts';
import { useTreasury } from '../../stores/treasury.ts';

export const useNeedsPhrase = (): boolean => {
  const isKept = useTreasury(({ snapshot }) => snapshot?.phraseKept ?? true);
  // An older desktop kept this in its own settings.
  const isConfirmed = useConnection(({ desktop }) => desktop?.phraseConfirmed ?? false);
  return !isKept && !isConfirmed;
};
