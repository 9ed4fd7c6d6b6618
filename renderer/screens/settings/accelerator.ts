// Converts a pressed key combination to an Electron accelerator.
interface Pressed {
  key: string;
  code: string;
  ctrlKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  metaKey: boolean;
}

const named: Record<string, string> = {
  ArrowUp: 'Up',
  ArrowDown: 'Down',
  ArrowLeft: 'Left',
  ArrowRight: 'Right',
  Space: 'Space',
  Enter: 'Return',
  Backspace: 'Backspace',
  Delete: 'Delete',
  Insert: 'Insert',
  Home: 'Home',
  End: 'End',
  PageUp: 'PageUp',
  PageDown: 'PageDown',
};

/** Null without Ctrl, Alt or Command: a bare key would be taken from every other program. */
export const acceleratorOf = ({ code, ctrlKey, altKey, shiftKey, metaKey }: Pressed): string | null => {
  const key = keyOf(code);
  if (key === null || !(ctrlKey || altKey || metaKey)) return null;
  const modifiers = [ctrlKey && 'Control', metaKey && 'Super', altKey && 'Alt', shiftKey && 'Shift'];
  return [...modifiers.filter((name) => name !== false), key].join('+');
};

/** By the key's physical position, so that neither Shift nor the keyboard layout changes it. */
const keyOf = (code: string): string | null => {
  const [, letter, digit] = /^(?:Key([A-Z])|Digit(\d))$/.exec(code) ?? [];
  if (letter !== undefined) return letter;
  if (digit !== undefined) return digit;
  return /^F([1-9]|1\d|2[0-4])$/.test(code) ? code : (named[code] ?? null);
};

/** For display: `Ctrl + Alt + Shift + X`. */
export const inWords = (accelerator: string, platform: string): string => {
  const isMac = platform.startsWith('darwin');
  const words: Record<string, string> = {
    CommandOrControl: isMac ? 'Command' : 'Ctrl',
    CmdOrCtrl: isMac ? 'Command' : 'Ctrl',
    Control: 'Ctrl',
    Super: isMac ? 'Command' : 'Super',
    Alt: isMac ? 'Option' : 'Alt',
  };
  return accelerator
    .split('+')
    .map((part) => words[part] ?? part)
    .join(' + ');
};
