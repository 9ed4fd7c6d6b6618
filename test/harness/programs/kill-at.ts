// SIGKILL of the host at one of its calls of the chain.
import type { Fault } from '../chain/rpc-proxy.ts';
import { until, type Process } from '../treasury.ts';

interface KillPoint {
  isIt: (method: string, params: unknown[]) => boolean;
  /** Whether the chain gets the call before the host dies. */
  forwardFirst: boolean;
  /** The host lives until then. */
  isOnDisk?: () => Promise<boolean>;
}

/** `fault` is for the proxy; `ended` resolves once the host is dead. */
export const killAt = (
  host: Process,
  { isIt, forwardFirst, isOnDisk }: KillPoint,
): { fault: Fault; ended: Promise<void> } => {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let killed = false;
  const fault: Fault = async ({ method, params }, forward) => {
    // Held, not cut: other failing requests must not make the host give up before it is killed.
    if (killed) return new Promise(() => {});
    if (!isIt(method, params)) return forward();
    killed = true;
    if (forwardFirst) await forward();
    if (isOnDisk !== undefined) await until('the row', isOnDisk);
    await host.kill('SIGKILL');
    resolve();
    return null;
  };
  return { fault, ended };
};
