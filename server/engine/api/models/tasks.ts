// Pictures: generating them, and reading the state of their tasks.
import { AppError, fieldError, invariant } from '../../../errors.ts';
import { formatUsdc, parseUsdc } from '../../../money.ts';
import type { Body, Reply } from '../../../contract/schemas.ts';
import {
  accepted,
  agentNamed,
  agentOnRecord,
  askerOf,
  done,
  notArchived,
  type EngineContext,
} from '../../calls/call.ts';
import { announceApproval, refuseApproval } from '../../payment/owner/approval.ts';
import { errorFrom } from '../../payment/decision/refusals.ts';
import { carryOut } from '../../calls/request.ts';
import type { Generation, GenerationDeps } from '../../pictures/generation.ts';
import type { Agent, Answer, Call, Intent, SomeOperations, Task, Transfer } from '../../ports.ts';
import type { Door } from '../../../lib/net/public-url.ts';
import { taskView } from '../../pictures/task-view.ts';
import { iso } from '../../calls/views.ts';
import { taskNamed } from '../path.ts';

const shownOfPrompt = 200;

interface Parts extends Pick<GenerationDeps, 'providers' | 'pictures'> {
  context: EngineContext;
  generation: Generation;
}

export const taskOperations = (
  context: EngineContext,
  { providers, pictures }: GenerationDeps,
  generation: Generation,
) => {
  const { store } = context;
  const parts: Parts = { context, providers, pictures, generation };
  return {
    generate: (call) => generate(parts, call),
    listTasks({ params, query, door }) {
      const { agentId } = agentNamed(store, params.agentId);
      return done(views(context, store.tasks.list(pageOf({ ...query, agentId })), door));
    },
    getTask: ({ params, door }) =>
      done(taskView(context, taskNamed(context, params.taskId, params.agentId), door.url)),
    cancelTask: (call) => cancelTask(parts, call),
    gallery: ({ query, door }) => done(views(context, store.tasks.list(pageOf(query)), door)),
    picture: (call) => picture(parts, call),
  } satisfies SomeOperations;
};

const generate = async (parts: Parts, call: Call<'generate'>): Promise<Answer<'generate'>> => {
  const { context } = parts;
  const { store, time, newId, publish } = context;
  const agent = agentOnRecord(store, call.params.agentId);
  const asker = askerOf(call, `agent:${agent.agentId}`, 'generate');
  const { prompt, modelId, resolution } = call.body;
  const writeTask = (charge: Transfer): void => {
    if (charge.state === 'denied' || store.tasks.byCharge(charge.id) !== undefined) return;
    invariant(charge.asset === 'USDC', 'a picture is charged in USDC');
    store.tasks.insert({
      prompt,
      modelId,
      resolution,
      id: newId('task'),
      agentId: agent.agentId,
      modelName: charge.serviceName,
      cost: charge.amount,
      chargeId: charge.id,
      createdAt: time.now(),
    });
  };
  const charge = await carryOut(context, asker, () => chargeOf(parts, notArchived(agent), call.body), {
    waitMs: 0,
    alongside: writeTask,
  });
  const task = store.tasks.byCharge(charge.id);
  if (task === undefined) {
    throw errorFrom(charge.refusal ?? notCharged, charge.id);
  }
  publish({ type: 'task', task: taskView(context, task) });
  const answer = {
    taskId: task.id,
    status: task.state,
    estimatedCost: formatUsdc(task.cost),
    paymentId: charge.id,
  };
  const approval = charge.approvalId === null ? undefined : store.approvals.get(charge.approvalId);
  if (charge.state !== 'awaiting_approval' || approval === undefined) return done(answer);
  return accepted({ ...answer, approvalId: approval.id, expiresAt: iso(approval.expiresAt) });
};

