// The owner's actions from tray and shortcut, without a window. Nothing comes before a freeze.
import type { Dialog } from 'electron';
import type { Raise } from '../server/contract/limits/raise.ts';
import { changeOf } from '../server/contract/refusals/remedy-changes.ts';
import { AppError } from '../server/errors.ts';
import type { Desktop } from './desktop.ts';
import type { SnapshotReader } from './snapshot.ts';
import type { TrayActions } from './tray/tray-menu.ts';

interface OwnerActionDeps {
  desktop: Pick<Desktop, 'host'>;
  reader: Pick<SnapshotReader, 'touch'>;
  dialog: Pick<Dialog, 'showMessageBox'>;
  expectFreeze(): void;
  open(path?: string): void;
  copy(text: string): Promise<void>;
  setStartAtLogin(enabled: boolean): void;
  failed(error: unknown): void;
  quit(): void;
}

export interface OwnerActions extends TrayActions {
  confirmUnfreeze(): Promise<boolean>;
}

type Api = NonNullable<ReturnType<Desktop['host']>>['api'];

export const createOwnerActions = (deps: OwnerActionDeps): OwnerActions => {
  const { dialog, reader } = deps;

  const tellFailure = async (title: string, error: unknown): Promise<void> => {
    const detail = error instanceof AppError ? error.message : 'Internal error. The log says more.';
    if (!(error instanceof AppError)) deps.failed(error);
    await dialog.showMessageBox({ type: 'error', title: 'Agent Treasury', message: title, detail });
  };

  /** Calls `work` synchronously, so that its effect is there on return. */
  const act = (title: string, work: (api: Api) => Promise<unknown>): void => {
    const api = deps.desktop.host()?.api;
    if (api === undefined) return;
    work(api)
      // Deferred: after a freeze, refusing the waiting payments comes first.
      .then(() => reader.touch())
      .catch((error: unknown) => tellFailure(title, error))
      .catch(deps.failed);
  };

  const confirmUnfreeze = async (): Promise<boolean> => {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      title: 'Agent Treasury',
      message: 'Let agents pay again?',
      detail: 'Everything is frozen. Agents that are not paused pay again within their limits.',
      buttons: ['Cancel', 'Unfreeze'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    return response === 1;
  };

  const confirmRaise = async ({ before, after, times }: Raise): Promise<boolean> => {
    const { response } = await dialog.showMessageBox({
      type: 'warning',
      title: 'Agent Treasury',
      message: `Raise it to ${after} USDC?`,
      detail:
        times === null
          ? `It is ${before} USDC now.`
          : `That’s ${times} times today’s limit of ${before} USDC.`,
      buttons: ['Cancel', 'Raise it'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    });
    return response === 1;
  };

  return {
    confirmUnfreeze,
    freeze() {
      deps.expectFreeze();
      act('Not frozen', (api) => api.ask('freeze'));
    },
    unfreeze: () =>
      act('Still frozen', async (api) => {
        if (await confirmUnfreeze()) await api.ask('unfreeze');
      }),
    pause: (agentId) => act('Not paused', (api) => api.ask('kill', { params: { agentId } })),
    resume: (agentId) => act('Not resumed', (api) => api.ask('resume', { params: { agentId } })),
    remedy: (refused, remedy, isPaused) =>
      act('Nothing was changed', async (api) => {
        const change = await changeOf(api, refused, remedy, isPaused);
        if (change !== null && (change.raise === null || (await confirmRaise(change.raise))))
          await change.run();
      }),
    lock: () => act('Not locked', (api) => api.ask('lock')),
    open: deps.open,
    copyAddress: (address) => void deps.copy(address).catch(deps.failed),
    setStartAtLogin: deps.setStartAtLogin,
    quit: deps.quit,
  };
};
