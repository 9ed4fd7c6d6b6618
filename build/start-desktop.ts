// Starts Electron with the built desktop, or says in one sentence why that is impossible here.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { desktopFolder, ensureBuilt } from './build.ts';

const electronFolder = fileURLToPath(new URL('../node_modules/electron', import.meta.url));
const fetchWithinMs = 120_000;
const answersWithinMs = 10_000;

/** Runs the desktop and exits with it; or resolves to the reason why it could not be started. */
export const startDesktop = async (args: readonly string[]): Promise<string> => {
  const refusal = refusalOfMachine() ?? refusalOfBinary();
  if (refusal !== null) return refusal;
  await ensureBuilt('dashboard', 'desktop');
  const binary = binaryPath();
  if (binary === null) return 'Electron is not installed.';
  const child = spawn(binary, [join(desktopFolder, 'main.js'), ...args], {
    stdio: ['inherit', 'pipe', 'inherit'],
  });
  const failure = await answer(child);
  if (failure !== null) {
    child.kill();
    return failure;
  }
  // A second start has notified the first, and has ended.
  if (child.exitCode !== null) process.exit(child.exitCode);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise(() => child.on('exit', (code) => process.exit(code ?? 1)));
};

const refusalOfMachine = (): string | null => {
  if (process.env['TREASURY_HEADLESS'] === '1') return 'TREASURY_HEADLESS is set: no desktop is started.';
  if (process.platform !== 'linux') return null;
  if (process.getuid?.() === 0) return 'The desktop does not run as root.';
  if (!process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY'])
    return 'There is no display for the desktop.';
  return null;
};

const refusalOfBinary = (): string | null => {
  if (binaryPath() !== null) return null;
  process.stderr.write('Fetching Electron, once ...\n');
  const { status } = spawnSync(process.execPath, [join(electronFolder, 'install.js')], {
    stdio: 'ignore',
    timeout: fetchWithinMs,
  });
  if (status === 0 && binaryPath() !== null) return null;
  return 'Electron’s binary could not be fetched, so there is no desktop.';
};

/** The path that Electron's installer recorded. */
export const binaryPath = (): string | null => {
  const pathFile = join(electronFolder, 'path.txt');
  if (!existsSync(pathFile)) return null;
  const binary = join(electronFolder, 'dist', readFileSync(pathFile, 'utf8'));
  return existsSync(binary) ? binary : null;
};

/** Resolves to null once the desktop reports that it is ready; otherwise to what happened instead. */
const answer = (child: ChildProcess): Promise<string | null> =>
  new Promise((resolve) => {
    const late = setTimeout(
      () => resolve(`Electron did not answer within ${answersWithinMs / 1_000} s.`),
      answersWithinMs,
    );
    const settle = (failure: string | null): void => {
      clearTimeout(late);
      resolve(failure);
    };
    child.on('error', ({ message }) => settle(`Electron could not be started: ${message}.`));
    child.on('exit', (code) => settle(code === 0 ? null : `Electron ended at once (${code ?? 'killed'}).`));
    if (child.stdout !== null)
      createInterface(child.stdout).on('line', (line) => {
        if (line === '{"desktop":"ready"}') settle(null);
      });
  });
