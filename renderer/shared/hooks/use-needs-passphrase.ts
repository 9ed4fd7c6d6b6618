// Whether the vault's root lies behind a passphrase, which the owner proves for what matters most.
import { useOwner } from '../../stores/queries.ts';

export const useNeedsPassphrase = (): boolean => {
  const { data } = useOwner('about');
  return data?.protection === 'keychain+seal' || data?.protection === 'passphrase-file';
};
