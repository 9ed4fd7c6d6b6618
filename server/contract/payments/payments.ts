// Payments of agents, and every transfer as lists, sums and a statement.
import { anyKey, owner, type Route } from '../route.ts';

export const paymentRoutes = {
  pay: anyKey('POST /v1/agents/:agentId/pay', 'Pay a service and get the receipt'),
  fetch: anyKey(
    'POST /v1/agents/:agentId/fetch',
    'Ask a paid API, pay what its 402 asks for within the policy, and get its answer',
  ),
  explainPolicy: anyKey(
    'POST /v1/agents/:agentId/policy/explain',
    'The verdict on a payment if the agent asked for it now; pays nothing, changes nothing',
  ),
  getPayment: anyKey('GET /v1/agents/:agentId/payments/:paymentId', 'Get a payment'),
  answer: anyKey(
    'GET /v1/agents/:agentId/payments/:paymentId/answer',
    'The body of what the seller delivered, as long as it is kept',
  ),
  received: anyKey(
    'POST /v1/agents/:agentId/payments/:paymentId/received',
    'The client has the answer: it need not be kept any longer',
  ),
  spendHistory: anyKey('GET /v1/agents/:agentId/spend-history', 'Payments, newest first'),
  activity: owner('GET /v1/activity', 'Every transfer and every refusal, newest first, filtered'),
  totals: owner(
    'GET /v1/activity/totals',
    'What was spent in a period, by agent and by service; filtered as the activity is',
  ),
  getTransfer: owner('GET /v1/transfers/:transferId', 'One transfer with its states and times'),
  spending: owner('GET /v1/spending', 'Spending by day, by agent and by service'),
  unpayableSellers: owner(
    'GET /v1/unpayable-sellers',
    'Sellers that asked agents for another token or network than USDC on Solana; the last 100 of each agent',
  ),
  statement: owner('GET /v1/statement', 'All transfers of a period, as CSV or JSON'),
} as const satisfies Record<string, Route>;
