// The system-wide shortcut that freezes everything. Some desktop environments refuse it; then the page says so.
import type { GlobalShortcut } from 'electron';
import type { DesktopState } from '../ipc/ipc.ts';

type ShortcutState = DesktopState['shortcut'];

export interface Shortcut {
  state(): ShortcutState;
  /** An empty string removes it. */
  set(accelerator: string): void;
  release(): void;
}

const refused =
  'The system refused it: another program has this combination, or the desktop (as most under Wayland) allows none.';

export const createShortcut = (
  shortcuts: Pick<GlobalShortcut, 'register' | 'unregisterAll' | 'isRegistered'>,
  pressed: () => void,
): Shortcut => {
  let state: ShortcutState = { accelerator: '', registered: false, reason: null };
  const register = (accelerator: string): string | null => {
    try {
      return shortcuts.register(accelerator, pressed) && shortcuts.isRegistered(accelerator) ? null : refused;
    } catch {
      return 'This is no key combination.';
    }
  };
  return {
    state: () => state,
    set(accelerator) {
      shortcuts.unregisterAll();
      const reason = accelerator === '' ? null : register(accelerator);
      state = { accelerator, registered: accelerator !== '' && reason === null, reason };
    },
    release: () => shortcuts.unregisterAll(),
  };
};
