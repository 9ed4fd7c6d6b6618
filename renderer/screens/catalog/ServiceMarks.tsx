// Warnings from an entry's sources: that it is no longer listed, or that its payee has changed.
import { Group, Text } from '@mantine/core';
import { ask } from '../../api/owner.ts';
import { Address } from '../../shared/ui/Address.tsx';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { whenOf } from '../../shared/time.ts';
import type { Service } from './use-catalog.ts';

export const ServiceMarks = ({ service: { id, name, vanishedAt, payeeChange } }: { service: Service }) => (
  <>
    {vanishedAt && <Text c="yellow">No longer listed since {whenOf(vanishedAt)}</Text>}
    {payeeChange && (
      <Group gap="xs">
        <Text c="red">Its payee changed:</Text>
        {payeeChange.payees.map((payee) => (
          <Address key={payee} value={payee} what={`new payee of ${name}`} />
        ))}
        <AskFirst
          label={`Accept new payee of ${name}`}
          means={`From now on, payments go to ${payeeChange.payees.join(', ')}. Make sure that the seller confirms this.`}
          confirm="Accept"
          run={async () => {
            await ask('acceptPayees', { params: { serviceId: id }, body: payeeChange });
          }}
          done={`The payee of ${name} is changed.`}
        >
          Accept
        </AskFirst>
      </Group>
    )}
  </>
);
