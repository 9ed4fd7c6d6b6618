// The owner's routes for the page over IPC: the host's own, with additions that only the desktop can make.
import type { Ask, OwnerRoute } from '../../server/contract/owner-api.ts';
import type { Reply } from '../../server/contract/schemas.ts';
import { AppError } from '../../server/errors.ts';
import type { Host } from '../../server/host/options.ts';

interface OwnerCallDeps {
  running(): Host;
  /** Asks outside the page, where none of its scripts can answer. */
  confirmUnfreeze(): Promise<boolean>;
  expectFreeze(): void;
  protect(): void;
}

const showsKey: readonly OwnerRoute[] = ['deploy', 'addKey', 'rotateKey'];

export const createOwnerCalls =
  ({ running, confirmUnfreeze, expectFreeze, protect }: OwnerCallDeps) =>
  async <N extends OwnerRoute>(route: N, input: Ask<N>): Promise<Reply<N>> => {
    const { api } = running();
    if (route === 'freeze') expectFreeze();
    if (route === 'unfreeze' && !(await confirmUnfreeze())) {
      throw new AppError('forbidden', 'The freeze stays: it was not confirmed.');
    }
    if (showsKey.includes(route)) protect();
    return api.ask(route, input);
  };
