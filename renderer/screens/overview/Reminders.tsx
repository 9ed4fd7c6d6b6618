// What the owner should do soon: SOL for fees, a copy of the recovery phrase, an empty treasury.
import { Alert, Anchor, Stack, Text } from '@mantine/core';
import { IconGasStation, IconNotebook, IconWallet } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { counted } from '../../shared/format.ts';
import { useConnection } from '../../stores/connection.ts';
import type { Snapshot } from '../../stores/treasury.ts';

const fewTransfers = 20;

export const Reminders = ({ snapshot: { treasury, agents } }: { snapshot: Snapshot }) => {
  const needsBackup = useConnection(({ desktop }) => desktop !== null && !desktop.phraseConfirmed);
  const { transfersLeft, sol, amount } = treasury;
  const isEmpty = amount === '0' && agents.every(({ balance }) => balance === '0.00');
  const deposit = (
    <Anchor component={Link} href="/treasury" inherit underline="always">
      Show the deposit address
    </Anchor>
  );
  const reminders: ReactNode[] = [
    transfersLeft === 0 && (
      <Reminder key="fees" color="red" icon={<IconGasStation aria-hidden />} title="No SOL for network fees">
        The treasury has {sol} SOL, too little for one transfer. No agent can pay until you send it some.{' '}
        {deposit}
      </Reminder>
    ),
    transfersLeft > 0 && transfersLeft < fewTransfers && (
      <Reminder key="fees" color="yellow" icon={<IconGasStation aria-hidden />} title="SOL for fees runs low">
        {sol} SOL are left, enough for {counted(transfersLeft, 'transfer')}. Send the treasury some more.{' '}
        {deposit}
      </Reminder>
    ),
    needsBackup && (
      <Reminder
        key="phrase"
        color="yellow"
        icon={<IconNotebook aria-hidden />}
        title="Write down your recovery phrase"
      >
        It is the only way back to your money when this machine is lost.{' '}
        <Anchor component={Link} href="/treasury" inherit underline="always">
          Do it now
        </Anchor>
      </Reminder>
    ),
    isEmpty && (
      <Reminder key="empty" color="blue" icon={<IconWallet aria-hidden />} title="The treasury is empty">
        Agents can pay once you have sent it USDC. {deposit}
      </Reminder>
    ),
  ].filter(Boolean);
  return reminders.length === 0 ? null : <Stack gap="xs">{reminders}</Stack>;
};

interface ReminderProps {
  color: string;
  icon: ReactNode;
  title: string;
  children: ReactNode;
}

const Reminder = ({ color, icon, title, children }: ReminderProps) => (
  <Alert color={color} icon={icon} title={title} role="status">
    <Text size="sm" component="div" c="var(--mantine-color-text)">
      {children}
    </Text>
  </Alert>
);
