// What a boost adds to a node's budgets until a time, and the way to end it.
import { Anchor, Text } from '@mantine/core';
import type { Reply } from '../../../server/contract/schemas.ts';
import { ask } from '../../api/owner.ts';
import { useChange } from '../hooks/use-command.ts';
import { notifyDone, notifyFailure } from '../notify.ts';
import { whenOf } from '../time.ts';
import { Amount } from './Amount.tsx';

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
