// What the owner sees: the dashboard in Chromium, as pictures at four widths, in a folder.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { goTo, launch } from '../../harness/browser.ts';

const widths = [360, 768, 1_280, 1_600];

export interface Eyes {
  /** Signs in with a login address, which works once. */
  signIn(loginUrl: string): Promise<void>;
  /** Takes pictures of a screen: NAME-WIDTH.png. */
  look(name: string, path: string): Promise<void>;
  close(): Promise<void>;
}

export const openEyes = async (folder: string): Promise<Eyes> => {
  mkdirSync(folder, { recursive: true });
  const browser = await launch();
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  return {
    async signIn(loginUrl) {
      await page.goto(loginUrl);
      await page.getByRole('main').waitFor();
    },
    async look(name, path) {
      await goTo(page, path);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        // The page draws itself again at each width, and its figures come a moment after it.
        await page.waitForTimeout(700);
        await page.screenshot({ path: join(folder, `${name}-${width}.png`), fullPage: true });
      }
    },
    close: () => browser.close(),
  };
};
