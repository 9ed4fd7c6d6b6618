// The limits that are set, in a table: what is used of each, and when some of it is free again. A limit is edited in its row.
import { Badge, Box, Button, Group, Menu, Table, Text } from '@mantine/core';
import type { FieldEntry, PolicyField } from '../../../../server/contract/limits/policy-fields.ts';
import type { ServiceLimits } from '../../../../server/contract/limits/service-limits.ts';
import { flushSync } from 'react-dom';
import { parseUsdc } from '../../../../server/money.ts';
import type { Reply } from '../../../../server/contract/schemas.ts';
import { draw, type Value } from '../../approvals/policy-changes.ts';
import { Amount } from '../../../shared/ui/Amount.tsx';
import { drawn } from '../../../shared/ui/Gauge.tsx';
import { labelOf, usesOf, type Used, type UsedLimit } from './LimitGauges.tsx';
import classes from './limits.module.css';
import { limitIn, mayBeUnset, pathOf } from './policy-form.ts';
import { controls } from './PolicyFields.tsx';
import type { ServiceNames } from './policy-sentence.ts';
import { isSame } from './rule-changes.ts';
import { freeText, SharedRow, Use } from './SharedRow.tsx';
import type { FormRows } from './use-policy-form.ts';
import { useServices } from './use-services.ts';

interface LimitTableProps {
  rows: FormRows;
  /** Undefined until it is read. */
  used: (Used & Partial<Pick<Reply<'getLimits'>, 'forecast'>>) | undefined;
  /** In 24 hours, where no limit in force says it. */
  spentToday?: string | undefined;
  /** The limits that it shares with others, of its group and of all agents. */
  above?: Reply<'getLimits'>['above'];
  /** The node, for screen readers. */
  of: string;
}

interface Row {
  /** Whether some of what is used can be free again, or used up, so that this has a column. */
  frees: boolean;
  name: PolicyField;
  field: FieldEntry;
  value: unknown;
  isOpen: boolean;
}

