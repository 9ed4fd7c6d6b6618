// The treasury's own money and signing keys: balance, deposits, withdrawals, and protection.
import { Anchor, Button, DataList, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Fold } from '../../shared/ui/Fold.tsx';
import { Screen } from '../../shared/ui/Screen.tsx';
import { useTreasury } from '../../stores/treasury.ts';
import { Balance } from './Balance.tsx';
import { ColdTreasury } from './ColdTreasury.tsx';
import { Deposits } from './Deposits.tsx';
import { Passphrase } from './Passphrase.tsx';
import { Withdraw } from './Withdraw.tsx';
import { Receive } from './Receive.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { Fact } from '../../shared/ui/Fact.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { isDesktop, signOut, useConnection } from '../../stores/connection.ts';
import { useOwner } from '../../stores/queries.ts';
import { NetworkForm } from './NetworkForm.tsx';
import { useState } from 'react';
import { Address } from '../../shared/ui/Address.tsx';
import { ShowMore } from '../../shared/ui/ShowMore.tsx';
import { outcomeOf } from '../../shared/status.ts';
import { StatusBadge } from '../../shared/ui/StatusBadge.tsx';
import { MoneyTable } from './MoneyTable.tsx';
import { useRecipients, useWithdrawals } from './use-recipients.ts';
import { IconKey, IconLock } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { useCommand } from '../../shared/hooks/use-command.ts';
import { confirmFirst } from '../../shared/ui/confirm-first.tsx';
import { Unlock } from '../../shell/Unlock.tsx';
import { useDisclosure } from '@mantine/hooks';
import { PhraseInTerminal } from '../../shared/phrase/PhraseInTerminal.tsx';
import { RecoveryPhrase } from '../../shared/phrase/RecoveryPhrase.tsx';
import { dayAndTimeOf } from '../../shared/time.ts';

export default function Treasury() {
  const snapshot = useTreasury((state) => state.snapshot);
  if (snapshot === null) return null;
  const { treasury, network, locked, needsPassphrase, phraseKept, outage, rpcFaults } = snapshot;
  // A banner led here.
  const isWanted = locked || !phraseKept || outage !== null || rpcFaults.length > 0;
  return (
    <Screen title="Treasury">
      <Balance treasury={treasury} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Receive
          address={treasury.walletAddress}
          network={network}
          // On the sandbox, that page has only what is here.
          actions={
            network !== 'sandbox' && (
              <Anchor component={Link} href="/treasury/get" size="sm">
                Get money
              </Anchor>
            )
          }
        />
        <Withdraw treasury={treasury} locked={locked} />
      </SimpleGrid>
      <ColdTreasury />
      <Deposits />
      <Withdrawals />
      <Fold label="Recovery phrase, lock, network and key protection" isOpen={isWanted}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Stack gap="lg">
            <RecoveryWords />
            <Network />
          </Stack>
          <Stack gap="lg">
            <Locking isLocked={locked} needsPassphrase={needsPassphrase} />
            <Passphrase />
          </Stack>
        </SimpleGrid>
      </Fold>
    </Screen>
  );
}

const names = {
  sandbox: 'Sandbox (test money)',
  devnet: 'Devnet (test money)',
  mainnet: 'Mainnet (real money)',
};

/** The treasury's network, and the RPCs through which it is reached. */
const Network = () => {
  const desktop = useConnection((state) => state.desktop);
  const { data: about, error } = useOwner('about');
  return (
    <Panel title="Network">
      <ErrorNote error={error} />
      {about !== undefined && (
        <DataList size="sm" gap="xs" labelWidth={110}>
          <Fact label="Network">{names[about.network]}</Fact>
          <Fact label="Solana server">{about.rpcHost}</Fact>
          <Fact label="Second server">{about.secondRpcHost ?? 'None'}</Fact>
        </DataList>
      )}
      {isDesktop ? (
        desktop !== null && <NetworkForm key={desktop.network} desktop={desktop} />
      ) : (
        <Text>
          The treasury reads the chain from this server (its RPC) and sends payments through it. To change it,
          start the treasury again with <code>--network</code>, <code>--rpc</code> and{' '}
          <code>--second-rpc</code>. Each network has its own keys and its own money.
        </Text>
      )}
    </Panel>
  );
};

