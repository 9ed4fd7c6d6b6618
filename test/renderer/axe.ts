// What keeps somebody out of a page, as axe-core finds it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Everything serious or critical; of colours alone, or of all. */
const violations = async (page: Page, rules: 'all' | 'colours'): Promise<string[]> => {
  const only =
    rules === 'all' ? '' : `runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },`;
  const results = (await page.evaluate(
    `axe.run(document, { ${only} resultTypes: ['violations'], rules: { 'color-contrast': { enabled: true } } })`,
  )) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
};

const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

/** Ends when everything has faded in: what only fades in has no contrast yet. */
const still = `Promise.all(
  document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished.catch(() => {})),
)`;

/**
 * What is wrong with a page as it is now, light and dark. A scheme changes colours and nothing else: all rules are asked
 * once, and those of colours again. The page stays light.
 */
export const flawsOf = async (page: Page, name: string): Promise<string[]> => {
  // What is still to come from the treasury has to come first.
  await page.waitForTimeout(250);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const wrong: string[] = [];
  for (const [colorScheme, rules] of [
    ['light', 'all'],
    ['dark', 'colours'],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.evaluate(still);
    wrong.push(...(await violations(page, rules)).map((one) => `${name}, ${colorScheme}: ${one}`));
    if (await page.evaluate(isTooWide)) wrong.push(`${name}, ${colorScheme}: is wider than the page`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return wrong;
};

export const widths = [1280, 420] as const;
