// Flaws of a page that keep a person out, found by axe-core.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { isLarge } from '../harness/tries.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Serious and critical violations of the rules of colours, or of all rules. */
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

/** Resolves once everything has faded in: contrast is too low before. */
const still = `Promise.all(
  document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished.catch(() => {})),
)`;

const schemes = [
  ['light', 'all'],
  ['dark', 'colours'],
] as const;

/** The widths at which screens are looked at. */
export const widths = [1280, 380] as const;

/**
 * The flaws of a page in its present state, light and dark. A scheme changes nothing but colours, and a width changes
 * none: all rules are checked once at each width, and those of colours again, at the second width in full runs alone. The
 * page stays light.
 */
export const flawsOf = async (page: Page, name: string): Promise<string[]> => {
  // Answers of the treasury that are still under way come first.
  await page.waitForTimeout(250);
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const wrong: string[] = [];
  const isSecond = page.viewportSize()?.width === widths[1];
  for (const [colorScheme, rules] of isSecond && !isLarge ? schemes.slice(0, 1) : schemes) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await page.evaluate(still);
    wrong.push(...(await violations(page, rules)).map((one) => `${name}, ${colorScheme}: ${one}`));
    if (await page.evaluate(isTooWide)) wrong.push(`${name}, ${colorScheme}: is wider than the page`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  return wrong;
};
