// Creates an agent in two steps: its wallet, policy and first API key; its first USDC.
import { wholeOf } from '../../../shared/amounts.ts';
import { ask } from '../../../api/owner.ts';
import { limitRule } from '../../../shared/amount-rule.ts';
import type { McpConfig } from '../../connect/mcp-hosts.ts';
import { parseUsdc } from '../../../../server/money.ts';
import { agentIdRule, nameRule } from '../agent-id.ts';
import type { Input } from '../../../../server/contract/schemas.ts';

export type Safeguard = NonNullable<NonNullable<Input<'deploy'>['body']>['askBefore']>[number];

export const allSafeguards: readonly Safeguard[] = ['new_payees', 'unusual'];

export interface NewAgentValues {
  name: string;
  agentId: string;
  dailyBudget: string;
  maxPerPayment: string;
  /** Empty for none. */
  allocation: string;
  askBefore: readonly Safeguard[];
}

export interface CreatedAgent {
  agentId: string;
  name: string;
  mcpConfig: McpConfig;
  /** Steps that failed after its creation. */
  problems: string[];
}

export const newAgentErrors = (
  { name, agentId, dailyBudget, maxPerPayment, allocation }: NewAgentValues,
  treasury: bigint,
): Partial<Record<keyof NewAgentValues, string>> => {
  const wanted = allocation.trim() === '' ? 0n : parseUsdc(allocation.trim());
  const found = {
    name: nameRule(name),
    agentId: agentIdRule(agentId),
    dailyBudget: limitRule(dailyBudget),
    maxPerPayment: limitRule(maxPerPayment),
    allocation:
      wanted === null
        ? 'Enter an amount such as 12.50, or nothing.'
        : wanted > treasury
          ? 'The treasury does not hold that much.'
          : null,
  };
  return Object.fromEntries(Object.entries(found).filter(([, error]) => error !== null));
};

/**
 * @param onStep called with the name of each step
 * @throws AppError when no agent was created; later failures are in `problems`, since its API key is shown only now
 */
export const createAgent = async (
  values: NewAgentValues,
  key: string,
  onStep: (step: string) => void,
): Promise<CreatedAgent> => {
  const { agentId, askBefore, allocation } = values;
  onStep('Creating its wallet and key');
  const { mcpConfig, warning } = await ask('deploy', {
    body: {
      agentId,
      displayName: values.name.trim(),
      dailyBudget: values.dailyBudget.trim(),
      maxPerPayment: values.maxPerPayment.trim(),
      askBefore: [...askBefore],
    },
  });
  const created: CreatedAgent = { agentId, name: values.name.trim(), mcpConfig, problems: [] };
  try {
    if (hasAmount(allocation)) {
      onStep(`Moving ${wholeOf(allocation.trim())} USDC to it`);
      await ask('allocate', { params: { agentId }, body: { amount: allocation.trim() }, key });
    } else if (warning !== undefined) created.problems.push(warning);
  } catch (error) {
    created.problems.push(`It may have no USDC yet; its page shows the balance. ${messageOf(error)}`);
  }
  return created;
};

const hasAmount = (allocation: string): boolean => (parseUsdc(allocation.trim()) ?? 0n) > 0n;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
