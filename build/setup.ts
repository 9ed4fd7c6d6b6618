// Programs that tests need and npm does not provide: finds them, and installs them where it may (root on Debian).
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

interface Tool<B extends string = string> {
  binary: B;
  /** Where it is, if it is no program of PATH. */
  at?: string;
  debianPackage: string;
  /** Completes the phrase "needed ...". */
  why: string;
  /** The platforms that have it; elsewhere its tests are skipped. */
  platforms: readonly NodeJS.Platform[];
}

/** A program of a Debian package that has its name, unless `more` says otherwise. */
const inDebian = <const B extends string>(binary: B, why: string, more: Partial<Tool> = {}): Tool<B> => ({
  debianPackage: binary,
  platforms: ['linux'],
  ...more,
  binary,
  why,
});

const onUnix = { platforms: ['linux', 'darwin'] } as const;
const pythonAt = (name: string) => ({ at: `/usr/lib/python3/dist-packages/${name}` });

const tools = [
  inDebian('dbus-run-session', 'to run a keychain apart from the real one', { debianPackage: 'dbus-daemon' }),
  inDebian('gnome-keyring-daemon', 'as the keychain of the tests', { debianPackage: 'gnome-keyring' }),
  inDebian('chromium', 'to open the dashboard'),
  inDebian('chromium-headless-shell', 'to open the dashboard at half the cost (chromium does it otherwise)'),
  inDebian('strace', 'to kill the program between two system calls'),
  inDebian('zsh', 'to complete the command in it', onUnix),
  inDebian('fish', 'to complete the command in it'),
  ...(['hledger', 'ledger'] as const).map((name) =>
    inDebian(name, 'to read the books that we write for it', onUnix),
  ),
  inDebian('bean-check', 'to read the books that we write for beancount', {
    ...onUnix,
    debianPackage: 'beancount',
  }),
  inDebian('ofxdump', 'to read the bank statements that we write as OFX', { debianPackage: 'ofx' }),
  inDebian(
    'python3-ofxparse',
    'to read the bank statements that we write as OFX by a second program',
    pythonAt('ofxparse'),
  ),
  inDebian('caddy', 'as the tunnel through which other machines reach the treasury'),
  ...(['build', 'setuptools', 'wheel', 'httpx'] as const).map((name) =>
    inDebian(`python3-${name}`, 'to build the client for Python and to run it', pythonAt(name)),
  ),
];

type ToolName = (typeof tools)[number]['binary'];

interface MissingTool {
  tool: ToolName;
  why: string;
  /** The command that installs it, or why it is not available here. */
  command: string;
}

const MISSING_VARIABLE = 'TREASURY_MISSING_TOOLS';
const APT = '/usr/bin/apt-get';
const APT_TIMEOUT_MS = 300_000;

/** Installs what it may and returns what is still missing. Never prompts, and never throws. */
export const ensureTestTools = async (): Promise<MissingTool[]> => {
  const absent = tools.filter((tool) => !isThere(tool));
  const packages = [...new Set(absent.filter(isOfThisPlatform).map((tool) => tool.debianPackage))];
  if (packages.length > 0 && canInstall()) install(packages);
  const missing = absent.filter((tool) => !isThere(tool));
  process.env[MISSING_VARIABLE] = missing.map(({ binary }) => binary).join(',');
  return missing.map((tool) => ({ tool: tool.binary, why: tool.why, command: commandFor(tool) }));
};

/** The missing ones among the named tools: as `ensureTestTools` found, or else by PATH. */
export const missingTools = (...names: ToolName[]): ToolName[] => {
  const found = process.env[MISSING_VARIABLE];
  if (found === undefined)
    return names.filter((name) => !tools.some((tool) => tool.binary === name && isThere(tool)));
  return names.filter((name) => found.split(',').includes(name));
};

const isOfThisPlatform = (tool: Tool): boolean => tool.platforms.includes(process.platform);

const isThere = ({ binary, at }: Pick<Tool, 'binary' | 'at'>): boolean =>
  at === undefined ? isInPath(binary) : existsSync(at);

const isInPath = (binary: string): boolean =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .some((folder) => isAllowed(join(folder, binary), constants.X_OK));

/** Whether this user may do with the path what the mode says. */
export const isAllowed = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const commandFor = (tool: Tool): string => {
  if (!isOfThisPlatform(tool))
    return `(there is none for ${process.platform}: the tests that need it are skipped)`;
  return `sudo apt-get install -y --no-install-recommends ${tool.debianPackage}`;
};

const canInstall = (): boolean => process.getuid?.() === 0 && existsSync(APT);

const install = (packages: string[]): void => {
  process.stderr.write(`Installing ${packages.join(', ')} for the tests ...\n`);
  // One by one: a package that this release lacks leaves the others to be installed.
  const installs = packages.map((name) => ['install', '-y', '--no-install-recommends', name]);
  for (const args of [['update'], ...installs]) {
    const { status, stderr, error } = spawnSync(APT, ['-q', ...args], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      timeout: APT_TIMEOUT_MS,
    });
    if (status !== 0) process.stderr.write(`apt-get ${args.join(' ')} failed: ${error?.message ?? stderr}\n`);
  }
};

/** One line for a person. */
export const describeMissing = ({ tool, why, command }: MissingTool): string =>
  `${tool} is missing, needed ${why}: ${command}`;

const isEntryPoint = import.meta.url === pathToFileURL(process.argv[1] ?? '').href;
if (isEntryPoint)
  for (const tool of await ensureTestTools()) process.stdout.write(`${describeMissing(tool)}\n`);
