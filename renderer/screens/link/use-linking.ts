// The form of the agent that a link creates, and the treasury's reply to it.
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { Input } from '../../../server/contract/schemas.ts';
import { AppError } from '../../../server/errors.ts';
import { limitRule } from '../../shared/amount-rule.ts';
import { fieldErrors } from '../../shared/field-errors.ts';
import { useWork } from '../../shared/hooks/use-work.ts';
import { agentIdRule, proposeAgentId } from '../agents/agent-id.ts';
import { allSafeguards, type Safeguard } from '../agents/new/new-agent.ts';

type AgentToLink = NonNullable<Input<'completeLink'>['body']>;

interface AgentToLinkValues {
  agentId: string;
  dailyBudget: string;
  maxPerPayment: string;
  askBefore: readonly Safeguard[];
}

export interface Linking {
  form: ReturnType<typeof useAgentForm>;
  /** The id of an existing agent: the machine gets an API key of it only if the owner confirms that. */
  taken: string | null;
  isBusy: boolean;
  error: Error | null;
  link(): void;
  giveFurtherKey(): void;
}

const fields = ['agentId', 'dailyBudget', 'maxPerPayment'] as const;

export const firstValues = (machine: string, wanted: string | null): AgentToLinkValues => ({
  agentId: wanted ?? proposeAgentId(machine),
  dailyBudget: '5.00',
  maxPerPayment: '1.00',
  askBefore: allSafeguards,
});

const useAgentForm = (first: AgentToLinkValues, changed: (values: AgentToLinkValues) => void) =>
  useForm({
    initialValues: first,
    validate: {
      agentId: agentIdRule,
      dailyBudget: limitRule,
      maxPerPayment: limitRule,
    },
    onValuesChange: changed,
  });

/** @param send completes the link */
export const useLinking = (
  first: AgentToLinkValues,
  send: (agent: AgentToLink) => Promise<unknown>,
): Linking => {
  const [taken, setTaken] = useState<string | null>(null);
  const form = useAgentForm(first, ({ agentId }) =>
    setTaken((before) => (before === agentId ? before : null)),
  );
  const work = useWork(async (agent: AgentToLink) => {
    try {
      await send(agent);
    } catch (error) {
      if (isTaken(error)) return setTaken(agent.agentId);
      const refused = error instanceof Error ? fieldErrors(error, fields) : null;
      if (refused === null) throw error;
      form.setErrors(refused);
    }
  });
  const submit = (more: Pick<AgentToLink, 'furtherKey'>) =>
    form.onSubmit(({ agentId, dailyBudget, maxPerPayment, askBefore }) => {
      void work.run({
        agentId,
        dailyBudget: dailyBudget.trim(),
        maxPerPayment: maxPerPayment.trim(),
        // A further key leaves its agent as it is.
        ...(more.furtherKey === true ? more : { askBefore: [...askBefore] }),
      });
    });
  return {
    form,
    taken,
    isBusy: work.isBusy,
    error: work.error,
    link: () => submit({})(),
    giveFurtherKey: () => submit({ furtherKey: true })(),
  };
};

/** The other `conflict` is a link that was decided in the meantime. */
const isTaken = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'conflict' && error.message.startsWith('agentId:');
