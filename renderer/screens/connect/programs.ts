// A first purchase without MCP, to paste as it is: with curl, in TypeScript, in Python. Each waits for the owner's
// approval, and none puts the API key into a shell's history or among a program's arguments.
import { shellWord } from '../../shared/shell.ts';

export interface Purchase {
  agentId: string;
  owner: string;
  apiKey: string;
  /** The treasury's own address, such as `http://127.0.0.1:4402`. */
  treasury: string;
  /** The URL to buy. */
  url: string;
}

export interface Language {
  id: string;
  name: string;
  /** Tells the reader what to do with the text. */
  how: string;
  text(purchase: Purchase): string;
}

const most = '0.10';
const waitSeconds = 50;
const addressOf = ({ treasury, agentId, owner }: Purchase): string =>
  `${treasury}/v1/agents/${encodeURIComponent(agentId)}/fetch?owner=${owner}`;

const curl = (purchase: Purchase): string =>
  [
    `{ printf 'API key: '; read -rs AGENT_KEY; echo`,
    `printf 'Authorization: Bearer %s\\n' "$AGENT_KEY" | curl -sS -H @- \\`,
    `  -H 'Content-Type: application/json' -H "Idempotency-Key: first-$(date +%s)" -H 'Prefer: wait=${waitSeconds}' \\`,
    `  -d ${shellWord(JSON.stringify({ url: purchase.url, maxAmount: most }))} \\`,
    `  ${shellWord(addressOf(purchase))}; echo; }`,
  ].join('\n');

const typescript = (purchase: Purchase): string =>
  [
    '// It holds the API key: keep it out of a repository.',
    `const answer = await fetch(${JSON.stringify(addressOf(purchase))}, {`,
    `  method: 'POST',`,
    '  headers: {',
    `    Authorization: ${JSON.stringify(`Bearer ${purchase.apiKey}`)},`,
    `    'Content-Type': 'application/json',`,
    '    // Sent again under the same key, a request is not paid again.',
    `    'Idempotency-Key': crypto.randomUUID(),`,
    `    Prefer: 'wait=${waitSeconds}',`,
    '  },',
    `  body: JSON.stringify({ url: ${JSON.stringify(purchase.url)}, maxAmount: '${most}' }),`,
    '});',
    'console.log(await answer.text());',
  ].join('\n');

const python = (purchase: Purchase): string =>
  [
    '# It holds the API key: keep it out of a repository.',
    'import json, urllib.error, urllib.request, uuid',
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(addressOf(purchase))},`,
    '    method="POST",',
    '    headers={',
    `        "Authorization": ${JSON.stringify(`Bearer ${purchase.apiKey}`)},`,
    '        "Content-Type": "application/json",',
    '        # Sent again under the same key, a request is not paid again.',
    '        "Idempotency-Key": str(uuid.uuid4()),',
    `        "Prefer": "wait=${waitSeconds}",`,
    '    },',
    `    data=json.dumps({"url": ${JSON.stringify(purchase.url)}, "maxAmount": "${most}"}).encode(),`,
    ')',
    'try:',
    '    answer = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as refusal:',
    '    answer = refusal',
    'print(answer.read().decode())',
  ].join('\n');

export const languages: readonly Language[] = [
  {
    id: 'curl',
    name: 'curl',
    how: 'Paste it into a terminal (bash or zsh). It asks for the key, which then stays out of the history.',
    text: curl,
  },
  {
    id: 'typescript',
    name: 'TypeScript',
    how: 'Save it as first-call.mts, and run it with: node first-call.mts (Node 22.18 or later)',
    text: typescript,
  },
  {
    id: 'python',
    name: 'Python',
    how: 'Save it as first_call.py, and run it with: python3 first_call.py',
    text: python,
  },
];
