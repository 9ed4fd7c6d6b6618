// The paywall as a seller has it: packed and installed by npm, with the dependencies of its package.json alone.
import { packPaywall } from '../../build/paywall.ts';
import { installPacked, type Project } from '../harness/programs/packed-package.ts';

export const installPaywall = (): Promise<Project> => installPacked('agent-treasury-paywall', packPaywall);
