// The sum behind the honest number, term by term, and what makes it smaller.
import { Anchor, Stack, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { keysAtRisk } from '../../../server/contract/models/suppliers.ts';
import { partsOfExposure } from '../../../server/contract/treasury/exposure.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import type { Snapshot } from '../../stores/treasury.ts';

export default function StolenSum({ exposure }: Pick<Snapshot, 'exposure'>) {
  return (
    <Stack gap="md">
      <Text>
        The most that a thief with this machine and your passphrase could take. Your limits do not stop a
        thief: only the chain does.
      </Text>
      <Table verticalSpacing={6} horizontalSpacing={0}>
        <Table.Tbody>
          {partsOfExposure(exposure).map(([what, amount]) => (
            <Table.Tr key={what}>
              <Table.Th fw={400}>{what.replace(/^./, (letter) => letter.toUpperCase())}</Table.Th>
              <Table.Td ta="right">
                <Amount whole value={amount} currency="" />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th>At most</Table.Th>
            <Table.Td ta="right" fw={650}>
              <Amount whole value={exposure.amount} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text c="dimmed">
        Beside it, <Amount value={exposure.sol} currency="SOL" /> for network fees
        {keysAtRisk(exposure) === '' ? '' : `, and ${keysAtRisk(exposure)}`}. Money in a cold wallet is safe
        beyond its allowance:{' '}
        <Anchor component={Link} href="/treasury" inherit underline="always">
          send some back to it, or choose one
        </Anchor>
        .
      </Text>
    </Stack>
  );
}
