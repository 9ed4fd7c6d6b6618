// Phones: the wallets that answer for the owner, what each may do, and what they said.
import { Anchor, Button, Divider, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { accountReserveLamports, parseSol } from '../../../../server/money.ts';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Notice } from '../../../shared/ui/Notice.tsx';
import { Panel } from '../../../shared/ui/Panel.tsx';
import { useOwner } from '../../../stores/queries.ts';
import { useTreasury } from '../../../stores/treasury.ts';
import { PhoneCard, type PhoneWallet } from './PhoneCard.tsx';
import { RegisterPhone } from './RegisterPhone.tsx';
import { useState } from 'react';
import { PayCode } from '../../../shared/ui/PayCode.tsx';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { Address } from '../../../shared/ui/Address.tsx';
import { Moment } from '../../../shared/ui/Moment.tsx';

const note =
  'Approve, decline and freeze from any Solana wallet on a phone. The chain carries your answer: no server of ours takes part.';

export const Phones = () => {
  const sol = useTreasury(({ snapshot }) => parseSol(snapshot?.treasury.sol ?? ''));
  const { data, error, refetch } = useOwner('listPhoneWallets');
  return (
    <Panel title="Phones" note={note}>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {sol !== null && sol < accountReserveLamports && (
        <Notice color="orange" icon={<IconAlertTriangle aria-hidden />} title="A phone cannot answer now">
          The treasury’s wallet holds less than 0.0009 SOL, and the chain then refuses a payment as small as a
          phone’s answer. Send the treasury a little SOL.
        </Notice>
      )}
      {data !== undefined && (
        <>
          {data.wallets.length === 0 ? (
            <Text>No phone is registered.</Text>
          ) : (
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" component="ul" p={0} m={0}>
              {data.wallets.map((wallet) => (
                <PhoneCard key={wallet.phoneWalletId} wallet={wallet} />
              ))}
            </SimpleGrid>
          )}
          {data.wallets.length > 0 && (
            <Text>
              <Anchor component={Link} href="/settings/freeze-code" underline="always">
                Print the freeze code
              </Anchor>{' '}
              and keep it where you can reach it. A registered phone that pays it freezes everything.
            </Text>
          )}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
            <RegisterPhone />
            {data.wallets.length > 0 && <TestPhone request={data.test} />}
          </SimpleGrid>
          <Divider />
          <Words wallets={data.wallets} />
        </>
      )}
    </Panel>
  );
};

/** A word that changes nothing: it shows that a registered phone works. */
const TestPhone = ({ request }: { request: string }) => {
  const [isShown, setShown] = useState(false);
  return (
    <Stack gap="sm" component="section" aria-label="Test a phone">
      <Title order={3} size="h5">
        Test a phone
      </Title>
      <Text>The test changes nothing. It is listed below once it has arrived.</Text>
      {isShown && <PayCode request={request} title="Code that tests a phone" />}
      <Group>
        <Button variant="default" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide the code' : 'Show the code'}
        </Button>
      </Group>
    </Stack>
  );
};

type Word = Reply<'listPhoneWords'>['words'][number];

/** The words of the phones, each with its transaction, and why one was not obeyed. */
const Words = ({ wallets }: { wallets: readonly PhoneWallet[] }) => {
  const { data, error, refetch } = useOwner('listPhoneWords');
  const nameOf = ({ phoneWalletId }: Word): string =>
    wallets.find((one) => one.phoneWalletId === phoneWalletId)?.name ?? 'A removed phone';
  return (
    <Stack gap="sm" component="section" aria-label="Messages from phones">
      <Title order={3} size="h5">
        Messages from phones
      </Title>
      <ErrorNote error={error} onRetry={() => void refetch()} />
      {data?.words.length === 0 && <Text c="dimmed">Nothing yet.</Text>}
      <Stack gap={0} component="ul" p={0} m={0}>
        {data?.words.map((word) => (
          <Group
            key={word.txSignature}
            component="li"
            className="divided"
            gap="sm"
            py="xs"
            align="flex-start"
          >
            <div className="beside">
              <Text className="break-anywhere">
                {nameOf(word)}: {word.memo}
              </Text>
              <Text c={word.whyNot === null ? 'dimmed' : 'var(--mantine-color-error)'}>
                {word.whyNot === null ? 'Carried out' : `Not carried out. ${word.whyNot}`}
              </Text>
            </div>
            <Text c="dimmed" component="div">
              <Moment iso={word.readAt} /> <Address value={word.txSignature} what="transaction" />
            </Text>
          </Group>
        ))}
      </Stack>
    </Stack>
  );
};
