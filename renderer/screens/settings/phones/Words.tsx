// The words of the phones, each with its transaction, and why one was not obeyed.
import { Group, Stack, Text, Title } from '@mantine/core';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { Address } from '../../../shared/ui/Address.tsx';
import { ErrorNote } from '../../../shared/ui/ErrorNote.tsx';
import { Moment } from '../../../shared/ui/Moment.tsx';
import { useOwner } from '../../../stores/queries.ts';
import type { PhoneWallet } from './PhoneCard.tsx';

type Word = Reply<'listPhoneWords'>['words'][number];

export const Words = ({ wallets }: { wallets: readonly PhoneWallet[] }) => {
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