export const LimitTable = (table: LimitTableProps) => {
  const { form, fields, open, onSet } = table.rows;
  const { budgets = [], rates = [], services = [], forecast } = table.used ?? {};
  const shared = (table.above ?? []).flatMap(({ node, ...above }) =>
    usesOf(above).map((use) => ({ node, use })),
  );
  const uses = [...budgets, ...rates, ...services, ...shared.map(({ use }) => use)];
  const frees = uses.some((use) => freeText(use, forecast?.usedUp));
  // Numbers of payments would be taken for USDC.
  const isMoney = uses.every(({ used }) => typeof used === 'string');
  const all = fields.map(([name, field]): Row => {
    const value = limitIn(form.values, name, field);
    const isWrong = value === undefined || form.errors[pathOf(name, field)] != null;
    return { frees, name, field, value, isOpen: isWrong || open.includes(name) };
  });
  const unset = all.filter(({ value, isOpen }) => value === null && !isOpen);
  return (
    <>
      <Table
        className={classes.limits ?? ''}
        data-money={isMoney || undefined}
        // An empty table needs no head.
        display={unset.length === all.length && shared.length === 0 ? 'none' : undefined}
        aria-label={`Limits of ${table.of}`}
        verticalSpacing="sm"
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Limit</Table.Th>
            <Table.Th w="24%">Used{isMoney && ', USDC'}</Table.Th>
            <Table.Th w="22%">Set to{isMoney && ', USDC'}</Table.Th>
            {frees && <Table.Th w="17%">Frees up</Table.Th>}
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {all.map((row) => {
            const Shown = row.isOpen ? OpenRow : ClosedRows;
            return !unset.includes(row) && <Shown key={row.name} {...table} {...row} />;
          })}
          {shared.map(({ node, use }) => (
            <SharedRow
              key={`${node.id} ${use.field} ${'serviceId' in use ? use.serviceId : ''}`}
              {...{ node, use, frees }}
            />
          ))}
        </Table.Tbody>
      </Table>
      <Menu id="add-limit" position="bottom-start" returnFocus={false}>
        <Menu.Target>
          <Button {...small} w="fit-content" disabled={unset.length === 0}>
            Add a limit
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {unset.map(({ name, field }) => (
            <Menu.Item key={name} onClick={() => onSet(name, field, true)}>
              {field.form.asks ?? field.form.label ?? field.label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
};

type RowProps = LimitTableProps & Row;

/** Of limits at single services there is a row for each, of any other limit there is one. */
const ClosedRows = (row: RowProps) => {
  const { frees, name, field, value, used, of, rows } = row;
  const { names } = useServices();
  const isSaved = isSame((rows.rules as Record<string, unknown>)[name], value, name);
  const isBoosted = isSaved && used?.boost != null;
  return linesOf(row, names).map(([key, label, shown, use], index) => (
    <Table.Tr key={key}>
      <Table.Th scope="row" fw={500} className="break-anywhere">
        {label} {!isSaved && <Badge {...notSaved}>Not saved</Badge>}
      </Table.Th>
      <Table.Td>{use !== undefined && <Use use={use} label={`${label} of ${of}`} />}</Table.Td>
      <Table.Td className="break-anywhere" data-of={use !== undefined || undefined}>
        {isBoosted && isOther(shown, use) ? <>{drawn(use.limit)} boosted</> : wordsOf(shown, names)}
      </Table.Td>
      {frees && <Table.Td>{use !== undefined && freeText(use, used?.forecast?.usedUp)}</Table.Td>}
      <Table.Td ta="right">
        {index === 0 && (
          <Button
            {...small}
            id={`edit-${name}`}
            aria-label={`Edit: ${field.label}`}
            onClick={() => rows.onOpen(name, true)}
          >
            Edit
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  ));
};

/** A boost raises the budgets in force, and leaves the rules as they are. */
const isOther = (shown: Value, use: UsedLimit | undefined): use is UsedLimit =>
  shown.kind === 'amount' && use !== undefined && !isSame(shown.amount, use.limit);

const small = { variant: 'default', size: 'xs' } as const;
const notSaved = { color: 'yellow.4', autoContrast: true, size: 'sm', tt: 'none' } as const;

type Line = [key: string, label: string, shown: Value, use: UsedLimit | undefined];

const linesOf = ({ name, field, value, used }: RowProps, names: ServiceNames): Line[] => {
  const { budgets = [], rates = [], services = [] } = used ?? {};
  const ofAll = [...budgets, ...rates].find((one) => one.field === name);
  if (field.kind !== 'serviceLimits') return [[name, field.label, draw(field, value), ofAll]];
  return Object.entries(value as ServiceLimits<string>).flatMap(([serviceId, limit]) =>
    Object.entries(limit).map(([at, amount]): Line => {
      const use = services.find((one) => one.serviceId === serviceId && one.field === at);
      const label = labelOf({ serviceId, field: at }, names);
      return [`${at} ${serviceId}`, label, { kind: 'amount', amount: String(amount) }, use];
    }),
  );
};

/** Services go by their names. */
const wordsOf = (shown: Value, names: ServiceNames) => {
  if (shown.kind === 'amount') return <Amount value={shown.amount} />;
  return shown.kind === 'text' ? shown.text : shown.ids.map((id) => names.get(id) ?? id).join(', ');
};

/** The row of a limit that is edited, or wrong. */
const OpenRow = (row: RowProps) => {
  const { frees, name, field, rows } = row;
  const { form, open, onOpen, onSet } = rows;
  const spent = spentAlready(row);
  const Control = controls[field.kind];
  const isOpened = open.includes(name);
  /** The error of a field of several inputs outlasts their correction. */
  const done = (): void => {
    flushSync(() => {
      form.validateField(pathOf(name, field));
      onOpen(name, false);
    });
    document.getElementById(`edit-${name}`)?.focus();
  };
  const remove = (): void => {
    onSet(name, field, false);
    document.getElementById('add-limit')?.focus();
  };
  return (
    <Table.Tr>
      {/* A row that an error opened stays open while the owner corrects it. */}
      <Table.Td
        ref={isOpened ? focusIn : null}
        colSpan={frees ? 4 : 3}
        onFocus={() => isOpened || onOpen(name, true)}
      >
        <Box maw={['services', 'serviceLimits', 'hours'].includes(field.kind) ? undefined : 360}>
          <Control form={form} path={field.mayBeNone === true ? `${name}.value` : name} field={field} />
        </Box>
        <div role="status">
          {spent !== null && (
            <Text c="var(--mantine-color-error)">
              <Amount value={spent} /> is spent already. Under this limit{' '}
              {name === 'totalBudget'
                ? 'nothing more is paid.'
                : 'nothing is paid until some of that is free again.'}
            </Text>
          )}
        </div>
      </Table.Td>
      <Table.Td ta="right">
        <Group gap="xs" justify="flex-end">
          <Button {...small} aria-label={`Done: ${field.label}`} onClick={done}>
            Done
          </Button>
          {mayBeUnset(field) && (
            <Button {...small} aria-label={`Remove: ${field.label}`} onClick={remove}>
              Remove
            </Button>
          )}
        </Group>
      </Table.Td>
    </Table.Tr>
  );
};

/** What the payments that a new limit would stop have come to; null where it stops none. */
const spentAlready = ({ name, value, used, spentToday = '0' }: RowProps): string | null => {
  const today = name === 'dailyBudget' ? spentToday : '0';
  const spent = used?.budgets.find(({ field }) => field === name)?.used ?? today;
  const [limit, sum] = [parseUsdc(String(value)), parseUsdc(String(spent)) ?? 0n];
  return limit !== null && sum > 0n && limit <= sum ? String(spent) : null;
};

const focusIn = (cell: HTMLElement | null): void => {
  if (cell?.contains(document.activeElement) === false)
    cell.querySelector<HTMLElement>('input, button')?.focus();
};
