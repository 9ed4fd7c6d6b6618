// Asks once more before a limit is removed, or raised more than ten times over.
import { List, Text } from '@mantine/core';
import { Amount } from './Amount.tsx';
import type { Raise } from '../../../server/contract/limits/raise.ts';
import { confirmFirst } from './confirm-first.tsx';

/** Runs at once without large raises, otherwise when the owner has confirmed them. */
export const confirmRaises = (raises: readonly Raise[], run: () => void): void => {
  if (raises.length === 0) return run();
  const removed = raises.filter(({ after }) => after === null).length;
  const verb = removed === raises.length ? 'Remove' : removed === 0 ? 'Raise' : 'Loosen';
  const [these, them] = raises.length === 1 ? ['this limit', 'it'] : ['these limits', 'them'];
  confirmFirst({
    title: `${verb} ${these}?`,
    means: (
      <List size="sm" spacing={4}>
        {raises.map(({ label, before, after, unit, instead = 'No limit', times }) => (
          <List.Item key={label}>
            <Text span inherit fw={600}>
              {label}
            </Text>
            : {after === null ? instead.toLowerCase() : <Figure value={after} unit={unit} />}
            {before !== null && (
              <>
                {' '}
                instead of <Figure value={before} unit={unit} />
              </>
            )}
            .{times !== null && ` That’s ${times.toLocaleString('en')} times today’s limit.`}
          </List.Item>
        ))}
      </List>
    ),
    confirm: `Yes, ${verb.toLowerCase()} ${them}`,
    cancel: 'Go back',
    isRed: true,
    run,
  });
};

const Figure = ({ value, unit }: { value: string; unit: string | undefined }) =>
  unit === undefined ? <Amount whole value={value} /> : `${Number(value).toLocaleString('en')} ${unit}`;
