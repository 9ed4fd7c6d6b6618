// Finds for a caller the objects that a path names, or throws the 404. HTTP checks the path before it reads the body,
// so that a wrong path is reported before a wrong body.
import type { RouteName } from '../../contract/routes.ts';
import { AppError, fieldError } from '../../errors.ts';
import { agentNamed, agentOnRecord, type EngineContext } from '../calls/call.ts';
import { digestOf } from '../../lib/token.ts';
import { keyPathOf } from '../payment/decision/charge-path.ts';
import type {
  AgentGroup,
  AgentKey,
  Boost,
  Approval,
  Caller,
  Channel,
  Link,
  ListedNotice,
  PhoneWallet,
  StandingGrant,
  Task,
  Transfer,
} from '../ports.ts';

type Has<T extends keyof EngineContext> = Pick<EngineContext, T>;

export const keyNamed = ({ store }: Has<'store'>, agentId: string, keyId: string): AgentKey => {
  const key = store.keys.get(keyId);
  if (key?.agentId !== agentId || key.delegated !== null)
    throw new AppError('not_found', `There is no key ${keyId} of this agent.`);
  return key;
};

/** A group that was not archived. @param field names it in a body; without one it is named by the path */
export const groupNamed = ({ store }: Has<'store'>, groupId: string, field?: string): AgentGroup => {
  const group = store.groups.get(groupId);
  if (group !== undefined && group.archivedAt === null) return group;
  if (field !== undefined) throw fieldError(field, `there is no group ${groupId}`);
  throw new AppError('not_found', `There is no group ${groupId}.`);
};

/** A boost in force. */
export const boostNamed = ({ store, time }: Has<'store' | 'time'>, boostId: string): Boost => {
  const boost = store.boosts.list(time.now()).find(({ id }) => id === boostId);
  if (boost === undefined) throw new AppError('not_found', `There is no boost ${boostId} in force.`);
  return boost;
};

export const transferNamed = ({ store }: Has<'store'>, transferId: string): Transfer => {
  const transfer = store.transfers.get(transferId);
  if (transfer === undefined) throw new AppError('not_found', `There is no transfer ${transferId}.`);
  return transfer;
};

/** Whether a payment is the caller's, or was made with a key that the caller delegated. */
const isOwnOf = (caller: Caller, { keyPath }: Pick<Transfer, 'keyPath'>): boolean =>
  caller.role !== 'agent' || caller.keyLevel === 0 || keyPath.includes(caller.keyId);

/** A delegated key that the caller may see: the owner and the agent all of them, a delegated key its descendants. */
export const delegatedKeyNamed = (
  { store }: Has<'store'>,
  caller: Caller,
  agentId: string,
  keyId: string,
): AgentKey => {
  const key = store.keys.get(keyId);
  const isOwn =
    key?.agentId === agentId &&
    key.delegated !== null &&
    (caller.role !== 'agent' ||
      caller.keyLevel === 0 ||
      keyPathOf(store, keyId).slice(0, -1).includes(caller.keyId));
  if (key === undefined || !isOwn)
    throw new AppError('not_found', `There is no delegated key ${keyId} of yours.`);
  return key;
};

/** @param caller null where the path was checked for the caller before */
export const paymentNamed = (
  { store }: Has<'store'>,
  agentId: string,
  paymentId: string,
  caller: Caller = { role: 'owner' },
): Transfer => {
  const transfer = store.transfers.get(paymentId);
  if (transfer === undefined || transfer.agentId !== agentId || !isOwnOf(caller, transfer)) {
    throw new AppError('not_found', `There is no payment ${paymentId} of this agent.`);
  }
  return transfer;
};

/** The owner sees every approval, an agent only its own. @throws AppError `not_found` */
export const approvalNamed = ({ store }: Has<'store'>, caller: Caller, approvalId: string): Approval => {
  const approval = store.approvals.get(approvalId);
  const own = caller.role === 'owner' || (caller.role === 'agent' && approval?.agentId === caller.agentId);
  if (approval === undefined || !own) throw new AppError('not_found', `There is no approval ${approvalId}.`);
  return approval;
};

export const grantNamed = ({ store }: Has<'store'>, grantId: string): StandingGrant => {
  const grant = store.grants.get(grantId);
  if (grant === undefined) throw new AppError('not_found', `There is no standing approval ${grantId}.`);
  return grant;
};

