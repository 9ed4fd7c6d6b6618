// The named schemas of the interface: what several routes share has one name, and each body has that of its route.
import { z } from 'zod';
import { agentReply, statusReply } from '../contract/agents/agents.schemas.ts';
import { approvalReply, askedOwner, grantReply } from '../contract/approvals/approvals.schemas.ts';
import { serviceReply, sourceReply } from '../contract/catalog/catalog.schemas.ts';
import { failure } from '../contract/fields.ts';
import { aboutReply, backupReply, diagnosticsReply } from '../contract/host/host.schemas.ts';
import { keyReply, mcpConfig, newKeyReply } from '../contract/agents/keys.schemas.ts';
import { linkReply } from '../contract/sign-in/links.schemas.ts';
import {
  fetchResult,
  historyEntry,
  paymentReply,
  paymentResult,
  pendingFetch,
  pendingPayment,
} from '../contract/payments/payments.schemas.ts';
import { imageProviderReply, taskReply } from '../contract/catalog/pictures.schemas.ts';
import { policyReply } from '../contract/limits/policy.schemas.ts';
import { loginReply, sessionReply } from '../contract/sign-in/sessions.schemas.ts';
import {
  activityReply,
  spendingReply,
  transferDetails,
  transferReply,
} from '../contract/payments/transfers.schemas.ts';
import {
  ceilingReply,
  dashboardReply,
  depositReply,
  freezeReply,
  lockReply,
} from '../contract/treasury/treasury.schemas.ts';

export type Json = Record<string, unknown>;

/** Replies that several routes share, or that are worth a name. */
const shared = {
  About: aboutReply,
  Activity: activityReply,
  Agent: agentReply,
  AgentStatus: statusReply,
  Approval: approvalReply,
  AskedOwner: askedOwner,
  Backup: backupReply,
  CatalogSource: sourceReply,
  Ceiling: ceilingReply,
  Dashboard: dashboardReply,
  Deposit: depositReply,
  Diagnostics: diagnosticsReply,
  Failure: failure,
  FetchResult: fetchResult,
  Freeze: freezeReply,
  HistoryEntry: historyEntry,
  ImageProvider: imageProviderReply,
  Key: keyReply,
  Link: linkReply,
  Lock: lockReply,
  Login: loginReply,
  McpConfig: mcpConfig,
  NewKey: newKeyReply,
  PaidPayment: paymentResult,
  Payment: paymentReply,
  PendingFetch: pendingFetch,
  PendingPayment: pendingPayment,
  Policy: policyReply,
  Service: serviceReply,
  Session: sessionReply,
  Spending: spendingReply,
  StandingApproval: grantReply,
  Task: taskReply,
  Transfer: transferReply,
  TransferDetails: transferDetails,
} as const satisfies Record<string, z.ZodType>;

export interface Schemas {
  /** A reference to a shared schema, or to this one under the name. An empty one stays where it is. */
  refer(schema: z.ZodType, io: 'input' | 'output', name: string): Json;
  /** The schemas referred to so far, by name. */
  all(): Json;
}

/** The examples of the fields are for the examples of whole bodies: the schemas are written without them. */
const withoutExamples = {
  get(schema: z.ZodType) {
    const { examples: _, ...more } = z.globalRegistry.get(schema) ?? {};
    return more;
  },
} as typeof z.globalRegistry;

export const jsonOf = (
  schema: z.ZodType,
  io: 'input' | 'output',
  metadata: typeof z.globalRegistry = withoutExamples,
): Json => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata }) as Json;
  return rest;
};

export const createSchemas = (): Schemas => {
  const sharedJson = Object.entries(shared).map(
    ([name, schema]) => [name, jsonOf(schema, 'output')] as const,
  );
  const byText = new Map(sharedJson.map(([name, json]) => [textOf(json), name]));
  const jsonByName = new Map<string, Json>(sharedJson);
  const used = new Map<string, Json>();

  const use = (name: string, json: Json): Json => {
    if (!used.has(name)) {
      used.set(name, json);
      used.set(name, inside(json));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
  /** Shared schemas inside of it become references. A description beside a reference is the one of that place. */
  const shrink = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(shrink);
    if (typeof node !== 'object' || node === null) return node;
    const { description } = node as Json;
    const name = byText.get(textOf(node as Json));
    if (name === undefined) return inside(node as Json);
    const own = jsonByName.get(name) ?? {};
    return { ...use(name, own), ...(description === own['description'] ? {} : { description }) };
  };
  const inside = (json: Json): Json =>
    Object.fromEntries(Object.entries(json).map(([key, value]) => [key, shrink(value)]));

  return {
    refer(schema, io, name) {
      const json = jsonOf(schema, io);
      if (isEmpty(json)) return json;
      const shrunk = shrink(json) as Json;
      return '$ref' in shrunk ? shrunk : use(name, json);
    },
    all: () => Object.fromEntries([...used].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
};

/** A description belongs to the place, not to the schema. */
const textOf = (json: Json): string => JSON.stringify({ ...json, description: undefined });

/** Any value, or an object without fields. */
const isEmpty = ({ type, properties, ...more }: Json): boolean =>
  type === undefined
    ? Object.keys(more).length === 0
    : type === 'object' && properties !== undefined && Object.keys(properties as object).length === 0;
