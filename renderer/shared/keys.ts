// Single keys of the dashboard, such as J and K. They do nothing while the owner types, while a dialog is open, or with a
// modifier; the owner can switch them off.
import { useLocalStorage, useWindowEvent } from '@mantine/hooks';

const fields = 'input, textarea, select, [contenteditable=true]';
const layers = '[role=dialog], [role=menu], [role=listbox]';

const isFree = ({ target, ctrlKey, metaKey, altKey, isComposing, repeat }: KeyboardEvent): boolean =>
  !ctrlKey &&
  !metaKey &&
  !altKey &&
  !isComposing &&
  !repeat &&
  !(target instanceof Element && target.closest(fields) !== null) &&
  document.querySelector(layers) === null;

export const useSingleKeys = () =>
  useLocalStorage({ key: 'single-keys', defaultValue: true, getInitialValueInEffect: false });

/** By the character that is typed, so that each keyboard's own layout counts. */
type Keys = Readonly<Record<string, () => void>>;

export const useKeys = (keys: Keys): void => {
  const [isOn] = useSingleKeys();
  useWindowEvent('keydown', (event) => {
    const run = keys[event.key.toLowerCase()];
    if (!isOn || run === undefined || !isFree(event)) return;
    event.preventDefault();
    run();
  });
};

/** Ctrl+K, or Command+K on a Mac. */
export const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

export const useModK = (run: () => void): void =>
  useWindowEvent('keydown', (event) => {
    const isMod = isMac ? event.metaKey : event.ctrlKey;
    if (!isMod || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return;
    event.preventDefault();
    if (!event.repeat) run();
  });