/** @throws AppError `bad_request` for an image model or a resolution that is not offered */
const chargeOf = (
  { context, providers }: Parts,
  agent: Agent,
  { modelId, resolution, prompt, reason }: Body<'generate'>,
): Intent => {
  const model = providers.models().find(({ id }) => id === modelId);
  if (model === undefined || !model.enabled || !providers.usable(model)) {
    const said = model === undefined ? 'there is no model' : 'the owner does not offer';
    throw fieldError('modelId', `${said} ${modelId}. See the list of models`);
  }
  const price = parseUsdc(model.pricing[resolution] ?? '');
  if (price === null) {
    const known = Object.keys(model.pricing).join(', ');
    throw fieldError('resolution', `${model.displayName} makes ${known}, not ${resolution}`);
  }
  return {
    kind: 'charge',
    agentId: agent.agentId,
    walletIndex: agent.walletIndex,
    wallet: agent.wallet,
    payee: context.settings.owner,
    asset: 'USDC',
    amount: price,
    serviceId: model.id,
    serviceName: model.displayName,
    description: `${resolution} picture: ${oneLine(prompt)}`,
    reason: reason ?? null,
    invoice: null,
  };
};

const cancelTask = ({ context, generation }: Parts, { params }: Call<'cancelTask'>): Answer<'cancelTask'> => {
  const { store, publish } = context;
  const { task, approvalId } = store.atomically(() => {
    const queued = taskNamed(context, params.taskId, params.agentId);
    if (queued.state === 'failed') return { task: queued, approvalId: null };
    const charge = store.transfers.get(queued.chargeId);
    const approval = store.approvals.pending(queued.agentId).find(({ id }) => id === charge?.approvalId);
    if (approval !== undefined) refuseApproval(context, approval, 'cancelled');
    const given = queued.state === 'queued' ? generation.giveUp(queued, cancelled) : null;
    if (given === null)
      throw new AppError('conflict', `This task is ${queued.state}: only a queued one can be given up.`);
    return { task: given, approvalId: approval?.id ?? null };
  });
  if (approvalId !== null) announceApproval(context, approvalId);
  publish({ type: 'task', task: taskView(context, task) });
  return done(taskView(context, task));
};

const picture = async (
  { context, pictures }: Parts,
  { params, query }: Call<'picture'>,
): Promise<Answer<'picture'>> => {
  const { image, id } = taskNamed(context, params.taskId);
  if (image === null) throw new AppError('not_found', 'This task has no picture.');
  if (query.size === 'whole') {
    const { mediaType, width, height } = image;
    return done({ dataUrl: dataUrl(await pictures.read(id, image), mediaType), width, height });
  }
  const { bytes, mediaType, width, height } = await pictures.small(id, image);
  return done({ dataUrl: dataUrl(bytes, mediaType), width, height });
};

const views = (context: EngineContext, tasks: readonly Task[], { url }: Door): Reply<'gallery'> => ({
  tasks: tasks.map((task) => ({ ...taskView(context, task, url), cursor: task.seq })),
});

const pageOf = ({
  agentId,
  status,
  before,
  limit,
}: {
  agentId?: string | undefined;
  status?: Task['state'] | undefined;
  before?: number | undefined;
  limit: number;
}) => ({
  ...(agentId === undefined ? {} : { agentId }),
  ...(status === undefined ? {} : { state: status }),
  ...(before === undefined ? {} : { before }),
  limit,
});

const dataUrl = (bytes: Buffer, mediaType: string): string =>
  `data:${mediaType};base64,${bytes.toString('base64')}`;

/** The prompt for lists and approvals, without characters that could show the owner one text for another. */
const oneLine = (prompt: string): string => {
  const plain = prompt.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim();
  return plain.length > shownOfPrompt ? `${plain.slice(0, shownOfPrompt)}…` : plain;
};

const cancelled = { code: 'cancelled', message: 'It was canceled before it started.' };
const notCharged = { code: 'payment_failed', message: 'Nothing was charged.', details: {} } as const;