const pageSize = 10;

/** The withdrawals from the treasury, newest first. */
const Withdrawals = () => {
  const { data, error, refetch } = useWithdrawals();
  const [shown, setShown] = useState(pageSize);
  const known = useRecipients();
  return (
    <Panel title="Withdrawals" note="Sent to other wallets.">
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data?.length === 0 && <Text>Nothing has been withdrawn yet.</Text>}
      {data !== undefined && data.length > 0 && (
        <MoneyTable
          party="To"
          rows={data.slice(0, shown).map((entry) => ({
            ...entry,
            party: (
              <Group component="span" gap={6} display="inline-flex">
                {known.find(({ address }) => address === entry.payee)?.name}{' '}
                <Address value={entry.payee} what="recipient’s address" mayLabel />
              </Group>
            ),
            state: <StatusBadge of={entry} />,
            isDone: outcomeOf(entry) === 'done',
            href: `/activity/${entry.id}`,
          }))}
        />
      )}
      {data !== undefined && shown < data.length && (
        <ShowMore isBusy={false} onMore={() => setShown(shown + pageSize)} />
      )}
    </Panel>
  );
};

/** Locks the treasury: drops the signing keys from memory, so that nobody can pay; and unlocks it. */
const Locking = ({ isLocked, needsPassphrase }: { isLocked: boolean; needsPassphrase: boolean }) => {
  const lock = useCommand(async () => {
    await ask('lock');
    // Locking has ended every session.
    if (!isDesktop) signOut('locked');
  });
  // In a browser, locking also ends the session, so a stray click must not do it.
  const start = (): void => (isDesktop ? void lock.run() : confirmFirst({ ...locking, run: lock.run }));
  return (
    <Panel title="Lock" note="While locked, the keys are not in memory and no agent can pay.">
      {isLocked ? (
        <Unlock needsPassphrase={needsPassphrase} />
      ) : (
        <Group>
          <Button
            variant="default"
            leftSection={<IconLock size={18} aria-hidden />}
            loading={lock.isBusy}
            onClick={start}
          >
            Lock the treasury
          </Button>
        </Group>
      )}
      <ErrorNote error={lock.error} notDone="It was not locked." />
    </Panel>
  );
};

const locking = {
  title: 'Lock the treasury?',
  means:
    'No agent can pay until you unlock it. This also signs you out here: to come back, you need a login from the terminal where the treasury runs, or the passphrase.',
  confirm: 'Lock',
};

/** The words from which everything can be restored: shown after two confirmations, and only in the desktop's own window. */
const RecoveryWords = () => (
  <Panel title="Recovery phrase" note="24 words that restore the treasury and every agent’s wallet.">
    {isDesktop ? <InDialog /> : <PhraseInTerminal />}
    <Text mt="sm">
      In any wallet app the words open the treasury at m/44'/501'/0'/0', and agents at m/44'/501'/1'/0' and so
      on.
    </Text>
    <Searched />
  </Panel>
);

const InDialog = () => {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Group>
        <Button variant="default" leftSection={<IconKey size={18} aria-hidden />} onClick={open}>
          Show recovery phrase
        </Button>
      </Group>
      <Modal opened={isOpen} onClose={close} title="Recovery phrase" size="lg">
        <RecoveryPhrase onConfirmed={close} />
      </Modal>
    </>
  );
};

/** What the search of the chain covered, where these records were read back from it. */
const Searched = () => {
  const { data: about } = useOwner('about');
  if (about === undefined || about.restored === null) return null;
  const { at, searchedWallets } = about.restored;
  return (
    <Text mt="sm">
      These records were read from {about.network} on {dayAndTimeOf(at)}. Wallets 1 to {searchedWallets} were
      searched for agents. Other networks have their own keys and words.
    </Text>
  );
};
