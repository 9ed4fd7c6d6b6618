// An agent's view of itself: its balance, limits and spending, and whether a payment would pass.
import { z } from 'zod';
import { historyEntry } from '../../contract/payments/payments.schemas.ts';
import { policyReply } from '../../contract/limits/policy.schemas.ts';
import type { Reply } from '../../contract/schemas.ts';
import { amount as decimal } from '../arguments.ts';
import { reading, tool } from '../tool.ts';

const checkBalance = tool('check_balance', {
  title: 'Check balance',
  description:
    'How much USDC this agent can pay with now, its wallet, and the treasury that funds it. Use it before something expensive, or after a refusal for lack of money.',
  annotations: reading,
  input: z.object({}),
  output: [
    z.object({
      agentId: z.string(),
      walletAddress: z.string(),
      balance: z.string(),
      currency: z.string(),
      treasuryAddress: z.string(),
    }),
  ],
  async run(_args, { client }) {
    const { body } = await client.ask('balance');
    const content = { ...body, treasuryAddress: client.place().owner ?? '' };
    return { text: `${content.balance} USDC in the wallet of ${content.agentId}.`, content };
  },
});

const getPolicy = tool('get_policy', {
  title: 'Read the spending policy',
  description:
    'The limits that the owner set for this agent: budget for 24 hours, most for one payment, seconds between payments, allowed services (empty: all), and when the owner is asked first. Use explain_policy to judge one payment.',
  annotations: reading,
  input: z.object({}),
  output: [z.object({ agentId: z.string(), policy: policyReply })],
  async run(_args, { client }) {
    const { body } = await client.ask('getPolicy');
    const { policy } = body;
    return {
      text: `At most ${policy.maxPerPayment} USDC for a payment and ${policy.dailyBudget} USDC in 24 hours.`,
      content: { ...body },
    };
  },
});

const getSpendHistory = tool('get_spend_history', {
  title: 'List past payments',
  description:
    'This agent’s payments, newest first: service, amount, status, time and transaction; and apart from them, those that wait for the owner’s approval.',
  annotations: reading,
  input: z.object({
    limit: z.number().int().min(1).max(500).default(20).describe('how many'),
  }),
  output: [
    z.object({
      payments: z.array(historyEntry),
      waiting: z.array(historyEntry),
    }),
  ],
  async run({ limit }, { client }) {
    const { body } = await client.ask('spendHistory', { query: { limit: String(limit) } });
    const isWaiting = ({ status }: (typeof body.payments)[number]): boolean => status === 'awaiting_approval';
    const waiting = body.payments.filter(isWaiting);
    const payments = body.payments.filter((one) => !isWaiting(one));
    const besides =
      waiting.length === 0 ? '' : ` ${waiting.length} more wait for the owner’s approval and are not paid.`;
    return {
      text: `${payments.length} payments, newest first.${besides}`,
      content: { payments, waiting },
      foreign: 'a list with names that sellers chose',
    };
  },
});

const verdicts = {
  allowed: { name: 'would_pass', said: 'It would pass' },
  approval: { name: 'would_ask_owner', said: 'It would wait for the owner’s approval' },
  refused: { name: 'would_be_refused', said: 'It would be refused' },
} as const satisfies Record<Reply<'explainPolicy'>['verdict'], unknown>;

const explainPolicy = tool('explain_policy', {
  title: 'Would this payment pass?',
  description:
    'Says, without paying, what would become of a payment of this amount to this service now: whether it would pass, which rule or stop is in its way, and when it would pass. Nothing is reserved: another payment may come first.',
  annotations: reading,
  input: z.object({
    service: z.string().describe('service id, from find_service'),
    amount: decimal('how much'),
  }),
  output: [
    z.object({
      verdict: z.enum(['would_pass', 'would_ask_owner', 'would_be_refused']),
      reasons: z.array(
        z.object({
          rule: z.string(),
          message: z.string(),
          retryAt: z.string().optional(),
        }),
      ),
      spent24h: z.string().optional(),
      leftToday: z.string().optional(),
    }),
  ],
  async run({ service, amount }, { client }) {
    const { body } = await client.ask('explainPolicy', { body: { service, amount } }, { repeatable: true });
    const { verdict, code, budget } = body;
    const content = {
      verdict: verdicts[verdict].name,
      reasons: code === null ? [] : [reasonOf(code, body)],
      ...(budget === null ? {} : { spent24h: budget.spent, leftToday: budget.left }),
    };
    return { text: `${verdicts[verdict].said}. ${body.message}`, content };
  },
});

const reasonOf = (code: string, { message, details }: Reply<'explainPolicy'>) => {
  const { rule, retryAt } = details;
  return {
    rule: typeof rule === 'string' ? rule : code,
    message,
    ...(typeof retryAt === 'string' ? { retryAt } : {}),
  };
};

export const accountTools = [checkBalance, getPolicy, getSpendHistory, explainPolicy];
