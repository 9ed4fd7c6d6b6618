// Routes to foresee payments, and to look up payments and what sellers delivered for them.
import type { Route } from './route.ts';

export const paymentRoutes = {
  explainPolicy: {
    method: 'POST',
    path: '/v1/agents/:agentId/policy/explain',
    access: 'agent',
    summary: 'What would become of a payment that the agent asks for now; pays nothing, changes nothing',
  },
  getPayment: {
    method: 'GET',
    path: '/v1/agents/:agentId/payments/:paymentId',
    access: 'agent',
    summary: 'Get a payment',
  },
  answer: {
    method: 'GET',
    path: '/v1/agents/:agentId/payments/:paymentId/answer',
    access: 'agent',
    summary: 'The body of what the seller delivered, as long as it is kept',
  },
  received: {
    method: 'POST',
    path: '/v1/agents/:agentId/payments/:paymentId/received',
    access: 'agent',
    summary: 'The client has the answer: it need not be kept any longer',
  },
  spendHistory: {
    method: 'GET',
    path: '/v1/agents/:agentId/spend-history',
    access: 'agent',
    summary: 'Payments, newest first',
  },
} as const satisfies Record<string, Route>;
