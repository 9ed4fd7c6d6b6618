// `npm start`: the treasury for a person. Until the desktop is there, that is the headless host and what to do with it.
import { styleText } from 'node:util';
import type { Host } from '../server/host.ts';
import { runHost } from '../server/run-host.ts';

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);

const announce = ({ url, owner, network, cookieFile }: Host): void => {
  const token = cookieFile === null ? 'OWNER_TOKEN' : `$(cat '${cookieFile}')`;
  const lines = [
    '',
    `${bold('Agent Treasury')} is running on ${bold(url)}${network === 'sandbox' ? '  (sandbox: test money)' : ''}`,
    `  treasury  ${owner}`,
    ...(cookieFile === null
      ? []
      : [`  owner     ${cookieFile} ${dim('(a token that only you can read; it changes at every start)')}`]),
    '',
    `What to do next: create an agent, in another terminal`,
    '',
    `  curl -X POST '${url}/v1/agents/deploy?owner=${owner}' \\`,
    `    -H "Authorization: Bearer ${token}" -H 'Content-Type: application/json' \\`,
    `    -d '{"agentId": "my-agent", "dailyBudget": "5.00", "maxPerPayment": "1.00"}'`,
    '',
    dim(`or watch one pay: npm run demo. The whole interface: ${url}/v1/openapi.json. Ctrl-C stops.`),
    '',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
};

process.stdout.write(dim('The desktop is not part of this version: starting the headless host.\n'));
await runHost({ args: process.argv.slice(2), announce, logLevel: 'warn' });
