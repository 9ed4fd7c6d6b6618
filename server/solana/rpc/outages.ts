// Notes since when a node has answered no call. The log gets one line when an outage begins, one a minute while it lasts,
// and one when it ends.
import type { RpcState } from '../../engine/ports.ts';
import type { Log } from '../../log.ts';

export interface Outages {
  answered(): void;
  /** @param begun when the call began, by the monotonic clock: one that fails after a later one was answered is no outage */
  failed(begun: number, why: string): void;
  state(): Pick<RpcState, 'downSince' | 'why'>;
}

const logAgainMs = 60_000;

export const watchOutages = (rpc: string, log: Log | null): Outages => {
  let answeredAt = -Infinity;
  let loggedAt = -Infinity;
  let outage: { downSince: number; why: string; isLogged: boolean } | null = null;
  return {
    answered() {
      answeredAt = performance.now();
      if (outage?.isLogged === true)
        log?.info(
          { rpc, seconds: Math.round((Date.now() - outage.downSince) / 1_000) },
          'an RPC answers again',
        );
      outage = null;
    },
    failed(begun, why) {
      if (begun < answeredAt) return;
      outage = { downSince: Date.now(), isLogged: false, ...outage, why };
      if (performance.now() - loggedAt < logAgainMs) return;
      loggedAt = performance.now();
      outage.isLogged = true;
      log?.warn({ rpc, why, since: new Date(outage.downSince).toISOString() }, 'an RPC does not answer');
    },
    state: () => ({ downSince: outage?.downSince ?? null, why: outage?.why ?? null }),
  };
};
