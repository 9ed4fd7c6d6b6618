// The desktop's entry point: hardens Electron and takes the single-instance lock, then starts the application.
import { join } from 'node:path';
import * as electron from 'electron';
import { readConfig } from '../server/config.ts';
import { AppError } from '../server/errors.ts';
import { restoreBackup, restoredText } from '../server/host/host.ts';
import { createLog } from '../server/log.ts';
import { appScheme } from './app-scheme.ts';
import { startApplication } from './application.ts';
import { readArguments } from './arguments.ts';
import { hardenApp } from './hardening.ts';

const { app, protocol } = electron;

/** One line of JSON for the process that started this one. */
const announce = (state: 'ready' | 'already running'): void =>
  void process.stdout.write(`${JSON.stringify({ desktop: state })}\n`);

const refuse = (error: unknown): void => {
  process.stderr.write(`${error instanceof AppError ? error.message : String(error)}\n`);
  app.exit(1);
};

hardenApp(app);
protocol.registerSchemesAsPrivileged([appScheme]);
try {
  const args = readArguments(process.argv.slice(1));
  const config = readConfig(args.config, process.env);
  // One instance for each data folder; the page stores nothing outside it.
  app.setPath('userData', join(config.dataDir, 'desktop'));
  const start = () => startApplication({ electron, config, args, ready: () => announce('ready') });
  const restore = async (file: string): Promise<void> => {
    process.stdout.write(restoredText(await restoreBackup(config, file, createLog('warn'))));
    app.exit(0);
  };
  // Not awaited: Electron becomes ready only after this module has ended.
  if (config.restore !== null) restore(config.restore).catch(refuse);
  else if (app.requestSingleInstanceLock()) app.whenReady().then(start).catch(refuse);
  else {
    announce('already running');
    app.quit();
  }
} catch (error) {
  refuse(error);
}
