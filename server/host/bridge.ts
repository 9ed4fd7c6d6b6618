// How an MCP host starts the bridge of an agent.
import { fileURLToPath } from 'node:url';
import { defaultDataDir } from '../config.ts';
import type { HostOptions } from './host.ts';

const bridgeOfCheckout = () => ({
  command: process.execPath,
  // With its compile cache a start takes half the time.
  args: [
    '--import',
    new URL('../../build/preload.mjs', import.meta.url).href,
    fileURLToPath(new URL('mcp/main.ts', import.meta.url)),
  ],
});

/** What an MCP host starts, the same for every agent. */
export const bridgeOf = (
  { config, bridge = bridgeOfCheckout() }: Pick<HostOptions, 'config' | 'bridge'>,
  url: string,
) => ({
  ...bridge,
  // In its usual place the bridge finds the port by itself.
  env: config.dataDir === defaultDataDir ? {} : { TREASURY_URL: url, TREASURY_DATA: config.dataDir },
});
