#!/usr/bin/env node
// Entry point for MCP hosts: the bridge between an agent and this machine's treasury.
import { runBridge } from './run.ts';

runBridge();
