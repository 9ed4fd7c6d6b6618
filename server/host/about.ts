// The host's status for its owner, and the diagnostics report that the owner can share. Neither contains a secret:
// RPC URLs often carry one, so they are cut to their host; the log is redacted when it is written.
import { homedir } from 'node:os';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../config.ts';
import type { Reply } from '../contract/schemas.ts';
import { done, type EngineContext } from '../engine/calls/call.ts';
import { restoredFrom } from '../engine/records/restore.ts';
import { frozenBy } from '../engine/payment/context.ts';
import type { Operation } from '../engine/ports.ts';
import { iso } from '../engine/calls/views.ts';
import type { RootLog } from '../log.ts';
import { exportOf } from './bridge.ts';
import type { Connected } from './connect.ts';
import type { Probes } from './probes.ts';
import type { Vault } from '../vault/vault.ts';

interface AboutDeps {
  config: Config;
  terminal: readonly string[];
  publicUrl: () => string | null;
  context: EngineContext;
  vault: Vault;
  connected: Pick<Connected, 'rpcUrl' | 'runtime'>;
  probes: Pick<Probes, 'check'>;
  log: RootLog;
}

export const aboutOperations = (
  deps: AboutDeps,
): { about: Operation<'about'>; diagnostics: Operation<'diagnostics'> } => {
  const { config, terminal, publicUrl, context, vault, probes, log } = deps;
  const { rpcUrl, runtime } = deps.connected;
  const startedAt = Date.now();
  const about = async (): Promise<Reply<'about'>> => {
    const bridge = context.settings.bridge();
    const restored = restoredFrom(context.store);
    return {
      version: packageJson.version,
      network: config.network,
      rpcHost: config.rpcUrl === null ? 'inside this program' : new URL(rpcUrl).host,
      secondRpcHost: config.secondRpcUrl === null ? null : new URL(config.secondRpcUrl).host,
      dataFolder: config.dataDir,
      protection: await vault.protection(),
      startedAt: iso(startedAt),
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
      bridge: { command: bridge.command, args: [...bridge.args], env: { ...bridge.env } },
      terminal: [...terminal],
      exportPhrase: exportOf(config),
      restored: restored === null ? null : { at: iso(restored.at), searchedWallets: restored.searched },
    };
  };

  const chain = async (): Promise<Reply<'diagnostics'>['chain']> => {
    try {
      const time = await context.chain.chainTime();
      return { reachable: true, blockTimeBehindMs: time === null ? null : Date.now() - time };
    } catch {
      return { reachable: false, blockTimeBehindMs: null };
    }
  };

  return {
    about: async () => done(await about()),
    async diagnostics() {
      const { store, halted } = context;
      const freeze = frozenBy(context);
      const { bridge: _, terminal: __, exportPhrase: ___, ...known } = await about();
      return done({
        about: { ...known, dataFolder: withoutHome(known.dataFolder) },
        collectedAt: iso(Date.now()),
        publicUrl: publicUrl(),
        memoryMb: Math.round(process.memoryUsage.rss() / 1_048_576),
        counts: {
          agents: store.agents.list().length,
          pendingApprovals: store.approvals.pending().length,
          ...store.transfers.countByState(),
        },
        open: store.transfers.open().map(({ id, kind, state, createdAt, evidence }) => ({
          id,
          kind,
          state,
          since: iso(createdAt),
          evidence,
        })),
        freeze: freeze === null ? null : { since: iso(freeze.since), reason: freeze.reason },
        halted: halted.reason,
        runtime,
        root: await rootOf(vault),
        rpcs: await probes.check(),
        chain: await chain(),
        log: log.recent().map(withoutSecrets),
      });
    },
  };
};

/** A keychain may ask its owner first, and wait for the answer. */
const answersWithinMs = 5_000;

const rootOf = async (vault: Vault): Promise<Reply<'diagnostics'>['root']> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'out_of_reach'>((resolve) => {
    timer = setTimeout(() => resolve('out_of_reach'), answersWithinMs);
  });
  return Promise.race([vault.rootState(), silence]).finally(() => clearTimeout(timer));
};

const withoutHome = (text: string): string => text.replaceAll(homedir(), '~');

/** Paths and queries are cut: an RPC URL may carry its API key there. */
const withoutSecrets = (line: string): string =>
  withoutHome(line).replaceAll(/((?:https?|wss?):\/\/)(?:[^\s"'/@]*@)?([^\s"'/?#\\]+)[^\s"'\\]*/g, '$1$2/…');
