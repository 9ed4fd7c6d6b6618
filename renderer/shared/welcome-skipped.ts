// The owner does not want to be led to the first agent; remembered on this machine.
import { useLocalStorage } from '@mantine/hooks';

export const useWelcomeSkipped = () =>
  useLocalStorage({ key: 'welcome-skipped', defaultValue: false, getInitialValueInEffect: false });
