// The owner's API over IPC, and the desktop's own commands. Undefined in a browser.
import type { DesktopBridge, DesktopInput, DesktopReply, IpcAnswer } from '../../electron/ipc/ipc.ts';
import type { Ask, OwnerApi, OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';

declare global {
  interface Window {
    treasury?: DesktopBridge;
  }
}

export const bridge: DesktopBridge | undefined = window.treasury;

const bodyOf = <T>(answer: IpcAnswer<T>): T => {
  if (answer.ok) return answer.body;
  const { code, message, details } = answer.error;
  throw new AppError(code, message, details);
};

/** Sends a command of the desktop. @throws AppError `not_available` in a browser */
export const askDesktop = async <C extends keyof DesktopBridge['desktop']>(
  command: C,
  input: DesktopInput<C>,
): Promise<DesktopReply<C>> => {
  if (bridge === undefined) throw new AppError('not_available', 'This needs the desktop application.');
  return bodyOf(await bridge.desktop[command](input));
};

export const createIpcApi = (to: DesktopBridge): OwnerApi => ({
  async ask<N extends OwnerRoute>(route: N, input: Ask<N> = {} as Ask<N>): Promise<Reply<N>> {
    return bodyOf(await to.owner[route](input));
  },
  listen({ event, connected }) {
    connected(true);
    return to.onEvent(event);
  },
});
