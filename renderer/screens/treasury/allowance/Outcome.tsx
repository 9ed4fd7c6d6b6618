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
            : `An allowance of ${earlier} USDC that was signed before may still land after it, for about a minute. Nothing is certain until then: keep this page open.`,
      };
    case 'overtaken':
      return {
        ...wrong,
        title: 'Another allowance landed after it',
        text: 'It was signed before, and is in force now. The page shows what is left: sign again.',
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
            : 'It is final. Allocations draw on it again.',
      };
    case 'failed':
      return { ...wrong, title: 'The chain refused it', text: 'The allowance is what it was.' };
    case 'expired':
      return {
        ...wrong,
        title: 'It came too late',
        text: 'A transaction lives for about a minute, and the chain did not take this one in time. Sign again.',
      };
  }
};

const wrong = { color: 'red', icon: <IconAlertTriangle aria-hidden /> };

export const Outcome = ({ change, isStopped }: { change: Change; isStopped: boolean }) => {
  const { text, ...notice } = wordsOf(change, isStopped);
  return <Notice {...notice}>{text}</Notice>;
};
