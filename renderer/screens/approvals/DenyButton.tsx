// Declines a request; armed like the button that approves it.
import { IconX } from '@tabler/icons-react';
import { ArmedButton } from './ArmedButton.tsx';

interface DenyButtonProps {
  isArmed: boolean;
  isBusy: boolean;
  onDeny: () => void;
}

export const DenyButton = ({ isArmed, isBusy, onDeny }: DenyButtonProps) => (
  <ArmedButton
    isArmed={isArmed}
    at="d"
    loading={isBusy}
    icon={<IconX size={16} aria-hidden />}
    onClick={onDeny}
  >
    Decline
  </ArmedButton>
);
