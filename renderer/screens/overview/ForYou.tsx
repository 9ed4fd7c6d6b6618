// What needs the owner, the gravest first: the register's conditions that the banners do not show.
import { Stack } from '@mantine/core';
import { ConditionNotice } from '../../shell/Banners.tsx';
import type { Snapshot } from '../../stores/treasury.ts';

export const ForYou = ({ conditions }: Pick<Snapshot, 'conditions'>) => {
  const shown = conditions.filter(({ isEverywhere }) => !isEverywhere);
  return shown.length === 0 ? null : (
    <Stack gap="xs" component="section" aria-label="For you">
      {shown.map((condition) => (
        <ConditionNotice key={`${condition.code} ${condition.agentId ?? ''}`} condition={condition} />
      ))}
    </Stack>
  );
};
