// Announces a host that is ready to the program or the person that started it.
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { shellWord } from '../lib/shell-word.ts';
import type { Host } from './options.ts';

const bold = (text: string): string => styleText('bold', text);
const dim = (text: string): string => styleText('dim', text);
const print = (text: string): void => void process.stdout.write(text);

/** One line of JSON, for programs. */
export const announceAsJson = ({
  newLoginUrl,
  publicUrl,
  url,
  owner,
  network,
  rpcUrl,
  cookieFile,
}: Host): void => {
  const addresses = { url, publicUrl: publicUrl(), rpcUrl, loginUrl: newLoginUrl() };
  const ready = { ready: true, pid: process.pid, owner, network, cookieFile, ...addresses };
  print(`${JSON.stringify(ready)}\n`);
};

/** For people. In a terminal, Enter then prints another login address. */
export const announceInWords = (host: Host): void => {
  const { url, owner, network, newLoginUrl, publicUrl } = host;
  const farUrl = publicUrl();
  const lines = [
    '',
    `${bold('Agent Treasury')} is running${network === 'sandbox' ? ' (sandbox: test money)' : ` on ${network}`}`,
    '',
    `  Open the dashboard   ${bold(newLoginUrl() ?? url)}`,
    dim('                       (opens it once, within ten minutes)'),
    `  API for agents       ${url}/v1`,
    ...(farUrl === null ? [] : [`  From other machines  ${farUrl}/v1`]),
    `  Treasury             ${owner}`,
    '',
    ...linesOnRecords(host),
    dim(
      process.stdin.isTTY
        ? 'Enter prints a new address for the dashboard. Ctrl-C stops.'
        : 'Ctrl-C stops. A further address for the dashboard: start it again.',
    ),
    '',
  ];
  print(`${lines.join('\n')}\n`);
  if (!process.stdin.isTTY) return;
  const terminal = createInterface({ input: process.stdin });
  terminal.on('line', () => print(`  Open the dashboard   ${bold(newLoginUrl() ?? url)}\n`));
  // readline intercepts Ctrl-C.
  terminal.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
};

const linesOnRecords = ({ network, isPhraseKept, exportPhrase, engine, restored }: Host): string[] => [
  ...(restored === null
    ? []
    : [
        `Its records were read from ${network}: wallets 1 to ${restored.searched} were searched, and ${engine.context.store.agents.list().length} agents were found.`,
        'Other networks have keys and words of their own.',
        '',
      ]),
  ...(isPhraseKept()
    ? []
    : [
        'Write down its recovery phrase before you send money: nothing else brings the money back when this machine is lost.',
        `  ${bold(exportPhrase.map(shellWord).join(' '))}`,
        '',
      ]),
];
