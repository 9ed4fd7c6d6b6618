// Asks for confirmation in a dialog that states the consequences.
import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

interface Question {
  title: string;
  /** The consequences. */
  means: ReactNode;
  confirm: string;
  cancel?: string;
  /** It takes something away, or risks money, so that it is cautious too. */
  isRed?: boolean;
  /** Enter cancels it, since the focus is there. */
  isCautious?: boolean;
  /** For a dialog that is closed elsewhere too. */
  modalId?: string;
  run: () => unknown;
}

export const confirmFirst = ({ title, means, confirm, cancel = 'Cancel', run, ...looks }: Question): void => {
  const { isRed = false, isCautious = isRed, modalId } = looks;
  modals.openConfirmModal({
    ...(modalId === undefined ? {} : { modalId }),
    title,
    children: typeof means === 'string' ? <Text>{means}</Text> : means,
    labels: { confirm, cancel },
    ...(isRed ? { confirmProps: { color: 'red' } } : {}),
    ...(isCautious ? { cancelProps: { 'data-autofocus': true } } : {}),
    onConfirm: () => void run(),
  });
};
