// Whether the owner has skipped the steps to the first agent; remembered on this machine.
import { useLocalStorage } from '@mantine/hooks';

export const useWelcomeSkipped = () =>
  useLocalStorage({ key: 'welcome-skipped', defaultValue: false, getInitialValueInEffect: false });
