// `npm run dev`: the dashboard with hot reload in a browser, and a headless host that restarts when its code changes.
// With `--desktop`, where Electron is installed, the desktop instead, rebuilt and restarted at each change.
import { spawn, type ChildProcess } from 'node:child_process';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build, createServer, type InlineConfig, type Rolldown } from 'vite';
import { bundles, desktopFolder, ensureBuilt } from './build.ts';
import { binaryPath } from './start-desktop.ts';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const devInBrowser = async (args: readonly string[]): Promise<void> => {
  const host = spawn(
    process.execPath,
    [
      '--watch',
      '--watch-preserve-output',
      '--import',
      path('preload.mjs'),
      path('../server/main.ts'),
      ...args,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let page: Awaited<ReturnType<typeof createServer>> | undefined;
  createInterface(host.stdout).on('line', (line) => {
    if (!line.startsWith('{"ready"')) return print(line);
    const { url, loginUrl } = JSON.parse(line) as { url: string; loginUrl: string };
    void (async () => {
      page ??= await servePage(url);
      const [, login] = loginUrl.split('#');
      print(`  Dashboard with hot reload   ${page.resolvedUrls?.local[0] ?? ''}#${login ?? ''}`);
    })();
  });
  host.on('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => host.kill(signal));
};

/** Serves the page by Vite; its requests reach the host with the host's own origin. */
const servePage = async (target: string) => {
  const proxy = { target, changeOrigin: true, headers: { origin: target } };
  // The page proves the host by the host's own address.
  process.env['VITE_TREASURY_URL'] = target;
  const server = await createServer({
    configFile: path('vite.config.ts'),
    server: { proxy: { '/v1': proxy, '/sandbox': proxy } },
  });
  return server.listen();
};

const devDesktop = async (args: readonly string[], binary: string): Promise<void> => {
  let desktop: ChildProcess | undefined;
  const start = (): void => {
    desktop?.removeAllListeners('exit');
    desktop?.kill();
    desktop = spawn(binary, [`${desktopFolder}/main.js`, ...args], { stdio: 'inherit' });
    desktop.on('exit', (code) => process.exit(code ?? 1));
  };
  for (const config of bundles) await watch(config, start);
};

const watch = async (config: InlineConfig, onBuilt: () => void): Promise<void> => {
  const watcher = (await build({
    ...config,
    build: { ...config.build, watch: {} },
  })) as Rolldown.RolldownWatcher;
  watcher.on('event', (event) => {
    if (event.code === 'END') onBuilt();
    if (event.code === 'ERROR') print(event.error.message);
  });
};

const args = process.argv.slice(2).filter((arg) => arg !== '--desktop');
const binary = process.argv.includes('--desktop') ? binaryPath() : null;
if (process.argv.includes('--desktop') && binary === null)
  print('Electron is not installed (npm start fetches it): the dashboard is served to a browser instead.');
if (binary !== null) await devDesktop(args, binary);
else {
  // Without a built dashboard the host would print no login.
  await ensureBuilt('dashboard');
  await devInBrowser(args);
}
