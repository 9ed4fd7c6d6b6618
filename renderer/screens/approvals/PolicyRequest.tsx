// An agent's request for another policy: the changes, with those that allow it more marked, and what it
// would have done in the last 30 days.
import { Badge, Stack, Table, Text } from '@mantine/core';
import { PolicyPreview } from '../agents/limits/PolicyPreview.tsx';
import type { Change, Value } from './policy-changes.ts';
import { Amount } from '../../shared/ui/Amount.tsx';
import { useServices } from '../agents/limits/use-services.ts';

interface PolicyRequestProps {
  agentId: string;
  changes: readonly Change[];
  wanted: Readonly<Record<string, unknown>>;
}

export const PolicyRequest = ({ agentId, changes, wanted }: PolicyRequestProps) => (
  <Stack gap="sm">
    <Changes changes={changes} />
    {changes.length > 0 && <PolicyPreview agentId={agentId} changes={wanted} />}
  </Stack>
);

const Changes = ({ changes }: { changes: readonly Change[] }) =>
  changes.length === 0 ? (
    <Text>Nothing would change.</Text>
  ) : (
    <Table.ScrollContainer
      minWidth={270}
      scrollAreaProps={{ tabIndex: 0, 'aria-label': 'What would change' }}
    >
      <Table horizontalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Limit</Table.Th>
            <Table.Th>Now</Table.Th>
            <Table.Th>Then</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ label, before, after, loosens }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={500}>
                {label}
              </Table.Th>
              <Table.Td>
                <Drawn value={before} />
              </Table.Td>
              <Table.Td>
                <Drawn value={after} />{' '}
                {loosens && (
                  <Badge color="yellow.4" autoContrast size="sm" tt="none" ml={4}>
                    Allows more
                  </Badge>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );

/** A value of a policy. Services go by their names, with their ids: a seller chooses its own name. */
const Drawn = ({ value }: { value: Value }) => {
  switch (value.kind) {
    case 'amount':
      return <Amount whole value={value.amount} />;
    case 'services':
      return <Services ids={value.ids} />;
    case 'text':
      return (
        <Text span className="break-anywhere">
          {value.text}
        </Text>
      );
  }
};

const Services = ({ ids }: { ids: readonly string[] }) => {
  const { names } = useServices();
  return (
    <Text span className="break-anywhere">
      {ids.map((id) => (names.has(id) && names.get(id) !== id ? `${names.get(id)} (${id})` : id)).join(', ')}
    </Text>
  );
};
