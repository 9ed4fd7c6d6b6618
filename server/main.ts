// `npm run headless`: the host without a desktop. One line of JSON on standard output when it is ready.
import '../build/node-version.mjs';
import { readConfig, usage, type Config } from './config.ts';
import { AppError } from './errors.ts';
import { createHost, type Host } from './host.ts';
import { createLog } from './log.ts';
import { askPassphrase } from './passphrase.ts';

const fail = (message: string): never => {
  process.stderr.write(`${message}\n`);
  process.exit(1);
};

const start = async (config: Config): Promise<void> => {
  const log = createLog(config.logLevel);
  let host: Host | undefined;
  let stopping = false;
  const stop = async (): Promise<void> => {
    if (stopping) return;
    stopping = true;
    await host?.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());

  host = await createHost({ config, log, passphrase: () => askPassphrase(config, process.env) });
  const { url, owner, network, rpcUrl, cookieFile } = host;
  process.stdout.write(
    `${JSON.stringify({ ready: true, pid: process.pid, url, owner, network, rpcUrl, cookieFile })}\n`,
  );
};

try {
  const config = readConfig(process.argv.slice(2), process.env);
  if (config.help) process.stdout.write(`${usage}\n`);
  else await start(config);
} catch (error) {
  if (error instanceof AppError) fail(error.message);
  throw error;
}
