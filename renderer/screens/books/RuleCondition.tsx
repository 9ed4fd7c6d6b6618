// One condition of a rule: chosen among what there is, or, for an address and an origin, typed.
import { Autocomplete, Select } from '@mantine/core';
import { conditionLabels, type RuleMatch } from './rule-words.ts';
import type { Choice } from './use-known.ts';

interface RuleConditionProps {
  field: keyof RuleMatch;
  /** Empty: any. */
  value: string;
  known: readonly Choice[];
  error: string | undefined;
  onChange: (value: string) => void;
}

const mostShown = 50;

export const RuleCondition = ({ field, value, known, error, onChange }: RuleConditionProps) => {
  const label = conditionLabels[field];
  const shared = { label, error, placeholder: `Any ${label.toLowerCase()}`, limit: mostShown };
  if (field === 'payee' || field === 'origin')
    return (
      <Autocomplete
        {...shared}
        data={known.map((choice) => choice.value)}
        value={value}
        onChange={onChange}
        autoComplete="off"
        spellCheck={false}
      />
    );
  return (
    <Select
      {...shared}
      data={withChosen(known, value)}
      value={value === '' ? null : value}
      onChange={(next) => onChange(next ?? '')}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}` }}
      nothingFoundMessage="No matches."
    />
  );
};

/** A rule may name one that was not paid lately. */
const withChosen = (known: readonly Choice[], value: string): Choice[] =>
  value === '' || known.some((choice) => choice.value === value)
    ? [...known]
    : [...known, { value, label: value }];
