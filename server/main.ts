// `npm run headless`: the host without a desktop. Prints one line of JSON on standard output when it is ready.
import '../build/preload.mjs';
import { runHost } from './host/run.ts';

await runHost({ args: process.argv.slice(2) });
