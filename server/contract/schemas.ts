// The request and reply of each route. Requests are strict: an unknown field is an error that names it.
import { z } from 'zod';
import { answerExchanges } from './answer-exchanges.ts';
import { catalogExchanges } from './catalog-exchanges.ts';
import { get, nothing, post, type Exchange } from './exchange.ts';
import { linkExchanges } from './link-exchanges.ts';
import {
  address,
  agentId,
  amount,
  currency,
  cursor,
  decimal,
  description,
  displayName,
  hex,
  kinds,
  limit,
  moment,
  pageLimit,
  passphrase,
  reason,
  secret,
  serviceId,
  solAmount,
  statuses,
  timestamp,
  wholeNumber,
} from './fields.ts';
import {
  explainReply,
  fetchResult,
  historyEntry,
  paymentReply,
  paymentResult,
  pendingFetch,
  pendingPayment,
} from './payment-replies.ts';
import {
  agentReply,
  statusReply,
  mcpConfig,
  askedOwner,
  transferReply,
  approvalReply,
  grantReply,
  keyReply,
  newKeyReply,
  freezeReply,
  lockReply,
  ceilingReply,
  depositReply,
  dashboardReply,
  activityPage,
  transferDetails,
  spendingReply,
  previewReply,
  loginReply,
  sessionReply,
  aboutReply,
  backupReply,
  diagnosticsReply,
} from './replies.ts';
import { explainBody, fetchBody, payBody } from './payment-requests.ts';
import { policyChange, policyReply } from './policy-schemas.ts';
import type { RouteName } from './routes.ts';

const anyReply = z.unknown();

const agentPath = z.object({ agentId: z.string() });
const agentKeyPath = agentPath.extend({ keyId: z.string() });
const approvalPath = z.object({ approvalId: z.string() });
const loginPath = z.object({ loginId: z.string() });