/** @param agentId the agent that must own the task. @param caller as for `paymentNamed` */
export const taskNamed = (
  { store }: Has<'store'>,
  taskId: string,
  agentId?: string,
  caller: Caller = { role: 'owner' },
): Task => {
  const task = store.tasks.get(taskId);
  const charge = task === undefined ? undefined : store.transfers.get(task.chargeId);
  if (
    task === undefined ||
    (agentId !== undefined && task.agentId !== agentId) ||
    !isOwnOf(caller, { keyPath: charge?.keyPath ?? [] })
  )
    throw new AppError(
      'not_found',
      `There is no task ${taskId}${agentId === undefined ? '' : ' of this agent'}.`,
    );
  return task;
};

export const linkNamed = ({ store }: Has<'store'>, linkId: string): Link => {
  const link = store.links.get(linkId);
  if (link === undefined) throw new AppError('not_found', `There is no link session ${linkId}.`);
  return link;
};

/** The session of this token, whatever its status; undefined once it has expired. */
export const liveLink = ({ store, time }: Has<'store' | 'time'>, token: string): Link | undefined => {
  const link = store.links.byToken(digestOf(token));
  return link !== undefined && link.expiresAt > time.now() ? link : undefined;
};

/** The pending session of this token. @throws AppError `not_found`, whatever the reason */
export const linkOf = (context: Has<'store' | 'time'>, token: string): Link => {
  const link = liveLink(context, token);
  if (link?.status !== 'pending') throw linkIsOver();
  return link;
};

export const linkIsOver = (): AppError =>
  new AppError('not_found', 'This link session has ended or never existed. Run `treasury link` again.');

/** @throws AppError `not_found` for an unknown or removed phone wallet */
export const phoneWalletNamed = ({ store }: Has<'store'>, id: string): PhoneWallet => {
  const wallet = store.phones.wallets().find((one) => one.id === id);
  if (wallet === undefined) throw new AppError('not_found', `There is no phone wallet ${id}.`);
  return wallet;
};

/** @throws AppError `not_found` for an unknown or removed channel */
export const channelNamed = ({ store }: Has<'store'>, channelId: string): Channel => {
  const channel = store.notices.channels.get(channelId);
  if (channel === undefined || channel.removedAt !== null)
    throw new AppError('not_found', `There is no channel ${channelId}.`);
  return channel;
};

export const noticeNamed = ({ store }: Has<'store'>, noticeId: string): ListedNotice => {
  const notice = store.notices.get(noticeId);
  if (notice === undefined) throw new AppError('not_found', `There is no notice ${noticeId}.`);
  return notice;
};

export type CheckPath = (caller: Caller, params: Readonly<Record<string, unknown>>, route: RouteName) => void;

/**
 * Routes that also work for an archived agent: those that look the idempotency key up first, those that give its money
 * back, those for answers that it paid for, and the dry run, which says why nothing is paid.
 */
const alsoArchived: readonly RouteName[] = [
  'explainPolicy',
  'pay',
  'fetch',
  'generate',
  'allocate',
  'recall',
  'archive',
  'getPayment',
  'answer',
  'received',
];

/** @throws AppError `not_found` */
export const createPathCheck =
  (context: Has<'store' | 'time'>): CheckPath =>
  (caller, params, route) => {
    const { agentId, groupId, keyId, delegatedKeyId, paymentId, approvalId, grantId, linkId, taskId, token } =
      params;
    const { channelId, noticeId, boostId, transferId, phoneWalletId } = params;
    if (typeof agentId === 'string') {
      if (alsoArchived.includes(route)) agentOnRecord(context.store, agentId);
      else agentNamed(context.store, agentId);
      if (typeof keyId === 'string') keyNamed(context, agentId, keyId);
      if (typeof delegatedKeyId === 'string') delegatedKeyNamed(context, caller, agentId, delegatedKeyId);
      if (typeof paymentId === 'string') paymentNamed(context, agentId, paymentId, caller);
      if (typeof taskId === 'string') taskNamed(context, taskId, agentId, caller);
    } else if (typeof taskId === 'string')
      taskNamed(context, taskId, caller.role === 'agent' ? caller.agentId : undefined);
    if (typeof phoneWalletId === 'string') phoneWalletNamed(context, phoneWalletId);
    if (typeof boostId === 'string') boostNamed(context, boostId);
    if (typeof transferId === 'string') transferNamed(context, transferId);
    if (typeof groupId === 'string') groupNamed(context, groupId);
    if (typeof approvalId === 'string') approvalNamed(context, caller, approvalId);
    if (typeof grantId === 'string') grantNamed(context, grantId);
    if (typeof linkId === 'string') linkNamed(context, linkId);
    if (typeof channelId === 'string') channelNamed(context, channelId);
    if (typeof noticeId === 'string') noticeNamed(context, noticeId);
    // The reply of `getLink` itself tells whether a session still exists.
    if (typeof token === 'string' && route !== 'getLink') linkOf(context, token);
  };
