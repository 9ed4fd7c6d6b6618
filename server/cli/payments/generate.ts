// `treasury generate`: a picture into a file, charged to an agent's wallet.
import { setTimeout as wait } from 'node:timers/promises';
import type { Accepted, Reply } from '../../contract/schemas.ts';
import { AppError, type ErrorCode } from '../../errors.ts';
import { idempotencyKey, once, reasonFrom, reasonOption } from '../arguments.ts';
import { command } from '../command-row.ts';
import { Ending } from '../ending.ts';
import { actingAgent, type Acting } from '../session.ts';
import { facts, moment } from '../table.ts';
import { show, type Terminal } from '../terminal.ts';
import { writePrivate } from './write-file.ts';

const resolutions = ['1k', '2k', '4k'] as const;

const lookAgainMs = 1_000;

export const addGenerate = command('generate <prompt>', {
  about: 'have a picture made and write it to a file, as the linked agent or with TREASURY_API_KEY',
  examples: ['treasury generate "a lighthouse at dusk" --model gpt-image-2 -o lighthouse.png'],
  options: {
    model: { needed: ['-m id', 'the image model; treasury models lists them'] },
    output: { needed: ['-o file', 'write the picture there'] },
    resolution: ['size', 'how large', resolutions, '1k'],
    agent: ['id', 'as its owner: the agent that is charged'],
    reason: reasonOption,
    key: ['text', 'Idempotency-Key: goes on with a picture instead of another', idempotencyKey],
    wait: { not: 'end with 3 instead of waiting when the owner has to approve first' },
  },
  async run(
    terminal,
    { prompt, model: modelId, output, resolution, agent, reason, key: givenKey, wait: mayWait },
  ) {
    const acting = actingAgent(terminal, agent);
    const body = { prompt, modelId, resolution, ...reasonFrom(acting.session.role, reason) };
    const params = { agentId: acting.agentId };
    const { asked, key } = await once(givenKey, async (used) => ({
      asked: await acting.session.ask('generate', { params, body, key: used }),
      key: used,
    }));
    if ('approvalId' in asked) waitForOwner(terminal, { asked, key, mayWait });
    const task = await untilMade(acting, asked.taskId);
    if (task.status !== 'success') throw failureOf(task);
    writePrivate(
      output,
      await acting.session.read('taskImage', { params: { ...params, taskId: task.taskId } }),
    );
    show(terminal, { ...task, file: output }, () =>
      facts([
        ['Picture', `${output} (${task.image?.width} x ${task.image?.height})`],
        ['Paid', `${task.cost} ${task.currency} to ${task.model}`],
        ['Task', task.taskId],
      ]),
    );
  },
});

/** @throws Ending unless it may wait */
const waitForOwner = (
  { note }: Terminal,
  { asked, key, mayWait }: { asked: Accepted<'generate'>; key: string; mayWait: boolean },
): void => {
  const approve = `treasury approve ${asked.approvalId}`;
  if (mayWait)
    return note(`Waiting for the owner to allow it: ${approve}. Interrupted, it goes on with --key ${key}`);
  const words = `The owner has to allow this before ${moment(asked.expiresAt)}: ${approve}. Then repeat this with --key ${key}`;
  throw new Ending('ownersWord', words, { ...asked, key });
};

const untilMade = async ({ session, agentId }: Acting, taskId: string): Promise<Reply<'getTask'>> => {
  for (;;) {
    const task = await session.ask('getTask', { params: { agentId, taskId } });
    if (task.status === 'success' || task.status === 'failed') return task;
    await wait(lookAgainMs);
  }
};

const failureOf = ({ taskId, failure, refund }: Reply<'getTask'>): AppError => {
  const paidBack = refund === undefined ? '' : ` Refund of ${refund.amount} USDC: ${refund.status}.`;
  const { code = 'generation_failed', message = 'No picture was made.' } = failure ?? {};
  return new AppError(code as ErrorCode, `${message}${paidBack}`, { taskId, ...(refund && { refund }) });
};
