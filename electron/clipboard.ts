// The clipboard, in the main process only. A secret is removed after 30 s, if it is still there.
import type { Clipboard } from 'electron';

const clearMs = 30_000;

export interface Copier {
  copy(text: string, secret: boolean): Promise<void>;
  /** Removes a secret at once; called before the application ends. */
  clear(): Promise<void>;
}

export const createCopier = (
  clipboard: Pick<Clipboard, 'readText' | 'writeText' | 'clear'>,
  failed: (error: unknown) => void,
): Copier => {
  let secretText: string | null = null;
  let timer: NodeJS.Timeout | undefined;
  const clear = async (): Promise<void> => {
    clearTimeout(timer);
    const text = secretText;
    secretText = null;
    if (text !== null && (await clipboard.readText()) === text) clipboard.clear();
  };
  return {
    async copy(text, secret) {
      clearTimeout(timer);
      await clipboard.writeText(text);
      secretText = secret ? text : null;
      if (secret) timer = setTimeout(() => void clear().catch(failed), clearMs);
    },
    clear,
  };
};
