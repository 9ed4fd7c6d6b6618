// The dialog of a form, which starts anew each time that it opens.
import { Modal, type ModalProps } from '@mantine/core';
import type { FC } from 'react';

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
}

export interface Done {
  onDone: () => void;
}

/** @param titleOf the title, of the form's own properties */
export const formDialog =
  <P extends object>(
    titleOf: (props: P) => string,
    Form: FC<P & Done>,
    modal: Pick<ModalProps, 'size'> = {},
  ): FC<P & DialogProps> =>
  (props) => (
    <Modal opened={props.opened} onClose={props.onClose} title={titleOf(props)} {...modal}>
      {props.opened && <Form {...props} onDone={props.onClose} />}
    </Modal>
  );
