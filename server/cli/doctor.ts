// `treasury doctor`: checks the installation and says, for each fault, how to repair it.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { createClient } from '../client/client.ts';
import { readEndpoint, type Endpoint } from '../client/endpoint.ts';
import { AppError } from '../errors.ts';
import { Ending } from './ending.ts';
import { serverName } from './install/format.ts';
import { mcpHosts, variablesIn, type McpHost } from './install/hosts.ts';
import { readText } from './write-file.ts';
import { asOwner } from './session.ts';
import { table } from './table.ts';
import { show, type Terminal } from './terminal.ts';

interface Check {
  name: string;
  state: 'ok' | 'warning' | 'failed';
  found: string;
  next?: string;
}

const clockToleranceMs = 300_000;

export const addDoctor = (program: Command, terminal: () => Terminal): void => {
  program
    .command('doctor')
    .description('check that all is right, and say what to do where it is not')
    .action(() => doctor(terminal()));
};

const doctor = async (terminal: Terminal): Promise<void> => {
  const checks: Check[] = [
    { name: 'Command', state: 'ok', found: `${packageJson.version} on Node ${process.versions.node}` },
    folderCheck(terminal),
    ...(await hostChecks(terminal)),
    ...mcpHosts.flatMap((host) => entryCheck(terminal, host)),
  ];
  const isWell = checks.every(({ state }) => state !== 'failed');
  show(terminal, { ok: isWell, checks }, () =>
    table(
      terminal,
      ['', 'CHECK', 'FOUND', 'WHAT TO DO'],
      checks.map(({ name, state, found, next = '' }) => [state, name, found, next]),
    ),
  );
  if (!isWell) throw new Ending('failed', 'Some checks failed.');
};

/** A writable data folder, or an open runtime folder, defeats the file modes inside it. */
const folderCheck = ({ dataDir, io }: Terminal): Check => {
  const name = 'Data folder';
  const next = `chmod 700 ${dataDir}`;
  try {
    const { mode } = statSync(dataDir);
    if (io.platform === 'win32' || (mode & 0o077) === 0) return { name, state: 'ok', found: dataDir };
    // Otherwise a warning: the runtime folder and each secret have their own modes, so others see only names and sizes.
    const runtime = statSync(join(dataDir, 'runtime'), { throwIfNoEntry: false });
    const isOpen = (mode & 0o022) !== 0 || (runtime !== undefined && (runtime.mode & 0o077) !== 0);
    return { name, state: isOpen ? 'failed' : 'warning', found: `${dataDir} is open to others`, next };
  } catch {
    return { name, state: 'failed', found: `${dataDir} is not there`, next: 'Name it with --data.' };
  }
};

const hostChecks = async (terminal: Terminal): Promise<Check[]> => {
  try {
    const endpoint = readEndpoint(terminal.dataDir);
    await createClient(endpoint, null).ask('health');
    return [...reached(endpoint), ...(await ownerChecks(terminal))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ name: 'Treasury', state: 'failed', found: 'not running', next: error.message }];
  }
};

const reached = ({ url, pid, owner, network }: Endpoint): Check[] => [
  { name: 'Treasury', state: 'ok', found: `running, process ${pid}` },
  { name: 'Port', state: 'ok', found: new URL(url).port },
  { name: 'Network', state: 'ok', found: network },
  { name: 'Owner', state: 'ok', found: owner },
];

const ownerChecks = async (terminal: Terminal): Promise<Check[]> => {
  try {
    const owner = asOwner(terminal);
    const { about, chain, halted } = await owner.ask('diagnostics');
    const { clockDoubt, locked, frozen } = await owner.ask('dashboard');
    return [
      { name: 'Login', state: 'ok', found: 'this terminal is logged in' },
      versionCheck(about.version),
      clockCheck(clockDoubt, chain.blockTimeBehindMs),
      chain.reachable
        ? { name: 'Chain', state: 'ok', found: `reachable: ${about.rpcHost}` }
        : {
            name: 'Chain',
            state: 'failed',
            found: 'not reachable',
            next: 'Check the network and the RPC.',
          },
      stateCheck(halted, locked, frozen),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      { name: 'Login', state: 'warning', found: 'versions, clock and chain not seen', next: error.message },
    ];
  }
};

const versionCheck = (version: string): Check =>
  version === packageJson.version
    ? { name: 'Version', state: 'ok', found: version }
    : { name: 'Version', state: 'warning', found: version, next: 'Update, so that both are the same.' };

const clockCheck = (doubt: string | null, behindMs: number | null): Check => {
  const isOff = behindMs !== null && Math.abs(behindMs) > clockToleranceMs;
  if (doubt === null && !isOff) return { name: 'Clock', state: 'ok', found: 'agrees with the chain' };
  return {
    name: 'Clock',
    state: 'failed',
    found: doubt ?? `${Math.round((behindMs ?? 0) / 1_000)} s from the chain’s`,
    next: 'Set this machine’s clock.',
  };
};

const stateCheck = (halted: string | null, locked: boolean, frozen: boolean): Check => {
  const name = 'State';
  if (halted !== null) return { name, state: 'failed', found: halted, next: 'Restart the treasury.' };
  if (locked) return { name, state: 'warning', found: 'locked', next: 'treasury unlock' };
  if (frozen) return { name, state: 'warning', found: 'frozen', next: 'treasury unfreeze' };
  return { name, state: 'ok', found: 'running' };
};

/** A host without an entry gets no line. */
const entryCheck = ({ io }: Terminal, host: McpHost): Check[] => {
  const { name, file, format } = host;
  const path = file(io);
  try {
    const text = readText(path);
    if (format.find(text, serverName) === null) return [];
    const { TREASURY_AGENT_ID: agentId } = variablesIn(host, text, serverName);
    return [{ name: `MCP: ${name}`, state: 'ok', found: typeof agentId === 'string' ? agentId : path }];
  } catch (error) {
    if (!(error instanceof Ending)) throw error;
    return [{ name: `MCP: ${name}`, state: 'warning', found: 'not read', next: error.message }];
  }
};
