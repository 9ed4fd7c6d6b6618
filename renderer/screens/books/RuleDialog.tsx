// Adds a rule, or changes one. Before it is saved, it is shown what the rule would catch.
import { Autocomplete, Checkbox, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { ask } from '../../api/owner.ts';
import { fieldErrors } from '../../shared/field-errors.ts';
import { notifyDone } from '../../shared/notify.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { Form, FormEnd } from '../../shared/ui/Form.tsx';
import { formDialog, type Done } from '../../shared/ui/form-dialog.tsx';
import { useOwner } from '../../stores/queries.ts';
import { RulePreview } from './RulePreview.tsx';
import { rulesChanged } from './rules-changed.ts';
import {
  accountFault,
  conditionLabels,
  conditions,
  draftOf,
  hasCondition,
  matchOf,
  type Rule,
  type RuleDraft,
  type RuleMatch,
  ruleOf,
} from './rule-words.ts';
import { type Choice, useKnown } from './use-known.ts';

interface RuleProps {
  /** The month of the preview. */
  month: string;
  /** Without a `ruleId` it is a new one. */
  start: Partial<Rule>;
}

export const RuleDialog = formDialog(
  ({ start }) => (start.ruleId === undefined ? 'New rule' : 'Change the rule'),
  RuleForm,
  { size: 'lg' },
);

const typingMs = 300;

/** The rank of the rule as it would be saved; undefined: after all others. */
const useRank = ({ ruleId }: Partial<Rule>, isFirst: boolean): number | undefined => {
  const rules = useOwner('bookRules').data?.rules ?? [];
  if (isFirst) return 0;
  const at = rules.findIndex((rule) => rule.ruleId === ruleId);
  return at < 0 ? undefined : at;
};

const save = (ruleId: string | undefined, draft: RuleDraft, rank: number | undefined) => {
  const body = { ...ruleOf(draft), ...(rank === undefined ? {} : { rank }) };
  return ruleId === undefined
    ? ask('addBookRule', { body })
    : ask('changeBookRule', { params: { ruleId }, body });
};

const useRuleForm = ({ month, start, onDone }: RuleProps & Done) => {
  const [draft, setDraft] = useState(() => draftOf(start));
  const [isFirst, setFirst] = useState(false);
  const [isChecked, setChecked] = useState(false);
  const rank = useRank(start, isFirst);
  const match = matchOf(draft);
  const [asked] = useDebouncedValue(match, typingMs, { leading: true });
  const body = { ...asked, month, ...(rank === undefined ? {} : { rank }) };
  const preview = useOwner('previewBookRule', { body }, { enabled: hasCondition(asked) });
  const saving = useWork(async () => {
    setChecked(true);
    if (!hasCondition(match) || accountFault(draft.account) !== null) return;
    await save(start.ruleId, draft, rank);
    rulesChanged();
    notifyDone('The rule is saved.');
    onDone();
  });
  const saved = fieldErrors(saving.error, [...conditions, 'account', 'costCentre']);
  const unclear = fieldErrors(preview.error, conditions);
  const own: Record<string, string | null> = {
    [conditions[0] ?? '']: isChecked && !hasCondition(match) ? 'Choose at least one condition.' : null,
    account: isChecked || draft.account !== '' ? accountFault(draft.account) : null,
  };
  return {
    draft,
    set(field: keyof RuleDraft, value: string) {
      saving.reset();
      setDraft({ ...draft, [field]: value });
    },
    isFirst,
    setFirst,
    faultOf: (field: keyof RuleDraft) => saved?.[field] ?? unclear?.[field] ?? own[field] ?? undefined,
    preview: hasCondition(match) ? preview.data : undefined,
    unread: unclear === null ? preview.error : null,
    saving,
    unsaved: saved === null ? saving.error : null,
  };
};

function RuleForm(props: RuleProps & Done) {
  const { month, start, onDone } = props;
  const known = useKnown(month);
  const form = useRuleForm(props);
  const { draft, set, faultOf, saving } = form;
  return (
    <Form onSubmit={() => void saving.run()}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        {conditions.map((field) => (
          <RuleCondition
            key={field}
            field={field}
            value={draft[field]}
            known={known[field]}
            error={faultOf(field)}
            onChange={(value) => set(field, value)}
          />
        ))}
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Account"
          placeholder="Expenses:Research"
          maxLength={120}
          autoComplete="off"
          spellCheck={false}
          data-autofocus={start.serviceId == null ? undefined : true}
          value={draft.account}
          error={faultOf('account')}
          onChange={({ currentTarget: { value } }) => set('account', value)}
        />
        <TextInput
          label="Cost center"
          placeholder="None"
          maxLength={60}
          value={draft.costCentre}
          error={faultOf('costCentre')}
          onChange={({ currentTarget: { value } }) => set('costCentre', value)}
        />
      </SimpleGrid>
      <Checkbox
        label="Try it before all other rules"
        checked={form.isFirst}
        onChange={({ currentTarget: { checked } }) => form.setFirst(checked)}
      />
      <RulePreview month={month} preview={form.preview} error={form.unread} known={known} />
      <FormEnd
        of={{ isBusy: saving.isBusy, error: form.unsaved }}
        notDone="The rule was not saved."
        onCancel={onDone}
      >
        Save the rule
      </FormEnd>
    </Form>
  );
}

interface RuleConditionProps {
  field: keyof RuleMatch;
  /** Empty: any. */
  value: string;
  known: readonly Choice[];
  error: string | undefined;
  onChange: (value: string) => void;
}

const mostShown = 50;

/** One condition of a rule: chosen among what there is, or, for an address and an origin, typed. */
const RuleCondition = ({ field, value, known, error, onChange }: RuleConditionProps) => {
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
