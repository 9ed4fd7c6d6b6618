// Chooses the runtime of a sandbox.
import type litesvm from 'litesvm/dist/internal.js';

import { AppError } from '../../errors.ts';
import { createLiteSvmRuntime } from './litesvm.ts';
import type { Runtime } from './runtime.ts';

/** `litesvm` runs the real programs and has no binary for Windows; `script` is TypeScript, and runs everywhere. */
export type RuntimeName = 'litesvm' | 'script';

export const runtimeNames: readonly RuntimeName[] = ['litesvm', 'script'];

/** Which one, and why: it was named, it is the usual one, or LiteSVM is not installed. */
export interface RuntimeChoice {
  readonly name: RuntimeName;
  readonly why: 'asked' | 'usual' | 'litesvm_missing';
}

interface Loaded {
  readonly choice: RuntimeChoice;
  readonly runtime: Runtime;
}

type Load = () => Promise<{ default: typeof litesvm }>;

/**
 * Null chooses LiteSVM, and the other where that is not installed.
 * @throws AppError `not_available` where LiteSVM was named and is not installed
 */
export const loadRuntime = async (
  wanted: RuntimeName | null,
  load: Load = () => import('litesvm/dist/internal.js'),
): Promise<Loaded> => {
  if (wanted === 'script') return loadScript('asked');
  const svm = await load().catch((cause: unknown) => {
    if (wanted === null) return null;
    throw new AppError(
      'not_available',
      'The sandbox cannot run on litesvm here: it is not installed for this system. ' +
        'Leave --runtime out, or name the other runtime with --runtime script.',
      undefined,
      { cause },
    );
  });
  if (svm === null) return loadScript('litesvm_missing');
  const why = wanted === null ? 'usual' : 'asked';
  return { choice: { name: 'litesvm', why }, runtime: createLiteSvmRuntime(svm.default) };
};

const loadScript = async (why: RuntimeChoice['why']): Promise<Loaded> => {
  const { createScriptRuntime } = await import('./script/script-runtime.ts');
  return { choice: { name: 'script', why }, runtime: createScriptRuntime() };
};

/**
 * The runtime that SANDBOX_RUNTIME names for this process and those that it starts, or null.
 * @throws AppError `bad_request` of another name
 */
export const runtimeOfEnvironment = (env: NodeJS.ProcessEnv): RuntimeName | null => {
  const wanted = env['SANDBOX_RUNTIME'];
  if (wanted === undefined || wanted === '') return null;
  const name = runtimeNames.find((one) => one === wanted);
  if (name) return name;
  throw new AppError('bad_request', `SANDBOX_RUNTIME must be one of ${runtimeNames.join(', ')}.`);
};
