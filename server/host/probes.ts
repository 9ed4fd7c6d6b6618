// Probes the RPCs at the start, from time to time, and when the owner asks what is wrong.
import type { Reply } from '../contract/schemas.ts';
import type { Log } from '../log.ts';
import { repeat, type Repeated } from '../lib/repeat.ts';
import { probeRpc, type RpcFault } from '../solana/rpc/probe.ts';
import type { Connected } from './connect.ts';

type RpcChecks = Reply<'diagnostics'>['rpcs'];

export interface Probes extends Repeated {
  /** What was found last, for the snapshot. */
  faults(): Reply<'dashboard'>['rpcFaults'];
  /** Probes every RPC now. */
  check(): Promise<RpcChecks>;
}

interface ProbesOptions {
  /** Null in place of the first: the chain is inside this program. */
  urls: { rpcUrl: string | null; wsUrl: string | null; secondRpcUrl: string | null };
  treasury: string;
  chain: Pick<Connected['chain'], 'mint' | 'rpcs'>;
  gate: Pick<Connected['gate'], 'isChecked'>;
  changed(): void;
  log: Log;
}

const lookMs = 30_000;
const againAfterMs = 6 * 3_600_000;

export const createProbes = ({ urls, treasury, chain, gate, changed, log }: ProbesOptions): Probes => {
  const found = new Map<string, RpcFault[]>();
  const probedAt = new Map<string, number>();
  const rpcs = [
    { role: 'first' as const, rpcUrl: urls.rpcUrl, wsUrl: urls.wsUrl },
    { role: 'second' as const, rpcUrl: urls.secondRpcUrl, wsUrl: null },
  ].flatMap(({ rpcUrl, ...rest }) =>
    rpcUrl === null ? [] : [{ rpcUrl, host: new URL(rpcUrl).host, ...rest }],
  );
  type OneRpc = (typeof rpcs)[number];

  const probe = async ({ role, rpcUrl, wsUrl, host }: OneRpc): Promise<RpcFault[] | { down: string }> => {
    const faults = await probeRpc({ rpcUrl, wsUrl, treasury, mint: chain.mint, log });
    if ('down' in faults) return faults;
    probedAt.set(role, performance.now());
    if (JSON.stringify(faults) !== JSON.stringify(found.get(role) ?? [])) {
      if (faults.length > 0) log.warn({ host, faults }, 'an RPC lacks what the treasury needs');
      found.set(role, faults);
      changed();
    }
    return faults;
  };
  const isDue = ({ role }: OneRpc): boolean =>
    performance.now() - (probedAt.get(role) ?? -Infinity) > againAfterMs &&
    chain.rpcs().every((one) => one.role !== role || one.downSince === null);
  const look = async (): Promise<void> => {
    if (gate.isChecked()) for (const one of rpcs.filter(isDue)) await probe(one);
  };
  return {
    faults: () =>
      rpcs.flatMap(({ role, host }) =>
        (found.get(role) ?? [])
          .filter(({ isNeeded }) => isNeeded)
          .map(({ answer, without }) => ({ host, answer, without })),
      ),
    check: () =>
      Promise.all(
        rpcs.map(async (one) => {
          const { role, host } = one;
          const faults = await probe(one);
          if (!('down' in faults)) return { host, role, down: null, faults };
          const { downSince = null } = chain.rpcs().find((state) => state.role === role) ?? {};
          const since = downSince === null ? null : new Date(downSince).toISOString();
          return { host, role, down: { since, why: faults.down }, faults: [] };
        }),
      ),
    ...repeat(look, lookMs, (error) => log.debug({ err: error }, 'the RPCs could not be probed now')),
  };
};
