// The payees of a standing approval.
import { Stack } from '@mantine/core';
import { Address } from '../../shared/ui/Address.tsx';

export const Payees = ({ payees }: { payees: readonly string[] }) => (
  <Stack gap={2} component="ul" m={0} p={0} aria-label="Payees" style={{ listStyle: 'none' }}>
    {payees.map((payee) => (
      <li key={payee}>
        <Address value={payee} what="payee’s address" />
      </li>
    ))}
  </Stack>
);
