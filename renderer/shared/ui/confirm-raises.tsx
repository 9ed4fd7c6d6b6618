// Asks once more before a limit is removed, or raised more than ten times over.
import { List, Text } from '@mantine/core';
import { wholeOf } from '../amounts.ts';
import { Amount } from './Amount.tsx';
import type { Raise } from '../../../server/contract/limits/raise.ts';
import { confirmFirst } from './confirm-first.tsx';

/** Runs at once without large raises, otherwise when the owner has confirmed them. */
export const confirmRaises = (raises: readonly Raise[], run: () => void): void => {
  if (raises.length === 0) return run();
  const [one] = raises;
  const isRemoval = raises.every(({ after }) => after === null);
  const these = raises.length === 1 ? 'this limit' : 'these limits';
  confirmFirst({
    title:
      raises.length === 1 && one?.after != null
        ? `Raise it to ${wholeOf(one.after)} USDC?`
        : `${isRemoval ? 'Remove' : 'Raise'} ${these}?`,
    means: (
      <List size="sm" spacing={4}>
        {raises.map(({ label, before, after, times }) => (
          <List.Item key={label}>
            <Text span inherit fw={600}>
              {label}
            </Text>
            : {after === null ? 'no limit' : <Amount whole value={after} />} instead of{' '}
            <Amount whole value={before} />.
            {times !== null && ` That’s ${times.toLocaleString('en')} times today’s limit.`}
          </List.Item>
        ))}
      </List>
    ),
    confirm: isRemoval ? 'Yes, remove it' : 'Yes, raise it',
    cancel: 'Go back',
    isRed: true,
    run,
  });
};
