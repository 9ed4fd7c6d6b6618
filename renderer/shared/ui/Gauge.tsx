// The used part of a limit, as a bar and in words, and what a boost adds to it.
import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useChange } from '../hooks/use-command.ts';
import { notifyDone, notifyFailure } from '../notify.ts';
import { gaugeColor, percentOf, percentText, shareOf } from '../share.ts';
import { whenOf } from '../time.ts';
import { Amount } from './Amount.tsx';

interface GaugeProps {
  /** An amount, or a number of payments. */
  used: string | number;
  limit: string | number;
  /** For screen readers. */
  label: string;
}

/** An amount, or a number of payments. */
export const drawn = (one: string | number, currency = 'USDC') =>
  typeof one === 'string' ? <Amount value={one} currency={currency} /> : one.toLocaleString('en');

/** The bar alone. */
export const GaugeBar = ({ used, limit, label }: GaugeProps) => {
  const [part, whole] = [String(used), String(limit)];
  return (
    <Progress.Root size="sm">
      <Progress.Section
        value={shareOf(part, whole)}
        color={gaugeColor(percentOf(part, whole))}
        aria-label={label}
      />
    </Progress.Root>
  );
};

export const Gauge = ({ used, limit, label }: GaugeProps) => {
  const percent = percentOf(String(used), String(limit));
  const isOver = percent >= 100;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap={4} wrap="nowrap">
        <Text className="may-wrap">
          <Text span inherit fw={600}>
            {drawn(used, '')}
          </Text>{' '}
          <Text span inherit c="dimmed">
            of {drawn(limit)}
          </Text>
        </Text>
        <Text
          flex="none"
          className="amount"
          visibleFrom="sm"
          {...(isOver ? { c: 'red', fw: 600 } : { c: 'dimmed' })}
        >
          {percentText(percent)}
        </Text>
      </Group>
      <GaugeBar used={used} limit={limit} label={label} />
    </Stack>
  );
};

export type BoostInForce = Reply<'getCeiling'>['inForce']['boost'];

interface BoostLineProps {
  boost: BoostInForce;
  /** Where the owner changes limits, it can be ended too. */
  mayEnd?: boolean;
}

export const BoostLine = ({ boost, mayEnd = false }: BoostLineProps) =>
  boost !== null && (
    <Text size="xs">
      A boost adds <Amount value={boost.amount} /> until {whenOf(boost.until)}.
      {mayEnd && <EndBoost boostId={boost.boostId} />}
    </Text>
  );

const EndBoost = ({ boostId }: { boostId: string }) => {
  const end = useChange(['getCeiling', 'getLimits', 'getPolicy', 'getTreasuryLimits', 'listGroups'], () =>
    ask('endBoost', { params: { boostId } }).then(
      () => notifyDone('The boost has ended. What was spent still counts.'),
      notifyFailure('The boost was not ended'),
    ),
  );
  return (
    <>
      {' '}
      <Anchor
        component="button"
        type="button"
        inherit
        underline="always"
        disabled={end.isBusy}
        onClick={() => void end.run()}
      >
        End it now
      </Anchor>
    </>
  );
};

interface BudgetGaugeProps {
  spent: string;
  /** As it is in force; without one nothing is drawn. */
  budget: { dailyBudget: string | null; boost: BoostInForce };
  /** Its agent, for screen readers. */
  of: string;
  /** Whether a boost can be ended here. */
  mayEnd?: boolean;
}

/** Of a budget of 24 hours. */
export const BudgetGauge = ({
  spent,
  budget: { dailyBudget, boost },
  of,
  mayEnd = false,
}: BudgetGaugeProps) =>
  dailyBudget !== null && (
    <Stack gap={4}>
      <Gauge
        used={spent}
        limit={dailyBudget}
        label={`Budget of ${of}: ${spent} of ${dailyBudget} USDC spent in 24 hours`}
      />
      <BoostLine boost={boost} mayEnd={mayEnd} />
    </Stack>
  );
