// The stage of the bench's parts: processes and folders that are removed when it ends, even on Ctrl-C.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Work } from './measure.ts';
import {
  deploy,
  instantly,
  removeFolder,
  spawnSandbox,
  spawnTreasury,
  temporaryFolder,
  type Process,
  type SandboxProcess,
  type TestAgent,
} from '../../harness/treasury.ts';

export interface Stage {
  folder(): string;
  sandbox(args?: readonly string[]): Promise<SandboxProcess>;
  /** The host as a process of its own. */
  treasury(dataDir: string, args: readonly string[]): Promise<Process>;
  /** A script of this folder as a process of its own. Resolves to the first line that it prints. */
  program(script: string, args: readonly string[]): Promise<string>;
  /** Registers it before it exists, so that no started process is forgotten. */
  keep<T>(opening: Promise<T>, close: (opened: T) => unknown): Promise<T>;
  /** Closes everything in reverse; with `forGood`, later calls of the stage throw. */
  end(forGood?: boolean): Promise<void>;
  say(text: string): void;
}

export const createStage = (): Stage => {
  let closers: (() => unknown)[] = [];
  let over = false;
  const stage: Stage = {
    folder() {
      if (over) throw new Error('interrupted');
      const path = temporaryFolder();
      closers.push(() => removeFolder(path));
      return path;
    },
    sandbox: (args = instantly) =>
      stage.keep(spawnSandbox(stage.folder(), [...args, '--log-level', 'silent']), (it) =>
        it.kill('SIGTERM'),
      ),
    treasury(dataDir, args) {
      if (over) throw new Error('interrupted');
      return stage.keep(spawnTreasury(dataDir, [...args, '--log-level', 'warn']), async (it) => {
        it.client.close();
        await it.kill('SIGTERM');
      });
    },
    async program(script, args) {
      if (over) throw new Error('interrupted');
      const path = fileURLToPath(new URL(script, import.meta.url));
      const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ready = once(createInterface(child.stdout), 'line');
      await stage.keep(Promise.resolve(child), (it) => it.kill('SIGTERM'));
      const [line] = (await Promise.race([ready, once(child, 'exit')])) as [unknown];
      if (typeof line !== 'string') throw new Error(`${script} did not start`);
      return line;
    },
    keep(opening, close) {
      closers.push(() => opening.then(close, () => {}));
      return opening;
    },
    async end(forGood = false) {
      over ||= forGood;
      const closing = closers.toReversed();
      closers = [];
      for (const close of closing) await close();
    },
    say: (text) => void process.stderr.write(`${text}\n`),
  };
  return stage;
};

export interface FundedTreasury {
  treasury: Process;
  agents: TestAgent[];
}

/** A treasury on this chain with agents whose limits are never reached. */
export const fundedTreasury = async (stage: Stage, rpcUrl: string, count = 1): Promise<FundedTreasury> => {
  const treasury = await stage.treasury(stage.folder(), ['--rpc', rpcUrl]);
  return { treasury, agents: await fundedAgents(treasury, count) };
};

export const fundedAgents = async ({ client }: Process, count: number): Promise<TestAgent[]> => {
  const funded = await client.post('/v1/sandbox/faucet', { amount: '100000' });
  if (funded.status !== 200) throw new Error(funded.text);
  const agents: TestAgent[] = [];
  for (let number = 1; number <= count; number += 1) {
    const limits = { dailyBudget: '100000', maxPerPayment: '1', allocate: '1000' };
    agents.push(await deploy(client, `agent-${number}`, limits));
  }
  return agents;
};

/** One payment as a careful client makes it, with a key of its own. */
export const pay =
  (agent: TestAgent): Work =>
  async () => {
    const { status, text } = await agent.pay('0.01', { key: randomUUID() });
    if (status !== 200) throw new Error(`a payment was answered ${status}: ${text}`);
  };
