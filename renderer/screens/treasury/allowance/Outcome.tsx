// The outcome of a new allowance that was signed and sent.
import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Notice } from '../../../shared/ui/Notice.tsx';
import type { Change } from './use-allowance.ts';

interface Words {
  color: string;
  icon: ReactNode;
  title: string;
  text: string;
}

const wordsOf = ({ state, allowance, earlier }: Change, isStopped: boolean): Words => {
  const isRevoked = Number(allowance) === 0;
  switch (state) {
    case 'sent':
      return {
        color: 'yellow',
        icon: <IconClock aria-hidden />,
        title: 'Signed and sent',
        text:
          earlier === null
            ? 'The chain makes it final in about half a minute. Keep this page open until then.'
            : `An allowance of ${earlier} USDC that you signed earlier could still take effect, for about a minute. Keep this page open until that is settled.`,
      };
    case 'overtaken':
      return {
        ...wrong,
        title: 'Another allowance took effect after it',
        text: 'You signed that one earlier, and it is now in force. Check what is left, then sign again.',
      };
    case 'final':
      return {
        color: 'teal',
        icon: <IconCheck aria-hidden />,
        title: isRevoked ? 'The allowance is revoked' : `The allowance is ${allowance} USDC now`,
        text: isRevoked
          ? 'Nobody can draw on the cold wallet, not even a thief. Agents pay from what they have.'
          : isStopped
            ? 'It is final. You stopped drawing: resume it under Treasury.'
            : 'It is final. Funding can draw on it again.',
      };
    case 'failed':
      return { ...wrong, title: 'The chain refused it', text: 'The allowance has not changed.' };
    case 'expired':
      return {
        ...wrong,
        title: 'The transaction expired',
        text: 'The chain did not accept it within about a minute. Sign again.',
      };
  }
};

const wrong = { color: 'red', icon: <IconAlertTriangle aria-hidden /> };

export const Outcome = ({ change, isStopped }: { change: Change; isStopped: boolean }) => {
  const { text, ...notice } = wordsOf(change, isStopped);
  return <Notice {...notice}>{text}</Notice>;
};
