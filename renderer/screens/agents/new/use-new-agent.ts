// A new agent from form to wallet: its id follows its name, and each step of its creation is shown.
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { AppError } from '../../../../server/errors.ts';
import { formatUsdc, usdc } from '../../../../server/money.ts';
import { fieldErrors } from '../../../shared/field-errors.ts';
import { useCommand } from '../../../shared/hooks/use-command.ts';
import { useTransferKey } from '../../../shared/hooks/use-transfer-key.ts';
import { useTreasuryBalance } from '../../../shared/hooks/use-treasury-balance.ts';
import { followingId, proposeAgentId } from '../agent-id.ts';
import {
  allSafeguards,
  createAgent,
  newAgentErrors,
  type CreatedAgent,
  type NewAgentValues,
} from './new-agent.ts';

const firstAllocation = 10_000_000n;
const fields = ['agentId', 'dailyBudget', 'maxPerPayment'] as const;

export const useNewAgent = (name: string, onCreated: (created: CreatedAgent) => void) => {
  const treasury = useTreasuryBalance();
  const { key } = useTransferKey();
  const [step, setStep] = useState('');
  const form = useForm<NewAgentValues>({
    initialValues: {
      name,
      agentId: proposeAgentId(name),
      dailyBudget: '5.00',
      maxPerPayment: '1.00',
      allocation: formatUsdc(usdc(treasury < firstAllocation ? treasury : firstAllocation)),
      askBefore: allSafeguards,
    },
    validate: (values) => newAgentErrors(values, treasury),
  });
  const create = useCommand(async (values: NewAgentValues) => {
    try {
      onCreated(await createAgent(values, key, setStep));
    } catch (error) {
      const refused = refusedFields(error);
      if (refused === null) throw error;
      form.setErrors(refused);
    }
  });
  const rename = (next: string): void => {
    form.setFieldValue('agentId', followingId(form.values, next));
    form.setFieldValue('name', next);
  };
  return { form, treasury, create, step, rename };
};

const refusedFields = (error: unknown): Record<string, string> | null => {
  if (!(error instanceof AppError)) return null;
  if (error.code === 'conflict') return { agentId: 'You already have an agent with this ID.' };
  const found = fieldErrors(error, [...fields, 'displayName']);
  if (found?.['displayName'] === undefined) return found;
  const { displayName, ...others } = found;
  return { ...others, name: displayName };
};
