// Asks once more before a limit is raised more than ten times over.
import { List, Text } from '@mantine/core';
import { wholeOf } from '../amounts.ts';
import { Amount } from './Amount.tsx';
import type { Raise } from '../../../server/contract/limits/raise.ts';
import { confirmFirst } from './confirm-first.tsx';

/** Runs at once without large raises, otherwise when the owner has confirmed them. */
export const confirmRaises = (raises: readonly Raise[], run: () => void): void => {
  if (raises.length === 0) return run();
  const [one, more] = raises;
  confirmFirst({
    title: one === undefined || more ? 'Raise these limits?' : `Raise it to ${wholeOf(one.after)} USDC?`,
    means: (
      <List size="sm" spacing={4}>
        {raises.map(({ label, before, after, times }) => (
          <List.Item key={label}>
            <Text span inherit fw={600}>
              {label}
            </Text>
            : <Amount whole value={after} /> instead of <Amount whole value={before} />.
            {times !== null && ` That’s ${times.toLocaleString('en')} times today’s limit.`}
          </List.Item>
        ))}
      </List>
    ),
    confirm: 'Yes, raise it',
    cancel: 'Go back',
    isRed: true,
    run,
  });
};
