// The table of limits, as an owner works with it.
import type { Locator, Page } from 'playwright-core';

/** Opens the row of a limit that is set. */
export const editLimit = (page: Page, label: string): Promise<void> =>
  page.getByRole('button', { name: `Edit: ${label}` }).click();

/** The field of a limit that is set; its row is opened. */
export const limitField = async (page: Page, label: string): Promise<Locator> => {
  await editLimit(page, label);
  return page.getByRole('textbox', { name: label });
};

/** Begins to set a limit that is not set, by what is offered. */
export const addLimit = async (page: Page, offer: string): Promise<void> => {
  await page.getByRole('button', { name: 'Add a limit' }).click();
  await page.getByRole('menuitem', { name: offer }).click();
};

export const removeLimit = (page: Page, label: string): Promise<void> =>
  page.getByRole('button', { name: `Remove: ${label}` }).click();

/** Waits until there is nothing to save. */
export const nothingToSave = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^Save (policy|limits)$/ }).waitFor({ state: 'detached' });
