#!/usr/bin/env node
// What an MCP host starts: the bridge between an agent and the treasury of this machine.
import { runBridge } from './run.ts';

runBridge();
