// `treasury doctor`: checks the installation and says, for each fault, how to repair it.
import packageJson from '../../package.json' with { type: 'json' };
import { createClient } from '../client/client.ts';
import { readEndpoint, type Endpoint } from '../client/endpoint.ts';
import { AppError } from '../errors.ts';
import { defaultPort } from '../config.ts';
import type { ConditionCode } from '../contract/conditions/conditions.ts';
import { withTimes } from '../contract/conditions/facts.ts';
import type { Reply } from '../contract/schemas.ts';
import { portNumber } from './arguments.ts';
import { command } from './command-row.ts';
import { backupCheck } from './doctor/backups.ts';
import type { Check } from './doctor/check.ts';
import { diskChecks, folderCheck } from './doctor/folder.ts';
import { keysByFiles, keysOfRunning, treasuriesIn } from './doctor/keys.ts';
import { chainChecks } from './doctor/network.ts';
import { portCheck } from './doctor/port.ts';
import { tunnelChecks } from './doctor/tunnel.ts';
import { Ending } from './ending.ts';
import { serverName } from './install/format.ts';
import { mcpHosts, variablesIn, type McpHost } from './install/hosts.ts';
import { readText } from './payments/write-file.ts';
import { asOwner } from './session.ts';
import { listing, moment } from './table.ts';
import { show, type Terminal } from './terminal.ts';

const clockToleranceMs = 300_000;

export const addDoctor = command('doctor', {
  about: 'check that all is right, and say what to do where it is not',
  examples: ['treasury doctor'],
  options: { port: ['n', 'the port to check when no treasury is running', portNumber, defaultPort] },
  run: (terminal, { port }) => doctor(terminal, port),
});

const doctor = async (terminal: Terminal, port: number): Promise<void> => {
  const checks: Check[] = [
    { name: 'Command', state: 'ok', found: `${packageJson.version} on Node ${process.versions.node}` },
    folderCheck(terminal),
    ...diskChecks(terminal),
    ...(await hostChecks(terminal, port)),
    ...treasuriesIn(terminal.dataDir).map((made) =>
      backupCheck({ dataDir: terminal.dataDir, network: made.network }, made.createdAt),
    ),
    ...mcpHosts.flatMap((host) => entryCheck(terminal, host)),
  ];
  const isWell = checks.every(({ state }) => state !== 'failed');
  show(terminal, { ok: isWell, checks }, () =>
    listing(terminal, checks, null, { '': 'state', CHECK: 'name', FOUND: 'found', 'WHAT TO DO': 'next' }),
  );
  if (!isWell) throw new Ending('failed', 'Some checks failed.');
};

const hostChecks = async (terminal: Terminal, port: number): Promise<Check[]> => {
  try {
    const endpoint = readEndpoint(terminal.dataDir);
    await createClient(endpoint, null).ask('health');
    return [...reached(endpoint), ...(await ownerChecks(terminal))];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      { name: 'Treasury', state: 'failed', found: 'not running', next: error.message },
      await portCheck(terminal, port),
      ...keysWithoutWord(terminal),
    ];
  }
};

const keysWithoutWord = (terminal: Terminal): Check[] =>
  treasuriesIn(terminal.dataDir).map((made) => keysByFiles(terminal, made));

const reached = ({ url, pid, owner, network }: Endpoint): Check[] => [
  { name: 'Treasury', state: 'ok', found: `running, process ${pid}` },
  { name: 'Port', state: 'ok', found: new URL(url).port },
  { name: 'Network', state: 'ok', found: network },
  { name: 'Owner', state: 'ok', found: owner },
];

const ownerChecks = async (terminal: Terminal): Promise<Check[]> => {
  try {
    const owner = asOwner(terminal);
    const report = await owner.ask('diagnostics');
    const { about, chain, runtime } = report;
    const snapshot = await owner.ask('dashboard');
    return [
      { name: 'Login', state: 'ok', found: 'this terminal is logged in' },
      versionCheck(about.version),
      clockCheck(snapshot.clockDoubt, chain.blockTimeBehindMs),
      ...chainChecks(report, snapshot.outage),
      ...runtimeChecks(runtime),
      ...(await tunnelChecks(owner, report.publicUrl)),
      keysOfRunning(report, terminal.io.platform),
      ...stateChecks(snapshot.conditions),
    ];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      {
        name: 'Login',
        state: 'warning',
        found: 'versions, clock, chain and runtime not seen',
        next: error.message,
      },
      ...keysWithoutWord(terminal),
    ];
  }
};

/** Of the sandbox alone. */
const runtimeChecks = (runtime: Reply<'diagnostics'>['runtime']): Check[] => {
  if (runtime === null) return [];
  const why = {
    asked: 'asked for with --runtime or SANDBOX_RUNTIME',
    usual: 'the usual one',
    litesvm_missing: 'litesvm is not installed for this system',
  };
  return [{ name: 'Runtime', state: 'ok', found: `${runtime.name}: ${why[runtime.why]}` }];
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

/** Other checks measure these by themselves. */
const measured: ReadonlySet<string> = new Set([
  'network_down',
  'rpc_down',
  'rpc_faults',
  'clock',
  'disk_full',
  'backup_old',
] satisfies ConditionCode[]);

/** The register's conditions, but for reminders. A freeze is the owner's own doing, and no fault. */
const stateChecks = (conditions: Reply<'dashboard'>['conditions']): Check[] => {
  const found = conditions.filter(({ severity, code }) => severity !== 'todo' && !measured.has(code));
  if (found.length === 0) return [{ name: 'State', state: 'ok', found: 'running' }];
  return found.map(({ code, severity, title, text, action }) => ({
    name: 'State',
    state: severity === 'critical' && code !== 'frozen' ? 'failed' : 'warning',
    found: title,
    next: severity === 'critical' && code !== 'frozen' ? withTimes(text, moment) : (action?.command ?? text),
  }));
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
