#!/usr/bin/env node
// Entry point for MCP hosts: the bridge between an agent and this machine's treasury, or the proxy before another server.
import process from 'node:process';
import { runBridge } from './run.ts';

const [, , word, ...args] = process.argv;

const runProxy = async (): Promise<void> => {
  // Loaded here only, so that the bridge does not wait for the proxy's modules.
  const { runProxyProgram } = await import('./proxy/program.ts');
  await runProxyProgram(args);
};

if (word === 'proxy') void runProxy();
else runBridge();
