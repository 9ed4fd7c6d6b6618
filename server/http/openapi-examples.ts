// Examples of requests and replies. A test holds each against its schema.
import type { RouteName } from '../contract/routes.ts';
import { bookExamples } from './openapi-book-examples.ts';
import {
  approvalId,
  asked,
  at,
  channel,
  moved,
  notice,
  paymentId,
  policy,
  txSignature,
  wallet,
  watched,
  group,
  groupId,
  treasuryLimits,
} from './openapi-values.ts';

/** Examples of requests and replies about the public address. */
const publicAddress = {
  url: 'https://treasury.example.ts.net',
  ownerSessions: false,
  givenAtStart: false,
  mayChange: true,
};

const publicExamples = {
  getPublicAddress: { reply: publicAddress },
  setPublicAddress: { request: { url: publicAddress.url }, reply: publicAddress },
  checkPublicAddress: { reply: { url: publicAddress.url, problem: null } },
} as const satisfies Partial<Record<RouteName, object>>;

/** Examples of requests and replies about groups of agents and limits over all agents. */
const groupExamples = {
  listGroups: { reply: { groups: [group] } },
  createGroup: { request: { name: 'Research', limits: { dailyBudget: '5.00' } }, reply: group },
  getGroup: { reply: group },
  renameGroup: { request: { name: 'Science' }, reply: { ...group, name: 'Science' } },
  setGroupLimits: {
    request: { monthlyBudget: '60.00', maxPerPayment: null },
    reply: { ...group, limits: { ...group.limits, monthlyBudget: '60.00' } },
  },
  archiveGroup: { reply: { groupId, archived: true } },
  stopGroup: { reply: { ...group, stoppedAt: at } },
  resumeGroup: { reply: group },
  setAgentGroup: { request: { groupId }, reply: { agentId: 'scout', groupId } },
  getTreasuryLimits: { reply: treasuryLimits },
  setTreasuryLimits: { request: { monthlyBudget: '100.00' }, reply: treasuryLimits },
} as const satisfies Partial<Record<RouteName, object>>;

interface Example {
  request?: object;
  reply?: object;
  accepted?: object;
}

export const openapiExamples: Readonly<Partial<Record<RouteName, Example>>> = {
  health: { reply: { ok: true } },
  deploy: {
    request: { agentId: 'scout', dailyBudget: '5.00', maxPerPayment: '0.50', displayName: 'Research Scout' },
    reply: {
      agent: {
        agentId: 'scout',
        walletAddress: wallet,
        createdAt: at,
        displayName: 'Research Scout',
        status: 'active',
      },
      mcpConfig: {
        command: '/path/to/treasury-mcp',
        args: [],
        env: { TREASURY_OWNER: wallet, TREASURY_AGENT_ID: 'scout', TREASURY_API_KEY: 'atk_…' },
      },
      nextSteps: ['Allocate USDC to it: POST /v1/agents/scout/allocate'],
    },
    accepted: asked,
  },
  balance: { reply: { agentId: 'scout', walletAddress: wallet, balance: '10.00', currency: 'USDC' } },
  getPolicy: {
    reply: { agentId: 'scout', policy, unknownServices: [], boost: { amount: '2.00', until: at } },
  },
  setPolicy: {
    request: { maxPerPayment: '0.50', reason: 'The reports cost 0.40 now.' },
    reply: { agentId: 'scout', policy, unknownServices: [] },
    accepted: asked,
  },
  explainPolicy: {
    request: { service: 'sandbox-weather', amount: '0.01' },
    reply: {
      verdict: 'allowed',
      code: null,
      message: 'The policy allows it.',
      details: {},
      budget: { dailyBudget: '5.00', spent: '1.20', left: '3.80' },
    },
  },
  setWatch: { request: { mode: 'ask' }, reply: watched },
  getWatch: { reply: watched },
  watchNormal: { request: {}, reply: watched },
  endWatchMute: { request: { rule: 'runaway', service: 'sandbox-weather' }, reply: watched },
  allocate: { request: { amount: '10.00' }, reply: moved, accepted: asked },
  recall: { request: { amount: '2.50' }, reply: { ...moved, amount: '2.50', balance: '7.50' } },
  withdraw: {
    request: { asset: 'USDC', to: wallet, amount: '25.00' },
    reply: { ...moved, agentId: null, amount: '25.00', balance: '975.00' },
  },
  pay: {
    request: {
      service: 'sandbox-weather',
      amount: '0.01',
      currency: 'USDC',
      description: 'The weather in Lisbon',
    },
    reply: {
      paymentId,
      txSignature,
      amount: '0.01',
      currency: 'USDC',
      status: 'confirmed',
      timestamp: at,
      xPaymentHeader: 'v1.…',
    },
    accepted: { paymentId, status: 'awaiting_approval', approvalId, expiresAt: at },
  },
  fetch: {
    request: { url: 'https://api.example.com/report?id=17', maxAmount: '0.10' },
    reply: {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: '{"report":17}',
      encoding: 'utf8',
      payment: {
        paymentId,
        service: 'https://api.example.com',
        amount: '0.10',
        currency: 'USDC',
        status: 'confirmed',
        txSignature,
        timestamp: at,
        dialect: 'x402-v2',
      },
    },
    accepted: {
      paymentId,
      status: 'pending',
      message: 'The payment is under way. Call again with the same Idempotency-Key for the answer.',
    },
  },
  spendHistory: {
    reply: {
      payments: [
        {
          id: paymentId,
          service: 'Sandbox Weather',
          amount: '0.01',
          currency: 'USDC',
          status: 'confirmed',
          timestamp: at,
          txSignature,
          agentId: 'scout',
          serviceId: 'sandbox-weather',
          cursor: 17,
        },
      ],
    },
  },
  generate: {
    request: { prompt: 'a lighthouse at dusk', modelId: 'gpt-image-2', resolution: '1k' },
    reply: { taskId: 'task_0mwtgw0wmafc', status: 'queued', estimatedCost: '0.05', paymentId },
  },
  ...bookExamples,
  ...groupExamples,
  ...publicExamples,
  freeze: {
    request: { reason: 'the invoices look wrong' },
    reply: {
      frozen: true,
      since: at,
      reason: 'the invoices look wrong',
      mayStillLand: { payments: 0, amount: '0.00', until: null },
    },
  },
  addNoticeChannel: {
    request: {
      kind: 'webhook',
      url: 'https://hooks.example.com/treasury',
      secret: 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz',
      kinds: ['approval', 'frozen', 'halted'],
    },
    reply: channel,
  },
  changeNoticeChannel: { request: { kinds: ['approval', 'frozen', 'halted'] }, reply: channel },
  testNoticeChannel: { reply: { delivered: true, answer: 'HTTP 200' } },
  listNotices: { reply: { notices: [notice] } },
  retryNotice: { reply: notice },
  setLowBalance: {
    request: { lowBalance: '2.00' },
    reply: { lowBalance: '2.00', ofAgents: [{ agentId: 'scout', lowBalance: null }] },
  },
};

export const errorExample = {
  error: 'The amount 2.00 is above the limit of 0.50 USDC for one payment.',
  code: 'max_per_payment',
  details: { rule: 'maxPerPayment', limit: '0.50', amount: '2.00' },
};