export const exchanges = {
  health: get(
    nothing,
    z.strictObject({ nonce: hex(32).optional(), key: hex(64).optional() }),
    z.object({
      ok: z.boolean(),
      proof: z
        .string()
        .optional()
        .describe('proof that this host knows the API key; given when `nonce` and `key` are sent'),
    }),
  ),
  openapi: get(nothing, nothing, anyReply),

  openSession: post(
    nothing,
    z
      .strictObject({ token: secret.optional(), passphrase: passphrase.optional() })
      .refine(
        ({ token, passphrase: typed }) => (token === undefined) !== (typed === undefined),
        'token or passphrase: exactly one of them is required',
      ),
    sessionReply,
  ),
  endSession: post(nothing, nothing, z.object({ ended: z.boolean() })),
  openLogin: post(
    nothing,
    z.strictObject({ terminal: displayName, passphrase: passphrase.optional() }),
    loginReply.extend({ pollSecret: z.string() }),
  ),
  claimLogin: post(
    loginPath,
    z.strictObject({ pollSecret: secret }),
    loginReply.extend({ token: z.string().nullable(), tokenExpiresAt: timestamp.nullable() }),
  ),
  listLogins: get(nothing, nothing, z.object({ logins: z.array(loginReply) })),
  grantLogin: post(loginPath, nothing, loginReply),
  denyLogin: post(loginPath, nothing, loginReply),

  ...linkExchanges,
  ...catalogExchanges,

  deploy: post(
    nothing,
    z.strictObject({
      agentId,
      dailyBudget: limit,
      maxPerPayment: limit,
      displayName: displayName.optional(),
      reason,
    }),
    z.object({ agent: agentReply, mcpConfig, nextSteps: z.array(z.string()) }),
    askedOwner,
  ),
  listAgents: get(
    nothing,
    nothing,
    z.object({ agents: z.array(agentReply.extend({ balance: decimal, archived: z.boolean() })) }),
  ),
  balance: get(
    agentPath,
    nothing,
    z.object({ agentId: z.string(), walletAddress: z.string(), balance: decimal, currency: z.string() }),
  ),
  getPolicy: get(agentPath, nothing, z.object({ agentId: z.string(), policy: policyReply })),
  setPolicy: post(
    agentPath,
    policyChange.extend({ reason }),
    z.object({ agentId: z.string(), policy: policyReply }),
    askedOwner,
  ),
  previewPolicy: post(agentPath, policyChange, previewReply),
  allocate: post(
    agentPath,
    z.strictObject({ amount, currency: currency.optional(), reason }),
    transferReply,
    askedOwner,
  ),
  recall: post(agentPath, z.strictObject({ amount, currency: currency.optional() }), transferReply),
  archive: post(agentPath, nothing, agentReply.extend({ recalled: decimal })),
  kill: post(agentPath, nothing, statusReply),
  resume: post(agentPath, z.strictObject({ reason }), statusReply, askedOwner),
  rename: post(
    agentPath,
    z.strictObject({ displayName }),
    z.object({ agentId: z.string(), displayName: z.string() }),
  ),
  explainPolicy: post(agentPath, explainBody, explainReply),
  pay: post(agentPath, payBody, paymentResult, pendingPayment),
  fetch: post(agentPath, fetchBody, fetchResult, pendingFetch),
  getPayment: get(agentPath.extend({ paymentId: z.string() }), nothing, paymentReply),
  ...answerExchanges,
  spendHistory: get(
    agentPath,
    z.strictObject({ limit: pageLimit(500, 20), before: cursor.optional() }),
    z.object({ payments: z.array(historyEntry) }),
  ),
  listKeys: get(agentPath, nothing, z.object({ keys: z.array(keyReply) })),
  addKey: post(agentPath, z.strictObject({ label: displayName.optional() }), newKeyReply),
  rotateKey: post(agentKeyPath, z.strictObject({ now: z.boolean().default(false) }), newKeyReply),
  revokeKey: post(agentKeyPath, nothing, keyReply),

  listApprovals: get(
    nothing,
    z.strictObject({ limit: pageLimit(500, 100) }),
    z.object({ approvals: z.array(approvalReply) }),
  ),
  getApproval: get(approvalPath, nothing, approvalReply),
  grantApproval: post(
    approvalPath,
    z.strictObject({
      hash: z.string({ error: 'must be the hash that came with the approval' }),
      standing: z.strictObject({ upTo: amount, until: moment }).optional(),
    }),
    approvalReply.extend({
      created: newKeyReply.optional().describe('the new agent’s key, shown to the owner once'),
    }),
  ),
  denyApproval: post(approvalPath, nothing, approvalReply),
  listGrants: get(nothing, nothing, z.object({ grants: z.array(grantReply) })),
  revokeGrant: post(
    z.object({ grantId: z.string() }),
    nothing,
    z.object({ grantId: z.string(), revoked: z.boolean() }),
  ),

  freeze: post(nothing, z.strictObject({ reason: description.optional() }), freezeReply),
  unfreeze: post(nothing, nothing, freezeReply),
  lock: post(nothing, nothing, lockReply),
  unlock: post(nothing, z.strictObject({ passphrase: passphrase.optional() }), lockReply),
  changePassphrase: post(
    nothing,
    z.strictObject({ current: passphrase, next: passphrase }),
    z.object({ changed: z.boolean() }),
  ),

  dashboard: get(nothing, nothing, dashboardReply),
  activity: get(
    nothing,
    z.strictObject({
      agentId: agentId.optional(),
      serviceId: serviceId.optional(),
      kind: z.enum(kinds, { error: `must be one of ${kinds.join(', ')}` }).optional(),
      status: z.enum(statuses, { error: `must be one of ${statuses.join(', ')}` }).optional(),
      from: moment.optional(),
      to: moment.optional(),
      q: z.string().max(200, 'must be at most 200 characters').optional(),
      limit: pageLimit(500, 100),
      before: cursor.optional(),
    }),
    activityPage,
  ),
  getTransfer: get(z.object({ transferId: z.string() }), nothing, transferDetails),
  spending: get(nothing, z.strictObject({ days: wholeNumber('days', 1, 366).default(30) }), spendingReply),
  deposits: get(
    nothing,
    z.strictObject({ limit: pageLimit(100, 100), before: cursor.optional() }),
    z.object({ deposits: z.array(depositReply) }),
  ),
  getCeiling: get(nothing, nothing, ceilingReply),
  setCeiling: post(nothing, z.strictObject({ dailyBudget: limit.nullable() }), ceilingReply),
  withdraw: post(
    nothing,
    z.discriminatedUnion(
      'asset',
      [
        z.strictObject({ asset: z.literal('USDC'), to: address, amount }),
        z.strictObject({ asset: z.literal('SOL'), to: address, amount: solAmount }),
      ],
      { error: 'must be "USDC" or "SOL"' },
    ),
    transferReply,
  ),
  statement: get(
    nothing,
    z.strictObject({
      format: z.enum(['csv', 'json'], { error: 'must be csv or json' }).default('csv'),
      from: moment.optional(),
      to: moment.optional(),
    }),
    anyReply,
  ),
  backup: post(nothing, nothing, backupReply),
  about: get(nothing, nothing, aboutReply),
  diagnostics: get(nothing, nothing, diagnosticsReply),
  events: get(nothing, nothing, anyReply),
  faucet: post(nothing, z.strictObject({ amount }), depositReply),
} satisfies Record<RouteName, Exchange>;

export type Exchanges = typeof exchanges;
/** As a caller writes it, before parsing. */
export type Input<N extends RouteName> = {
  params?: z.input<Exchanges[N]['params']>;
  query?: z.input<Exchanges[N]['query']>;
  body?: z.input<Exchanges[N]['body']>;
};
export type Params<N extends RouteName> = z.output<Exchanges[N]['params']>;
export type Query<N extends RouteName> = z.output<Exchanges[N]['query']>;
export type Body<N extends RouteName> = z.output<Exchanges[N]['body']>;
export type Reply<N extends RouteName> = z.output<Exchanges[N]['reply']>;
export type Accepted<N extends RouteName> = Exchanges[N] extends { accepted?: infer A }
  ? A extends z.ZodType
    ? z.output<A>
    : never
  : never;
