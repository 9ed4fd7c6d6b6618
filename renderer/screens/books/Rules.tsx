// The owner's rules, in the order in which they are tried.
import { Button, Stack, Text } from '@mantine/core';
import { IconListCheck, IconPlus } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { ask } from '../../api/owner.ts';
import { EmptyState } from '../../shared/ui/EmptyState.tsx';
import { ErrorNote } from '../../shared/ui/ErrorNote.tsx';
import { QueryState } from '../../shared/ui/Screen.tsx';
import { Panel } from '../../shared/ui/Panel.tsx';
import { useWork } from '../../shared/hooks/use-work.ts';
import { useOwner } from '../../stores/queries.ts';
import { RuleDialog } from './RuleDialog.tsx';
import { moveButton, RuleRow } from './RuleRow.tsx';
import { rulesChanged } from './rules-changed.ts';
import type { Rule } from './rule-words.ts';
import { useKnown } from './use-known.ts';

export const Rules = ({ month }: { month: string }) => {
  const read = useOwner('bookRules');
  const [edited, setEdited] = useState<Partial<Rule> | null>(null);
  const rules = read.data?.rules ?? [];
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setEdited({})}>
      Add a rule
    </Button>
  );
  return (
    <>
      <QueryState of={read} />
      {read.data !== undefined && rules.length === 0 && (
        <EmptyState icon={<IconListCheck size={40} />} title="No rules yet" action={add}>
          A rule assigns entries to an account and, if you like, a cost center: for example, all payments by
          Research Scout to api.example.com go to Expenses:Research. Without a rule, a payment goes to an
          account named after its service, such as Expenses:APIs:Web-Search.
        </EmptyState>
      )}
      {rules.length > 0 && (
        <Panel title="Rules" note="Rules are tried from the top. The first match applies." actions={add}>
          <RuleList rules={rules} month={month} onEdit={setEdited} />
        </Panel>
      )}
      <RuleDialog
        opened={edited !== null}
        month={month}
        start={edited ?? {}}
        onClose={() => setEdited(null)}
      />
    </>
  );
};

interface RuleListProps {
  rules: readonly Rule[];
  month: string;
  onEdit: (rule: Rule) => void;
}

const RuleList = ({ rules, month, onEdit }: RuleListProps) => {
  const known = useKnown(month);
  const moved = useRef<{ ruleId: string; by: -1 | 1 } | null>(null);
  const [said, setSaid] = useState('');
  const move = useWork(async (ruleId: string, rank: number, by: -1 | 1) => {
    await ask('changeBookRule', { params: { ruleId }, body: { rank: rank + by } });
    moved.current = { ruleId, by };
    setSaid(`Rule ${rank + 1} is now rule ${rank + 1 + by}.`);
    rulesChanged();
  });
  // A row that moves in the page loses the focus.
  useEffect(() => {
    if (moved.current === null) return;
    const { ruleId, by } = moved.current;
    moved.current = null;
    const [first, other] = [by, by === 1 ? -1 : 1] as const;
    const isAtEnd = rules.at(first === 1 ? -1 : 0)?.ruleId === ruleId;
    document.getElementById(moveButton(ruleId, isAtEnd ? other : first))?.focus();
  }, [rules]);
  return (
    <>
      <Stack component="ol" gap={0} m={0} p={0} aria-label="Rules">
        {rules.map((rule, rank) => (
          <RuleRow
            key={rule.ruleId}
            rule={rule}
            rank={rank}
            last={rules.length - 1}
            known={known}
            isBusy={move.isBusy}
            onMove={(by) => void move.run(rule.ruleId, rank, by)}
            onEdit={() => onEdit(rule)}
          />
        ))}
      </Stack>
      <Text className="visually-hidden" role="status" size="md">
        {said}
      </Text>
      <ErrorNote error={move.error} notDone="The rule was not moved." />
    </>
  );
};
