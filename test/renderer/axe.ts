// What keeps somebody out of a page, as axe-core finds it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Everything serious or critical. */
export const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe);
  const results = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: true } } })`,
  )) as AxeResults;
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
};

export const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

export const styles = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 420, colorScheme: 'light' },
  { width: 420, colorScheme: 'dark' },
] as const;
