// The border to the page: a handler for each route and command, derived from the contract. Senders are checked, inputs
// parsed, and replies are plain data.
import type { IpcMain, IpcMainInvokeEvent } from 'electron';
import { z } from 'zod';
import { parse } from '../../server/contract/field-errors.ts';
import type { Ask, OwnerRoute } from '../../server/contract/owner-api.ts';
import { exchanges, type Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import type { Log } from '../../server/log.ts';
import { pageOrigin } from '../app-scheme.ts';
import {
  desktopChannel,
  desktopCommands,
  ownerChannel,
  ownerRoutes,
  type DesktopCommand,
} from './channels.ts';
import { desktopExchanges, type DesktopReply, type IpcAnswer } from './ipc.ts';

export type Commands = {
  [C in DesktopCommand]: (
    input: z.output<(typeof desktopExchanges)[C]['input']>,
  ) => DesktopReply<C> | Promise<DesktopReply<C>>;
};

interface IpcDeps {
  ipcMain: Pick<IpcMain, 'handle'>;
  ask<N extends OwnerRoute>(route: N, input: Ask<N>): Promise<Reply<N>>;
  commands: Commands;
  isOwnWindow(contentsId: number): boolean;
  log: Pick<Log, 'error' | 'warn'>;
}

const mostBytes = 64 * 1024;

export const handleIpc = ({ ipcMain, ask, commands, isOwnWindow, log }: IpcDeps): void => {
  const handle = (channel: string, work: (input: unknown) => unknown): void =>
    ipcMain.handle(
      channel,
      async (event, input: unknown, ...more: unknown[]): Promise<IpcAnswer<unknown>> => {
        try {
          checkSender(event, isOwnWindow);
          if (more.length > 0) throw new AppError('bad_request', 'Exactly one argument is expected.');
          checkSize(input);
          return { ok: true, body: await work(input) };
        } catch (error) {
          return { ok: false, error: failureOf(error, channel, log) };
        }
      },
    );

  for (const route of ownerRoutes) {
    const schema = askSchema(route);
    handle(ownerChannel(route), (input) => {
      parse(schema, input);
      // The raw input: the host parses it again, into its inner types.
      return ask(route, input as Ask<typeof route>);
    });
  }
  for (const command of desktopCommands) {
    const { input: schema } = desktopExchanges[command];
    const work = commands[command] as (input: unknown) => unknown;
    handle(desktopChannel(command), (input) => work(parse(schema, input)));
  }
};

/** Accepts only our window's top frame with our page. The frame is null once it has navigated or is gone. */
const checkSender = (
  { sender, senderFrame }: IpcMainInvokeEvent,
  isOwnWindow: IpcDeps['isOwnWindow'],
): void => {
  const isOwn =
    isOwnWindow(sender.id) &&
    senderFrame !== null &&
    !senderFrame.detached &&
    senderFrame.parent === null &&
    senderFrame.origin === pageOrigin &&
    senderFrame.url.startsWith(`${pageOrigin}/`);
  if (!isOwn) throw new AppError('forbidden', 'Only the treasury’s own window may ask.');
};

/** Runs before any schema walks the input. Rejects what JSON cannot hold, such as a cycle or a bigint. */
const checkSize = (input: unknown): void => {
  let text: string | undefined;
  try {
    text = JSON.stringify(input);
  } catch {
    throw new AppError('bad_request', 'The input must be plain data.');
  }
  if ((text?.length ?? 0) > mostBytes) throw new AppError('too_large', 'The input must be at most 64 KiB.');
};

const idempotencyKey = z.string().regex(/^[\x20-\x7e]{1,255}$/);
const nameInPath = z.string().min(1).max(256);

/** Rejects unknown path parameters: over HTTP the route excludes them, here they would be ignored silently. */
const strict = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodObject
    ? z.strictObject(Object.fromEntries(Object.keys(schema.shape).map((name) => [name, nameInPath])))
    : schema;

/** A part that may be empty may also be missing. */
const orEmpty = (schema: z.ZodType): z.ZodType => (schema.safeParse({}).success ? schema.optional() : schema);

const askSchema = (route: OwnerRoute): z.ZodType => {
  const { params, query, body } = exchanges[route];
  return z.strictObject({
    params: orEmpty(strict(params)),
    query: orEmpty(query),
    body: orEmpty(body),
    key: idempotencyKey.optional(),
  });
};

type Failure = Extract<IpcAnswer<never>, { ok: false }>['error'];

const failureOf = (error: unknown, channel: string, log: IpcDeps['log']): Failure => {
  if (error instanceof AppError && error.code !== 'internal') {
    const { message, code, details } = error;
    return { message, code, ...(details === undefined ? {} : { details: { ...details } }) };
  }
  log.error({ err: error, channel }, 'an IPC call failed');
  return { message: 'Internal error', code: 'internal' };
};
