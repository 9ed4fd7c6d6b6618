// Boosts: the budgets of one node, raised until a time.
import { z } from 'zod';
import { get, nothing, post } from '../exchange.ts';
import { agentPath, decimal, limit, moment, shared, timestamp } from '../fields.ts';
import { limitNode } from './policy.schemas.ts';

const until = moment
  .transform((text) => Date.parse(text))
  .optional()
  .describe('at most 7 days ahead; default: the owner’s next midnight');
const boostBody = z.strictObject({ amount: limit, until });
const boostReply = z.object({
  node: limitNode,
  boost: z
    .object({ boostId: z.string(), amount: decimal, until: shared.deadline, createdAt: timestamp })
    .nullable()
    .describe('null: none is in force'),
});
const groupPath = z.object({ groupId: shared.groupId });
const transferPath = z.object({ transferId: shared.transferId });
const needed = z.object({
  payment: z.object({ agentId: shared.agentId, amount: decimal }),
  boosts: z
    .array(z.object({ node: limitNode, amount: decimal.describe('of the whole boost') }))
    .describe('every node that has to be raised, so that this payment fits under its budgets'),
  until: shared.deadline,
  otherwise: z
    .string()
    .nullable()
    .describe('why the payment would be refused even then; null: it would not be'),
});

export const boostsExchanges = {
  listBoosts: get(nothing, nothing, z.object({ boosts: z.array(boostReply) })),
  endBoost: post(z.object({ boostId: z.string() }), nothing, boostReply),
  boostAgent: post(agentPath, boostBody, boostReply),
  boostGroup: post(groupPath, boostBody, boostReply),
  boostTreasury: post(nothing, boostBody, boostReply),
  foreseeBoost: get(transferPath, nothing, needed),
  boostFor: post(transferPath, z.strictObject({ until }), needed),
};
