// Asks once more before a limit is raised more than ten times over.
import { List, Text } from '@mantine/core';
import { Amount } from './Amount.tsx';
import type { Raise } from '../../../server/contract/limits/raise.ts';
import { confirmFirst } from './confirm-first.tsx';

/** Runs at once without large raises, otherwise when the owner has confirmed them. */
export const confirmRaises = (raises: readonly Raise[], run: () => void): void => {
  if (raises.length === 0) return run();
  confirmFirst({
    title: 'Raise it that much?',
    means: (
      <List size="sm" spacing={4}>
        {raises.map(({ label, before, after, times }) => (
          <List.Item key={label}>
            <Text span inherit fw={600}>
              {label}
            </Text>
            : <Amount whole value={after} /> instead of <Amount whole value={before} />
            {times !== null && `, ${times.toLocaleString('en')} times as much`}
          </List.Item>
        ))}
      </List>
    ),
    confirm: 'Yes, raise it',
    cancel: 'Go back',
    isRed: true,
    isCautious: true,
    run,
  });
};
