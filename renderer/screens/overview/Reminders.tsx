// The owner's to-dos: SOL for fees, a copy of the recovery phrase, an empty treasury.
import { Anchor, Stack } from '@mantine/core';
import { IconGasStation, IconNotebook, IconWallet } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { counted } from '../../shared/format.ts';
import { useNeedsPhrase } from '../../shared/hooks/use-needs-phrase.ts';
import type { Snapshot } from '../../stores/treasury.ts';
import { Notice } from '../../shared/ui/Notice.tsx';

const fewTransfers = 20;
/** What a new USDC account costs. */
const accountSol = 0.00204;

export const Reminders = ({ snapshot: { treasury, agents, exposure, outage } }: { snapshot: Snapshot }) => {
  const needsBackup = useNeedsPhrase();
  const { transfersLeft, spendableSol: sol, amount } = treasury;
  // Nothing was read since the start.
  const isSolKnown = outage?.isStarting !== true;
  const opensAccount = Number(sol) >= accountSol;
  const isEmpty = amount === '0' && agents.every(({ balance }) => balance === '0.00');
  const deposit = (
    <Anchor component={Link} href="/treasury" inherit underline="always">
      Show the deposit address
    </Anchor>
  );
  const reminders: ReactNode[] = [
    isSolKnown && transfersLeft === 0 && (
      <Notice key="fees" color="red" icon={<IconGasStation aria-hidden />} title="No SOL for network fees">
        The treasury has {sol} SOL above the minimum of its account, too little for one transfer. No agent can
        pay until you send it some. {deposit}
      </Notice>
    ),
    isSolKnown && transfersLeft > 0 && (transfersLeft < fewTransfers || !opensAccount) && (
      <Notice key="fees" color="yellow" icon={<IconGasStation aria-hidden />} title="SOL for fees runs low">
        {sol} SOL is left, enough for {counted(transfersLeft, 'transfer')}
        {opensAccount ? '' : ', and too little for a new agent or a payee without a USDC account'}. Send the
        treasury some more. {deposit}
      </Notice>
    ),
    needsBackup && (
      <Notice
        key="phrase"
        color="yellow"
        icon={<IconNotebook aria-hidden />}
        title="Write down your recovery phrase"
      >
        It is the only way back to your money when this machine is lost.{' '}
        <Anchor component={Link} href="/treasury" inherit underline="always">
          Do it now
        </Anchor>
      </Notice>
    ),
    exposure.aside !== '0.00' && (
      <Notice
        key="aside"
        color="yellow"
        icon={<IconWallet aria-hidden />}
        title={`${exposure.aside} USDC lies where the treasury cannot spend it`}
      >
        Somebody paid into a second USDC account of the treasury’s or an agent’s wallet. A wallet app that you
        open with the recovery phrase shows all accounts: send the USDC from there to the treasury’s address.
      </Notice>
    ),
    isEmpty && (
      <Notice key="empty" color="blue" icon={<IconWallet aria-hidden />} title="The treasury is empty">
        Agents can pay once you have sent it USDC. {deposit}
      </Notice>
    ),
  ].filter(Boolean);
  return reminders.length === 0 ? null : <Stack gap="xs">{reminders}</Stack>;
};
