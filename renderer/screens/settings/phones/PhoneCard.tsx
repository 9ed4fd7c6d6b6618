// One phone: its limits, and in three sentences what its thief could do.
import { Button, Card, Group, List, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { stolenPhone } from '../../../../server/contract/phones/phones.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { ask } from '../../../api/owner.ts';
import { Address } from '../../../shared/ui/Address.tsx';
import { AskFirst } from '../../../shared/ui/AskFirst.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { MoneyInput } from '../../../shared/ui/MoneyInput.tsx';
import { momentOf } from '../../../shared/time.ts';
import { outdate, changedBy } from '../../../stores/queries.ts';
import { useNow } from '../../../shared/hooks/use-now.ts';
import { useNeedsPassphrase } from '../../../shared/hooks/use-needs-passphrase.ts';
import { Form } from '../../../shared/ui/Form.tsx';
import { useChange } from '../../../shared/hooks/use-command.ts';

export type PhoneWallet = Reply<'registerPhoneWallet'>;

const minuteMs = 60_000;

export const PhoneCard = ({ wallet }: { wallet: PhoneWallet }) => {
  const { phoneWalletId, name, address, approvesFrom } = wallet;
  const isWaiting = Date.parse(approvesFrom) > useNow(minuteMs);
  return (
    <Card component="li" withBorder padding="md" aria-label={name} style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <div className="beside">
            <Text fw={600} className="break-anywhere" size="md">
              {name}
            </Text>
            <Address value={address} what={`address of ${name}`} />
          </div>
          <AskFirst
            label={`Remove phone: ${name}`}
            means="From then on, the treasury ignores this phone. Remove it at once if it is lost."
            confirm="Remove it"
            run={async () => {
              await ask('removePhoneWallet', { params: { phoneWalletId } });
              outdate(['listPhoneWallets', 'phoneRequests']);
            }}
            done={`${name} is removed.`}
          >
            Remove phone
          </AskFirst>
        </Group>
        {isWaiting && (
          <Text>It can decline and freeze now, and approve from {momentOf(approvesFrom)} on.</Text>
        )}
        <List size="sm" spacing={4}>
          {stolenPhone(wallet).map((sentence) => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
        <Limits key={`${wallet.perApproval} ${wallet.perDay}`} wallet={wallet} />
      </Stack>
    </Card>
  );
};

const Limits = ({ wallet }: { wallet: PhoneWallet }) => {
  const { phoneWalletId, name } = wallet;
  const [perApproval, setPerApproval] = useState(wallet.perApproval);
  const [perDay, setPerDay] = useState(wallet.perDay);
  const [passphrase, setPassphrase] = useState('');
  const needsPassphrase = useNeedsPassphrase();
  const isChanged = perApproval !== wallet.perApproval || perDay !== wallet.perDay;
  const change = useChange(changedBy.phones, () =>
    ask('setPhoneWalletLimits', {
      params: { phoneWalletId },
      body: { perApproval, perDay, ...(passphrase === '' ? {} : { passphrase }) },
    }),
  );
  return (
    <Form gap="sm" aria-label={`Limits of ${name}`} onSubmit={() => void change.run()}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <MoneyInput
          label="Maximum per approval"
          value={perApproval}
          onChange={(event) => setPerApproval(event.currentTarget.value)}
        />
        <MoneyInput
          label="In 24 hours"
          value={perDay}
          onChange={(event) => setPerDay(event.currentTarget.value)}
        />
      </SimpleGrid>
      {isChanged && (
        <>
          {needsPassphrase && (
            <PasswordInput
              label="Passphrase"
              description="Needed to raise a limit"
              autoComplete="current-password"
              value={passphrase}
              onChange={(event) => setPassphrase(event.currentTarget.value)}
            />
          )}
          <Group gap="sm">
            <Button type="submit" size="xs" variant="default" loading={change.isBusy}>
              Change the limits
            </Button>
            <Text c="dimmed" className="beside">
              Lower limits apply at once. After a raise, the phone cannot approve for 24 hours.
            </Text>
          </Group>
        </>
      )}
      <ErrorNote error={change.error} notDone="The limits were not changed." />
    </Form>
  );
};
