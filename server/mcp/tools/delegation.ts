// Keys for sub-agents and tasks.
import { z } from 'zod';
import { amount as decimal } from '../arguments.ts';
import { changing, tool } from '../tool.ts';

const hourMs = 3_600_000;

const delegateBudget = tool('delegate_budget', {
  title: 'Give a sub-agent a budget',
  description: 'Makes an API key for a sub-agent, under this agent’s own limits. It is shown once.',
  annotations: changing,
  input: z.object({
    label: z.string(),
    hours: z.number().min(1).max(720),
    totalBudget: decimal('most in total').optional(),
    dailyBudget: decimal('most in 24 hours').optional(),
    maxPerPayment: decimal('most for one payment').optional(),
    allowedServices: z.array(z.string()).optional(),
  }),
  output: [z.object({ keyId: z.string(), apiKey: z.string(), expiresAt: z.string(), spendable: z.string() })],
  async run({ hours, ...limits }, { client }) {
    const expiresAt = new Date(Date.now() + hours * hourMs).toISOString();
    const { body } = await client.ask('delegateKey', { body: { ...limits, expiresAt } });
    const { keyId, apiKey, spendable } = body;
    return {
      text: `A key for ${limits.label}. It can spend ${spendable} USDC now.`,
      content: { keyId, apiKey, expiresAt: body.expiresAt, spendable },
    };
  },
});

export const delegationTools = [delegateBudget];
