// The command with which an MCP host starts an agent's bridge, and the one with which the owner starts `treasury`.
import { fileURLToPath } from 'node:url';
import { dataOption, defaultDataDir } from '../config.ts';
import type { HostOptions } from './options.ts';

const bridgeOfCheckout = () => ({
  command: process.execPath,
  // The preload's compile cache halves the start-up time.
  args: [
    '--import',
    new URL('../../build/preload.mjs', import.meta.url).href,
    fileURLToPath(new URL('../mcp/main.ts', import.meta.url)),
  ],
});

/** npm puts this checkout's own Node in front. */
const scriptOfCheckout = (name: string): string[] => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return ['npm', '--prefix', root, 'run', '-s', name, '--'];
};

/** The words that start the command, from any folder. */
export const terminalOf = ({
  config,
  terminal = scriptOfCheckout('treasury'),
}: Pick<HostOptions, 'config' | 'terminal'>): string[] => [...terminal, ...dataOption(config.dataDir)];

/** The words that print the recovery phrase, from any folder. */
export const exportOf = ({ dataDir, network }: HostOptions['config']): string[] => [
  ...scriptOfCheckout('headless'),
  '--network',
  network,
  ...dataOption(dataDir),
  '--export-phrase',
];

/**
 * The same for every agent; an agent's own variables are added to it. With a public address the bridge works on any machine:
 * where this treasury runs beside it, it finds the local one by itself.
 */
export const bridgeOf = (
  { config, bridge = bridgeOfCheckout() }: Pick<HostOptions, 'config' | 'bridge'>,
  url: string,
  publicUrl: string | null,
) => ({
  ...bridge,
  // In the default folder the bridge finds the port by itself.
  env: {
    ...(config.dataDir === defaultDataDir ? {} : { TREASURY_URL: url, TREASURY_DATA: config.dataDir }),
    ...(publicUrl === null ? {} : { TREASURY_URL: publicUrl }),
  },
});
