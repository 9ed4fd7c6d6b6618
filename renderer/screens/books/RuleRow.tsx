// One rule: its conditions in words, its account and cost center, and its place.
import { ActionIcon, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { ask } from '../../api/owner.ts';
import { AskFirst } from '../../shared/ui/AskFirst.tsx';
import { listed } from '../../../server/contract/listed.ts';
import { shorten } from '../../shared/format.ts';
import { conditionLabels, conditions, type Rule, type RuleMatch } from './rule-words.ts';
import { rulesChanged } from './rules-changed.ts';
import { nameIn, type Known } from './use-known.ts';

interface RuleRowProps {
  rule: Rule;
  rank: number;
  /** The rank of the last rule. */
  last: number;
  known: Known;
  isBusy: boolean;
  onMove: (by: -1 | 1) => void;
  onEdit: () => void;
}

/** The id of the button that moves a rule up or down. */
export const moveButton = (ruleId: string, by: -1 | 1): string => `${by === 1 ? 'down' : 'up'}-${ruleId}`;

export const RuleRow = ({ rule, rank, last, known, isBusy, onMove, onEdit }: RuleRowProps) => {
  const name = `rule ${rank + 1}`;
  return (
    <Group component="li" justify="space-between" gap="xs" py="sm" className="divided">
      <Group gap="sm" wrap="nowrap" align="flex-start" className="beside" style={{ flexBasis: 320 }}>
        <Text c="dimmed" miw={22} ta="right">
          {rank + 1}.
        </Text>
        <Stack gap={2} miw={0}>
          <Text fw={600} className="break-anywhere">
            {rule.account}{' '}
            {rule.costCentre !== null && (
              <Badge variant="light" color="gray" tt="none" maw="100%" title={rule.costCentre}>
                {rule.costCentre}
              </Badge>
            )}
          </Text>
          <Text className="break-anywhere">{ruleWords(rule, known)}</Text>
        </Stack>
      </Group>
      <Group gap={4} wrap="nowrap" flex="none">
        {([-1, 1] as const).map((by) => (
          <ActionIcon
            key={by}
            id={moveButton(rule.ruleId, by)}
            variant="default"
            size={30}
            disabled={isBusy || rank === (by === 1 ? last : 0)}
            aria-label={`Move ${name} ${by === 1 ? 'down' : 'up'}`}
            onClick={() => onMove(by)}
          >
            {by === 1 ? <IconArrowDown size={16} aria-hidden /> : <IconArrowUp size={16} aria-hidden />}
          </ActionIcon>
        ))}
        <Button
          size="xs"
          variant="subtle"
          aria-haspopup="dialog"
          aria-label={`Edit ${name}`}
          onClick={onEdit}
        >
          Edit
        </Button>
        <AskFirst
          label={`Remove ${name}`}
          means={`Its entries go to the next rule that matches, or to the usual account. The rule says: ${ruleWords(rule, known)} goes to ${rule.account}.`}
          confirm="Remove"
          run={() => ask('endBookRule', { params: { ruleId: rule.ruleId } }).then(rulesChanged)}
          done="The rule is removed."
        >
          Remove
        </AskFirst>
      </Group>
    </Group>
  );
};

/** Such as `Agent Research Scout and service Web Search`. */
export const ruleWords = (rule: RuleMatch, known: Known): string => {
  const words = listed(
    conditions.flatMap((field) => {
      const value = rule[field];
      if (value === null) return [];
      const name = field === 'payee' ? shorten(value) : nameIn(known, field, value);
      return [`${conditionLabels[field].toLowerCase()} ${name}`];
    }),
  );
  return words.replace(/^./, (letter) => letter.toUpperCase());
};
