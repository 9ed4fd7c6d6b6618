// A look: a screen, or a part of it that opens, as the tests of looks and of fitting visit it.
import type { Page } from 'playwright-core';

export interface Look {
  name: string;
  path: () => string;
  /** Opens a dialog, a tab or a form on it. */
  open?: (page: Page) => Promise<void>;
}

export const click = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name }).first().click();
export const tab = (name: string) => (page: Page) => page.getByRole('tab', { name }).click();

/** An entry of an agent's menu that opens a dialog. */
export const menu = (item: string) => async (page: Page) => {
  await page.getByRole('button', { name: /^More for/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
};

/** Chooses all agents of the list. */
const chooseAll = async (page: Page): Promise<void> => {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const start = page.getByRole('button', { name: 'Select', pressed: false });
  if ((await start.count()) > 0) await start.click();
  await page.getByRole('button', { name: 'Choose all shown' }).click();
};

/** The question before something is done with all agents. */
const together = async (page: Page, name: string): Promise<void> => {
  await chooseAll(page);
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('listitem').first().waitFor();
};

/** Looks that both tests visit, in a treasury that is lived in. */
export const manyAgents: readonly Look[] = [
  { name: 'choosing agents', path: () => '/agents', open: chooseAll },
  { name: 'pausing several', path: () => '/agents', open: (page) => together(page, 'Pause…') },
  { name: 'a limit of several', path: () => '/agents', open: (page) => together(page, 'Change a limit…') },
  { name: 'comparing agents', path: () => '/agents/compare/research-scout/code-reviewer' },
];
