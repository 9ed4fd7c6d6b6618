// The runtime that sandboxes of tests run on, and the real one to compare with.
import { createLiteSvmRuntime } from '../../../server/sandbox/chain/litesvm.ts';
import type { Runtime } from '../../../server/sandbox/chain/runtime.ts';

const litesvm = await import('litesvm/dist/internal.js').then(
  (found) => found.default,
  () => null,
);

export const hasLiteSvm = litesvm !== null;

/** @throws Error where LiteSVM is not installed for this system */
export const realRuntime = (): Runtime => {
  if (litesvm === null) throw new Error('litesvm is not installed for this system');
  return createLiteSvmRuntime(litesvm);
};

/** The title, with the reason where this system has no LiteSVM. */
export const withLiteSvm = (title: string): string =>
  hasLiteSvm ? title : `${title} (skipped: litesvm is not installed for this system)`;

/** Sandboxes run on the runtime in TypeScript: by the environment, or for want of the other. */
export const onScript = process.env['SANDBOX_RUNTIME'] === 'script' || !hasLiteSvm;

/** For the title of a test that needs the program of lookup tables. */
export const noLookupTables = onScript
  ? ' (skipped: the runtime in TypeScript has no program that opens one)'
  : '';
