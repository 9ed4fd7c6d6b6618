// `npm run headless`: the host without a desktop. Prints one line of JSON on standard output when it is ready.
import '../build/preload.mjs';
import { runHost } from './host/run.ts';

await runHost({
  args: process.argv.slice(2),
  announce({ newLoginUrl, publicUrl, url, owner, network, rpcUrl, cookieFile }) {
    const addresses = { url, publicUrl: publicUrl(), rpcUrl, loginUrl: newLoginUrl() };
    const ready = { ready: true, pid: process.pid, owner, network, cookieFile, ...addresses };
    process.stdout.write(`${JSON.stringify(ready)}\n`);
  },
});
